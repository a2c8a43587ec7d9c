"""Expectations of additive functions, and their covariances with the cliques (methods §2.1).

The rows that the kernels work in are padded with zeros to whole vectors of the processor.
"""

import numpy as np

from sstag.chain.distribution import Distribution
from sstag.chain.forward_backward import NO_EDGES, transposed, whole_vectors, widened
from sstag.chain.kernels import covariance as kernels
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import NumericalError

STEPS = 32  # positions whose outer products are summed at once


def additive_score(d: Distribution) -> Potentials:
    """The potentials as an additive function: 0 where they are -∞ or not allowed, since there p log p = 0."""
    finite = d.potentials.finite()
    if not len(d.allowed):
        return finite
    return finite.with_values(np.where(d.allowed, finite.unary, 0.0), finite.edge)


def additive_parts(d: Distribution, r: Potentials) -> tuple[Floats, Floats, Floats]:
    """The node part, the edge part g, and P ∘ g of an additive function; the last two without rows if g is 0."""
    if r.unary.shape != d.potentials.unary.shape or r.edge.shape != d.potentials.edge.shape:
        raise ValueError("r must have the shape of the potentials")
    if not (np.isfinite(r.unary).all() and np.isfinite(r.edge).all()):
        raise NumericalError("an additive function must be finite (Potentials.finite puts 0 for -inf)")
    return r.unary, *((r.edge, d.edges.p * r.edge) if r.edge.any() else (NO_EDGES, NO_EDGES))


def expectation(d: Distribution, r: Floats, g: Floats, p_g: Floats) -> Floats:
    """E[r] per sentence, (S,)."""
    pot, e, f = d.potentials, d.edges, d.settled
    mean, (f_rows, rho) = np.empty_like(f.log_z), _wide_rows(d, d.longest, d.longest)
    kernels.expectations(
        pot.unary, f.shift, f.w, widened(e.p, True), e.log_p, pot.edge_index, pot.offsets, f.alpha, f.c, f.in_log,
        r, g, widened(p_g), f_rows, rho, mean,
    )  # fmt: skip
    return mean


def covariance(d: Distribution, r: Floats, g: Floats, p_g: Floats, weights: Floats | None) -> tuple[Floats, Potentials]:
    """E[r] per sentence, (S,), and ω Cov(r, ·) with every clique."""
    pot, e, f, (beta, v) = d.potentials, d.edges, d.settled, d.backward
    mean, nodes, edge = np.empty_like(f.log_z), np.empty_like(pot.unary), np.zeros_like(pot.edge)
    before, after = np.empty((2, pot.unary.shape[1], STEPS)), np.stack(_wide_rows(d, STEPS, STEPS))
    f_rows, rho, z, sigma = _wide_rows(d, d.longest, d.longest, d.longest, 1)
    kernels.covariance(
        pot.unary, f.shift, f.w, widened(e.p, True), widened(e.p_transposed, True), e.log_p, pot.edge_index,
        pot.offsets, f.alpha, f.c, beta, v, f.in_log, d.checked(weights), r, g, widened(p_g),
        widened(transposed(p_g)), f_rows, rho, z, sigma, before, after, widened(edge), widened(edge), mean, nodes,
        edge,
    )  # fmt: skip
    return mean, pot.with_values(nodes, edge)


def _wide_rows(d: Distribution, *counts: int) -> list[Floats]:
    """So many rows of zeros as wide as `widened` matrices."""
    width = whole_vectors(d.potentials.unary.shape[1])
    return [np.zeros((count, width)) for count in counts]
