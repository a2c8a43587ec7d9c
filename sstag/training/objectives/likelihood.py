"""The restricted conditional log-likelihood (Tsuboi et al. 2008, eq. 3–5; weighted: Sokolovska 2011, eq. 2).

    ℓ = Σ_i ω_i (log Z_Λ(i) − log Z(i))          ∂ℓ/∂potentials = ω_i (marginals under Λ − marginals)

Z_Λ sums over the paths that take an allowed label at every position. Where each position allows one label, log Z_Λ is
the score of that path and its marginals are 0 and 1: the supervised likelihood. Where all labels are allowed everywhere
a sentence adds 0. Full, ambiguous, partial and weighted sentences differ in nothing else. Cost: a pass over the batch,
and one more over the sentences that are neither. Limits: singleton sets are the CRF, weight 2 is the sentence twice.
"""

from dataclasses import dataclass

import numpy as np

from sstag.chain import _core
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Longs
from sstag.foundation.ranges import offsets_of, row_of_each
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.training.objectives.contract import Ground
from sstag.training.parameter_specs import Parameters


@dataclass(frozen=True, eq=False)
class LabelledSide:
    """The labels of a batch. A sentence is full (one label everywhere), masked, or free; a free one adds nothing."""

    weights: Floats  # (S,) ω, 0 for free sentences
    gold: Longs  # the labels of full sentences, as places in a flat (T, L)
    gold_weights: Floats  # ω of each
    steps: Longs  # the steps between them, as places in flat edge matrices (K, L, L), ascending
    step_weights: Floats  # Σ ω of each
    masked: Longs  # the masked sentences
    rows: Longs  # the positions of the masked sentences
    offsets: Longs  # of the masked sentences among themselves
    allowed: Bools  # (len(rows), L)


@dataclass(frozen=True)
class Likelihood:
    """ℓ, summed over sentences."""

    @property
    def slope(self) -> Floats:
        return np.ones(1)

    def side(self, data: Dataset, batch: Batch) -> LabelledSide:
        lengths, count = np.diff(batch.offsets), data.allowed.shape[1]
        owner = row_of_each(batch.offsets)
        full = data.full[batch.sentences]
        masked = ~full & ~data.free[batch.sentences]
        omega = data.omega[batch.sentences]
        sets = np.zeros(len(owner), np.int32) if data.sets is None else data.sets[batch.tokens]
        label = data.allowed.argmax(axis=1)[sets] if len(data.allowed) else sets.astype(np.int64)
        at = np.flatnonzero(full[owner])
        inner = np.setdiff1d(at, batch.offsets[:-1])
        steps = (batch.edge_index[inner].astype(np.int64) * count + label[inner - 1]) * count + label[inner]
        distinct, which = np.unique(steps, return_inverse=True)
        rows = np.flatnonzero(masked[owner])
        return LabelledSide(
            weights=np.where(full | masked, omega, 0.0),
            gold=at * count + label[at],
            gold_weights=omega[owner[at]],
            steps=distinct,
            step_weights=np.bincount(which, omega[owner[inner]], len(distinct)).astype(np.float64),
            masked=np.flatnonzero(masked),
            rows=rows,
            offsets=offsets_of(lengths[masked]),
            allowed=data.allowed[sets[rows]],
        )

    def gather(self, lattice: Lattice, side: LabelledSide) -> Floats:
        scores = lattice.potentials
        value = _core.picked(scores.unary, side.gold, side.gold_weights)
        value += _core.picked(scores.edge, side.steps, side.step_weights)
        value -= (side.weights * lattice.log_z).sum()
        if len(side.masked):
            value += (side.weights[side.masked] * _restricted(lattice, side).log_z).sum()
        return np.array([value])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: LabelledSide, slope: Floats) -> Potentials:
        scale = float(slope[0])
        d = lattice.marginals(-scale * side.weights)
        _core.put_back(d.unary, side.gold, side.gold_weights, scale)
        _core.put_back(d.edge, side.steps, side.step_weights, scale)
        if len(side.masked):
            under = _restricted(lattice, side).marginals(scale * side.weights[side.masked])
            d.unary[side.rows] += under.unary
            d = d.with_values(d.unary, d.edge + under.edge)
        return d

    def curvature(self, lattice: Lattice, side: LabelledSide) -> Potentials:
        """ω p(1 − p) at a position; for steps, which are few, ω p."""
        p = lattice.marginals(side.weights)
        return p.with_values(p.unary * (1.0 - lattice.nodes), p.edge)


def likelihood(parameters: Parameters, ground: Ground, opened: None) -> Likelihood:
    """The likelihood, which has no parameters and is alike for all texts."""
    return Likelihood()


def _restricted(lattice: Lattice, side: LabelledSide) -> Lattice:
    """The lattice of the masked sentences over what they allow."""

    def made() -> Lattice:
        whole = lattice.potentials
        part = Potentials(whole.unary[side.rows], whole.edge, whole.edge_index[side.rows], side.offsets)
        return lattice.restricted(side.allowed, part)

    return lattice.once(side, made)
