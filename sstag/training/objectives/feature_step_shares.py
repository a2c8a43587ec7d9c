"""Generalized expectation of steps to tokens with a feature: expectations of pairs of labels (M08 §4, for two labels).

    q_m(c) = Σ_{t with feature m} Σ_{(y', y) of class c} ω p(y_{t−1} = y', y_t = y)

and all else as for the steps of a whole text (`step_shares`). A chain knows of steps only the sums over the positions
that share an edge matrix. So it is looked at once more with a matrix for each of its matrices and each set of lines
that a position has: its marginals are then those of the positions with these lines, and a function of steps may differ
between them. Cost: what the chain costs, once more at each of two visits. Limit: a line of all tokens is `steps`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.knowledge.feature_steps import FeatureSteps
from sstag.knowledge.step_list import StepClasses
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.training.objectives.expectation import Expectation, ListedSide, Places
from sstag.training.objectives.step_shares import distance_of


@dataclass(frozen=True)
class StepsSide:
    """The matrices with which the steps of a batch are looked at, and what its sentences count."""

    edge_index: Ints  # (T,) one of these matrices
    matrix: Longs  # (K',) the matrix of the batch that each of them is
    matrices: Longs  # (N,) the matrices with a line, in each with the line beside it
    lines: Longs  # (N,)
    omega: Floats  # (S,)

    def potentials(self, of: Potentials) -> Potentials:
        return Potentials(of.unary, of.edge[self.matrix], self.edge_index, of.offsets)


@dataclass(frozen=True, eq=False)
class FeatureStepShares:
    """Σ_m λ_m times the distance of p̃_m from p̂_m, negative; `active` belongs to the dataset it is used with."""

    lines: Sequence[StepClasses]
    strengths: Floats  # (M,) λ
    active: Incidence  # the lines of each token
    names: tuple[str, ...]  # (M,) what errors call them
    distance: str = "kl"
    places: Places | None = None  # where the lines are in the volumes of a large text

    @property
    def slope(self) -> None:
        """Known only when all batches have been seen."""

    def side(self, data: Dataset, batch: Batch) -> StepsSide:
        active = self.active.part(batch.tokens)
        sets: dict[bytes, int] = {b"": 0}
        bounds = active.indptr.tolist()
        own = [active.indices[a:b].tobytes() for a, b in pairwise(bounds)]
        having = np.array([sets.setdefault(one, len(sets)) for one in own], np.int64)
        matrix = batch.edge_index.astype(np.int64)
        having[batch.offsets[:-1]] = 0  # no step leads to a first token
        matrix[batch.offsets[:-1]] = 0
        distinct, index = np.unique(matrix * len(sets) + having, return_inverse=True)
        lines = [np.frombuffer(one, np.int32) for one in sets]
        found = [lines[one] for one in (distinct % len(sets)).tolist()]
        matrices = np.repeat(np.arange(len(found)), [len(one) for one in found])
        of_each = np.concatenate([np.zeros(0, np.int64), *found])
        return StepsSide(index.astype(np.int32), distinct // len(sets), matrices, of_each, data.omega[batch.sentences])

    def gather(self, lattice: Lattice, side: StepsSide) -> Floats:
        labels = lattice.potentials.unary.shape[1]
        q = np.zeros((len(self.lines), labels, labels))
        if len(side.lines):
            edge = Lattice(side.potentials(lattice.potentials)).marginals(side.omega).edge
            np.add.at(q, side.lines, edge[side.matrices])
        return q

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros_like(statistics)
        rows = zip(self.lines, self.strengths.tolist(), self.names, statistics, strict=True)
        for m, (line, strength, name, steps) in enumerate(rows):
            own, slope[m] = distance_of(line, strength, name, steps, self.distance)
            value += own
        return value, slope

    def push(self, lattice: Lattice, side: StepsSide, slope: Floats) -> Potentials:
        pot = lattice.potentials
        unary, edge = np.zeros_like(pot.unary), np.zeros_like(pot.edge)
        if not len(side.lines):
            return pot.with_values(unary, edge)
        apart = side.potentials(pot)
        r = np.zeros_like(apart.edge)
        np.add.at(r, side.matrices, slope[side.lines])
        found = Lattice(apart).covariance(apart.with_values(unary, r), side.omega)
        np.add.at(edge, side.matrix, found.edge)
        return pot.with_values(found.unary, edge)

    def curvature(self, lattice: Lattice, side: StepsSide) -> None:
        """Not concave."""

    def within(self, corpus: Corpus) -> "FeatureStepShares":
        """The objective as one volume sees it."""
        assert self.places
        return replace(self, active=self.places.within(corpus), places=None)


@dataclass(frozen=True, eq=False)
class ExpectationWithSteps:
    """The expectations of a list, some of labels and some of steps; their statistics stand one after another."""

    labels: Expectation
    steps: FeatureStepShares

    @property
    def slope(self) -> None:
        """Known only when all batches have been seen."""

    def side(self, data: Dataset, batch: Batch) -> tuple[ListedSide, StepsSide]:
        return self.labels.side(data, batch), self.steps.side(data, batch)

    def gather(self, lattice: Lattice, side: tuple[ListedSide, StepsSide]) -> Floats:
        return np.append(self.labels.gather(lattice, side[0]), self.steps.gather(lattice, side[1]))

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        of_labels, of_steps = self._apart(statistics)
        first, second = self.labels.close(of_labels), self.steps.close(of_steps)
        return first[0] + second[0], np.append(first[1], second[1])

    def push(self, lattice: Lattice, side: tuple[ListedSide, StepsSide], slope: Floats) -> Potentials:
        of_labels, of_steps = self._apart(slope)
        return self.labels.push(lattice, side[0], of_labels) + self.steps.push(lattice, side[1], of_steps)

    def curvature(self, lattice: Lattice, side: tuple[ListedSide, StepsSide]) -> None:
        """Not concave."""

    def within(self, corpus: Corpus) -> "ExpectationWithSteps":
        """The objective as one volume sees it."""
        return ExpectationWithSteps(self.labels.within(corpus), self.steps.within(corpus))

    def _apart(self, both: Floats) -> tuple[Floats, Floats]:
        shape = self.labels.targets.shape
        of_labels, of_steps = np.split(both, [self.labels.targets.size])
        return of_labels.reshape(shape), of_steps.reshape(len(self.steps.lines), shape[1], shape[1])


def step_shares(listed: FeatureSteps, labels: Sequence[str], strength: float, distance: str) -> FeatureStepShares:
    """The lines of a list that are about steps, as an objective."""
    own = listed.classes(labels), strength * listed.strengths, listed.active, listed.names, distance
    return FeatureStepShares(*own, listed.places)
