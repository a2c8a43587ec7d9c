"""Generalized expectation: raw text whose features have known distributions over labels (Mann & McCallum 2008, §4).

    q_m(l) = Σ_{t with feature m} ω p(y_t = l)        N_m = Σ_l q_m(l)          p̃_m = q_m / N_m
    kl:        −Σ_m λ_m Σ_l p̂_m(l) log(p̂_m(l) / p̃_m(l))         ∂/∂q_m(l) = λ_m (p̂_m(l) / q_m(l) − 1 / N_m)
    squared:   −Σ_m λ_m Σ_l (p̂_m(l) − p̃_m(l))²                  ∂/∂q_m(l) = 2 λ_m (p̂_m(l) − p̃_m(l)) / N_m

A share that is known within bounds is the one within them that is nearest to p̃_m, so that p̃_m within all bounds
costs nothing; the gradient is that of a fixed p̂_m. ω is what the sentence of t counts, mostly 1. N_m is how often the
feature occurs, whatever θ is, so a constant may be added to ∂/∂q_m. The gradient is ω Cov(r, clique indicators) with
r_t(l) = Σ_{m at t} ∂/∂q_m(l): one covariance pass, O(T L²), for any number of features. Limits: a target that is p̃_m
has no gradient; a feature of every token is label regularisation (Mann & McCallum 2007, "Simple, robust, scalable").

Differs: M08 pays O(T L³), a lattice per label.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from sstag.chain.functions import log
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import NumericalError
from sstag.knowledge.share_ranges import nearest_shares
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import Entries, rows_only

NO_WEIGHTS: Floats = np.zeros(0)  # all is in rows of a table


class Places(Protocol):
    """Where the lines of a list are in a large text."""

    def within(self, corpus: Corpus) -> Incidence:
        """The lines that each token of a volume has."""


@dataclass(frozen=True)
class ListedSide:
    """The lines that the tokens of a batch have, and what its sentences count."""

    active: Entries  # the lines that its tokens have
    omega: Floats  # (S,)


@dataclass(frozen=True, eq=False)
class Expectation:
    """Σ_m λ_m times the distance of p̃_m from p̂_m, negative; `active` belongs to the dataset it is used with."""

    targets: Floats  # (M, L) p̂
    strengths: Floats  # (M,) λ
    active: Incidence  # the lines that each token has
    names: tuple[str, ...]  # (M,) what errors call them
    labels: tuple[str, ...]
    distance: str = "kl"
    bounds: tuple[Floats, Floats] | None = None  # (M, L) each: p̂ are the shares within them that are nearest to p̃
    places: Places | None = None  # where the lines are in the volumes of a large text

    @property
    def slope(self) -> None:
        """Known only when all batches have been seen."""

    def side(self, data: Dataset, batch: Batch) -> ListedSide:
        return ListedSide(self._entries.part(batch.tokens), data.omega[batch.sentences])

    def gather(self, lattice: Lattice, side: ListedSide) -> Floats:
        q = np.zeros_like(self.targets)
        omega = np.repeat(side.omega, np.diff(lattice.potentials.offsets))
        side.active.add_gradient(omega[:, None] * lattice.nodes, q, NO_WEIGHTS)
        return q

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        q, target, strength = statistics, self.targets, self.strengths[:, None]
        count = q.sum(axis=1, keepdims=True)
        seen = count > 0.0
        share = np.divide(q, count, out=np.zeros_like(q), where=seen)
        if self.bounds:
            low, high = self.bounds
            target = target.copy()
            for row in np.flatnonzero(seen[:, 0] & (low < high).any(axis=1)).tolist():
                target[row] = nearest_shares(share[row], low[row], high[row], self.distance)
        if self.distance == "squared":
            slope = np.divide(2.0 * strength * (target - share), count, out=np.zeros_like(q), where=seen)
            return -float((strength * seen * (target - share) ** 2).sum()), slope
        wanted = seen & (target > 0.0)
        missing = wanted & (q == 0.0)
        if missing.any():
            impossible = np.where(missing, target, 0.0)
            m, label = np.unravel_index(impossible.argmax(), q.shape)
            raise NumericalError(
                f"{self.names[m]} is to be {self.labels[label]}, which has probability 0 wherever it occurs"
            )
        ratio = np.divide(share, target, out=np.ones_like(q), where=wanted)
        value = float((strength * np.where(wanted, target, 0.0) * log(ratio)).sum())
        slope = strength * np.divide(target, q, out=np.zeros_like(q), where=wanted)
        return value, slope - np.divide(strength, count, out=np.zeros_like(count), where=seen)

    def push(self, lattice: Lattice, side: ListedSide, slope: Floats) -> Potentials:
        pot = lattice.potentials
        r = np.zeros_like(pot.unary)
        side.active.add_scores(NO_WEIGHTS, slope, r)
        return lattice.covariance(pot.with_values(r, np.zeros_like(pot.edge)), side.omega)

    def curvature(self, lattice: Lattice, side: ListedSide) -> None:
        """Not concave."""

    def within(self, corpus: Corpus) -> "Expectation":
        assert self.places
        return replace(self, active=self.places.within(corpus), places=None)

    @cached_property
    def _entries(self) -> Entries:
        return rows_only(self.active)
