"""Expectations of additive functions, and their covariances with the cliques (methods §2.1)."""

import numpy as np

from sstag.chain import _core
from sstag.chain.distribution import Distribution
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import NumericalError


def additive_score(d: Distribution) -> Potentials:
    """The potentials as an additive function: 0 where they are -∞ or not allowed, since there p log p = 0."""
    finite = d.potentials.finite()
    if d.allowed is None:
        return finite
    return finite.with_values(np.where(d.allowed, finite.unary, 0.0), finite.edge)


def expectation(d: Distribution, r: Potentials | None) -> Floats:
    """E[r] per sentence, (S,); without r, of log p(y|x)."""
    mean = np.empty_like(d.ones)
    _core.covariance(*d.passes, *_parts(d, r), d.ones, mean, None, None)
    return mean


def covariance(d: Distribution, r: Potentials | None, weights: Floats | None) -> tuple[Floats, Potentials]:
    """E[r] per sentence, (S,), and ω Cov(r, ·) with every clique; without r, of log p(y|x)."""
    mean, nodes, edge = np.empty_like(d.ones), np.empty_like(d.potentials.unary), np.empty_like(d.potentials.edge)
    _core.covariance(*d.passes, *_parts(d, r), d.checked(weights), mean, nodes, edge)
    return mean, d.potentials.with_values(nodes, edge)


def _parts(d: Distribution, r: Potentials | None) -> tuple[Floats | None, Floats | None]:
    """The node part and the edge part of an additive function; no edge part if it is 0."""
    if r is None:
        return None, None
    if r.unary.shape != d.potentials.unary.shape or r.edge.shape != d.potentials.edge.shape:
        raise ValueError("r must have the shape of the potentials")
    if not (np.isfinite(r.unary).all() and np.isfinite(r.edge).all()):
        raise NumericalError("an additive function must be finite (Potentials.finite puts 0 for -inf)")
    return r.unary, r.edge if r.edge.any() else None
