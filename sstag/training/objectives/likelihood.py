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
from sstag.chain.labelled import FREE, FULL, MASKED, Labelled
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.ranges import offsets_of, row_of_each
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.training.objectives.contract import Ground
from sstag.training.parameter_specs import Parameters


@dataclass(frozen=True)
class Likelihood:
    """ℓ, summed over sentences."""

    @property
    def slope(self) -> Floats:
        return np.ones(1)

    def side(self, data: Dataset, batch: Batch) -> Labelled:
        return labels_of(data, batch.sentences, batch.tokens)

    def gather(self, lattice: Lattice, side: Labelled) -> Floats:
        gain = lattice.path_scores(side.gold) - lattice.log_z
        gain[side.kind == FREE] = 0.0
        masked = side.kind == MASKED
        if masked.any():
            gain[masked] = _restricted(lattice, side).log_z - lattice.log_z[masked]
        return likelihood_of(gain, side)

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: Labelled, slope: Floats) -> Potentials:
        pot, scale = lattice.potentials, float(slope[0])
        d = lattice.marginals(-scale * _seen(side))
        position = np.flatnonzero((side.kind == FULL)[row_of_each(pot.offsets)])
        weights = scale * np.repeat(side.omega, np.diff(pot.offsets))
        d.unary[position, side.gold[position]] += weights[position]
        inner = np.setdiff1d(position, pot.offsets[:-1])
        np.add.at(d.edge, (pot.edge_index[inner], side.gold[inner - 1], side.gold[inner]), weights[inner])
        masked = side.kind == MASKED
        if masked.any():
            under = _restricted(lattice, side).marginals(scale * side.omega[masked])
            d.unary[_masked_rows(side.kind, pot.offsets)] += under.unary
            d = d.with_values(d.unary, d.edge + under.edge)
        return d

    def curvature(self, lattice: Lattice, side: Labelled) -> Potentials:
        """ω p(1 − p) at a position; for steps, which are few, ω p."""
        p = lattice.marginals(_seen(side))
        return p.with_values(p.unary * (1.0 - lattice.nodes), p.edge)


def labels_of(data: Dataset, sentences: slice, tokens: slice) -> Labelled:
    """The labels of some sentences, one after another, and of their tokens."""
    kind = np.select([data.full[sentences], data.free[sentences]], [FULL, FREE], MASKED).astype(np.int32)
    sets = np.zeros(tokens.stop - tokens.start, np.int32) if data.sets is None else data.sets[tokens]
    label = data.allowed.argmax(axis=1).astype(np.int32)[sets] if len(data.allowed) else sets
    masked = np.repeat(kind == MASKED, np.diff(data.offsets[sentences.start : sentences.stop + 1]))
    return Labelled(
        omega=np.require(data.omega[sentences], np.float64, ["C", "A"]),
        kind=kind,
        gold=np.require(label, np.int32),
        allowed=data.allowed[sets[masked]],
    )


def likelihood(parameters: Parameters, ground: Ground, opened: None) -> Likelihood:
    """The likelihood, which has no parameters and is alike for all texts."""
    return Likelihood()


def likelihood_of(gain: Floats, labelled: Labelled) -> Floats:
    """Σ_s ω_s (log Z_Λ(s) − log Z(s)), the statistic of a batch."""
    return np.array([_core.dot(labelled.omega, gain)])


def _seen(labelled: Labelled) -> Floats:
    """ω of each sentence, and 0 of free ones."""
    return np.where(labelled.kind == FREE, 0.0, labelled.omega)


def _masked_rows(kind: Ints, offsets: Longs) -> Longs:
    """The positions of the masked sentences."""
    return np.flatnonzero((kind == MASKED)[row_of_each(offsets)])


def _restricted(lattice: Lattice, side: Labelled) -> Lattice:
    """The lattice of the masked sentences over what they allow."""

    def made() -> Lattice:
        whole, rows = lattice.potentials, _masked_rows(side.kind, lattice.potentials.offsets)
        offsets = offsets_of(np.diff(whole.offsets)[side.kind == MASKED])
        part = Potentials(whole.unary[rows], whole.edge, whole.edge_index[rows], offsets)
        return lattice.restricted(side.allowed, part)

    return lattice.once((Likelihood, id(side)), made)
