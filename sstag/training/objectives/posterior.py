"""Posterior regularisation (Ganchev et al. 2010): labellings near the tagger's, in which features have known shares.

    −λ D(θ)      D(θ) = min_q KL(q ‖ p_θ) + ½ Σ_m s_m ‖E_q[φ_m] − p̂_m‖²
                      = max_μ μ·p̂ − Σ_i ω_i (log Z_i(θ + μ) − log Z_i(θ)) − ½ Σ_m ‖μ_m‖² / s_m
    ∂/∂potentials = λ ω (marginals under q − marginals under p)                  q ∝ p exp(Σ_m μ_m·φ_m)

φ_m(l) is the share of label l among the N_m tokens with feature m. Where an expectation pulls the tagger's own
shares, this pulls the tagger to labellings that have them, as an EM of which q is the E step. The dual in μ is
concave, with a number for each line and label, and is climbed anew for each θ from the μ before; as the gradient is
that of its highest point, a μ that is nearly there leaves an error of second order. With s = ∞ the shares are a
constraint. The scores of all batches are kept between the two visits. Cost: some ten forward and backward passes more
than the likelihood. Limits: shares as the tagger has them, 0; s = 0, 0.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats
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
    close_enough: float = 1e-6  # of the dual's gradient
    _sides: list[ListedSide] = field(default_factory=list)  # in the order of the batches, which sums follow
    _kept: dict[int, Potentials] = field(default_factory=dict)  # the scores of each side since the last look
    _mu: list[Floats] = field(default_factory=list)  # where the dual was highest before

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
            mu = flat.reshape(self.targets.shape)
            log_z, shares = 0.0, np.zeros_like(mu)
            for pot, side in kept:
                moved = Lattice(self._moved(pot, side, mu))
                log_z += float((side.omega * moved.log_z).sum())
                omega = np.repeat(side.omega, np.diff(pot.offsets))
                side.active.add_gradient(omega[:, None] * moved.nodes, shares, NO_WEIGHTS)
            shares[seen] /= self.counts[seen, None]
            ridge = mu / self.slack[:, None]
            value = float((mu * self.targets)[seen].sum()) - (log_z - float(statistics[0]))
            slope = np.where(seen[:, None], self.targets - shares - ridge, 0.0)
            return value - 0.5 * float((mu * ridge)[seen].sum()), slope.ravel()

        start = self._mu[-1] if self._mu else np.zeros(self.targets.size)
        best = maximised(
            dual, start, gradient_tolerance=self.close_enough, value_tolerance=0.0, max_iterations=MOST_STEPS
        )
        self._mu[:] = [best.theta]
        return -self.strength * best.value, np.concatenate([[1.0], best.theta])

    def push(self, lattice: Lattice, side: ListedSide, slope: Floats) -> Potentials:
        scale = float(slope[0])
        near = Lattice(self._moved(lattice.potentials, side, (slope[1:] / scale).reshape(self.targets.shape)))
        weights = scale * self.strength * side.omega
        return near.marginals(weights) - lattice.marginals(weights)

    def curvature(self, lattice: Lattice, side: ListedSide) -> None:
        """Not concave."""

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
    return Posterior(opened.distributions(labels), slack, opened.active, counts, parameters.strength)
