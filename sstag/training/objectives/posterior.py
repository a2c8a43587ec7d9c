"""Posterior regularisation (Ganchev et al. 2010): labellings near the tagger's, in which features have known shares.

    −λ D(θ)      D(θ) = min_q KL(q ‖ p_θ) + Σ_m s_m d(E_q[φ_m])  = max_μ Σ_m d*_m(μ_m) − Σ_i ω_i log Z_i(θ + μ) / Z_i(θ)
    squared      d(r) = ½ ‖r − p̂_m‖²            d*(μ) = μ·p̂ − ½ ‖μ‖² / s
    kl           d(r) = KL(p̂_m ‖ r)             d*(μ) = s + s p̂·log(μ / s), with μ = e^ν where p̂ > 0, and 0 elsewhere
    ∂/∂potentials = λ ω (marginals under q − marginals under p)                  q ∝ p exp(Σ_m μ_m·φ_m)

φ_m(l) is the share of label l among the N_m tokens with feature m. Where an expectation pulls the tagger's own shares,
this pulls the tagger to labellings that have them, as an EM of which q is the E step. The dual is concave in μ, and in
ν because log Z grows with every μ. It has a number for each line and label, and is climbed anew for each θ from the
point before; as the gradient is that of its highest point, a point that is nearly there leaves an error of second
order. With s = ∞ the shares are a constraint. The scores of all batches are kept between the two visits. Cost: some ten
forward and backward passes more than the likelihood. Limits: shares as the tagger has them, 0; s = 0, 0.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sstag.chain.functions import exp, log
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.errors import NumericalError
from sstag.knowledge.expectations import Expectations
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import Entries, rows_only
from sstag.training.objectives import PosteriorParameters
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.expectation import NO_WEIGHTS, ListedSide
from sstag.training.optimiser.lbfgs import maximised

MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class Posterior:
    """−λ D; `active` belongs to the dataset it is used with, and `counts` are N, weighed as its sentences are."""

    targets: Floats  # (M, L) p̂
    slack: Floats  # (M,) s
    active: Incidence
    counts: Floats  # (M,)
    strength: float  # λ
    names: tuple[str, ...]  # (M,) what errors call them
    labels: tuple[str, ...]
    distance: str = "squared"
    close_enough: float = 1e-6  # of the dual's gradient
    _sides: list[ListedSide] = field(default_factory=list)  # in the order of the batches, which sums follow
    _kept: dict[int, Potentials] = field(default_factory=dict)  # the scores of each side since the last look
    _point: list[Floats] = field(default_factory=list)  # where the dual was highest before

    @property
    def slope(self) -> None:
        """Known only when all batches have been seen."""

    def side(self, data: Dataset, batch: Batch) -> ListedSide:
        made = ListedSide(self._entries.part(batch.tokens), data.omega[batch.sentences])
        self._sides.append(made)
        return made

    def gather(self, lattice: Lattice, side: ListedSide) -> Floats:
        pot = lattice.potentials
        self._kept[id(side)] = pot.with_values(pot.unary.copy(), pot.edge.copy())
        return np.array([(side.omega * lattice.log_z).sum()])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        kept = [(self._kept[id(side)], side) for side in self._sides if id(side) in self._kept]
        self._kept.clear()
        seen = self.counts > 0

        def dual(flat: Floats) -> tuple[float, Floats]:
            mu = self._mu(flat)
            log_z, shares = 0.0, np.zeros_like(mu)
            for pot, side in kept:
                moved = Lattice(self._moved(pot, side, mu))
                log_z += float((side.omega * moved.log_z).sum())
                omega = np.repeat(side.omega, np.diff(pot.offsets))
                side.active.add_gradient(omega[:, None] * moved.nodes, shares, NO_WEIGHTS)
            shares[seen] /= self.counts[seen, None]
            self._refuse_impossible(shares, seen)
            each, slope = self._conjugate(flat, mu, shares)
            value = float(each[seen].sum()) - (log_z - float(statistics[0]))
            return value, np.where(seen[:, None], slope, 0.0).ravel()

        start = self._point[-1] if self._point else self._first
        best = maximised(
            dual, start, gradient_tolerance=self.close_enough, value_tolerance=0.0, max_iterations=MOST_STEPS
        )
        self._point[:] = [best.theta]
        return -self.strength * best.value, np.concatenate([[1.0], self._mu(best.theta).ravel()])

    def push(self, lattice: Lattice, side: ListedSide, slope: Floats) -> Potentials:
        return self.expected(lattice, side, slope) - lattice.marginals(float(slope[0]) * self.strength * side.omega)

    def expected(self, lattice: Lattice, side: ListedSide, slope: Floats) -> Potentials:
        """λ ω times the expected counts of labels and steps under q."""
        scale = float(slope[0])
        near = Lattice(self._moved(lattice.potentials, side, (slope[1:] / scale).reshape(self.targets.shape)))
        return near.marginals(scale * self.strength * side.omega)

    def curvature(self, lattice: Lattice, side: ListedSide) -> None:
        """Not concave."""

    def _refuse_impossible(self, shares: Floats, seen: Bools) -> None:
        """Raises an error if a label that should have a share, at a distance of logarithms, cannot have any."""
        impossible = (self.targets > 0.0) & (shares == 0.0) & seen[:, None]
        if self.distance == "kl" and impossible.any():
            m, label = np.argwhere(impossible)[0]
            raise NumericalError(
                f"{self.names[m]} is to be {self.labels[label]}, which has probability 0 wherever it occurs"
            )

    @property
    def _first(self) -> Floats:
        """Where the first climb of the dual begins: μ = 0, or where a μ must be above it, s."""
        if self.distance == "squared":
            return np.zeros(self.targets.size)
        return np.repeat(log(self.slack), self.targets.shape[1])

    def _mu(self, flat: Floats) -> Floats:
        """μ at a point of the dual's climb."""  # (M, L)
        point = flat.reshape(self.targets.shape)
        return point if self.distance == "squared" else np.where(self.targets > 0.0, exp(point), 0.0)

    def _conjugate(self, flat: Floats, mu: Floats, shares: Floats) -> tuple[Floats, Floats]:
        """d* by line and label, and the slope of the dual at a point where q has these shares."""  # (M, L) each
        slack = self.slack[:, None]
        if self.distance == "squared":
            return mu * self.targets - 0.5 * mu * mu / slack, self.targets - shares - mu / slack
        away = flat.reshape(mu.shape) - log(self.slack)[:, None]
        return slack * self.targets * (1.0 + away), slack * self.targets - mu * shares

    def _moved(self, pot: Potentials, side: ListedSide, mu: Floats) -> Potentials:
        """The scores of q."""
        each = np.divide(mu, self.counts[:, None], out=np.zeros_like(mu), where=self.counts[:, None] > 0)
        moved = pot.unary.copy()
        side.active.add_scores(NO_WEIGHTS, each, moved)
        return pot.with_values(moved, pot.edge)

    @cached_property
    def _entries(self) -> Entries:
        return rows_only(self.active)


def posterior(parameters: PosteriorParameters, ground: Ground, opened: Expectations) -> Posterior:
    """The shares of a list, each line with its strength; a token of the text has the weight of its sentence."""
    labels, omega = ground.compiled.labels, np.repeat(ground.data.omega, np.diff(ground.data.offsets))
    owner = np.repeat(np.arange(opened.active.rows), np.diff(opened.active.indptr))
    counts = np.bincount(opened.active.indices, omega[owner], len(opened.targets)).astype(np.float64)
    slack = parameters.slack * opened.strengths
    targets = opened.distributions(labels)
    strength, distance = parameters.strength, parameters.distance
    return Posterior(targets, slack, opened.active, counts, strength, opened.names, labels, distance)
