"""Weights that sentences move one after another: θ in place, as the core's stochastic gradient reads and changes it.

The numbers w that stand for θ, and what they are divided by, are in `chain/core/stochastic.h`.
"""

from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.chain.forward_backward import expect_path, refuse_size
from sstag.chain.labelled import Labelled
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.large_pages import zeros_together
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import PairMap
from sstag.model.weight_map import WeightMap


class Paired(NamedTuple):
    """The attributes of each position, and the labels that each attribute has a weight for."""

    pair_bounds: Longs  # (A + 1,)
    pair_labels: Ints
    first: Longs  # (T + 1,)
    indices: Ints
    values: Floats | None  # None where all are 1


class Moving(NamedTuple):
    """The parts of θ, or of numbers beside it."""

    unary: Floats
    edge: Floats
    steps: Floats
    begin: Floats | None  # (L,)
    end: Floats | None  # (L,)


class MovingWeights:
    """θ at the end of a way past sentences, or its mean over the last part of the way."""

    def __init__(self, of: WeightMap, data: Dataset, labelled: Labelled) -> None:
        assert data.bundles is None
        longest = int(np.diff(data.offsets).max(initial=0))
        refuse_size(longest, of.labels, longest if len(data.edge.indices) else 1)
        self.of, self.offsets, self.labelled = of, data.offsets, labelled
        self.nodes, self.edges = _paired(data.unary, of.unary), _paired(data.edge, of.edge)
        self.cells = np.flatnonzero(of.steps).astype(np.int32)
        self.w, self.late = zeros_together((of.size,), (of.size,))  # what nobody writes to takes no memory
        self.weight = np.zeros(1)
        self.begin(self.w, 0.0, 0.0)

    def begin(self, start: Floats, rate: float, decay: float) -> None:
        """Goes to some weights, for visits of this η and λη."""
        self.rate, self.decay, self.visited = rate, decay, 0
        self.since: int | None = None  # how many visits the mean leaves out
        if self.w.any() or start.any():
            self.w[:] = start

    def begin_mean(self) -> None:
        """Makes the weights the mean over all visits from now on, for once."""
        self.since = self.visited

    def visit(self, order: Longs) -> Floats:
        """log Z_Λ − log Z of sentences, each before it moves the weights; with η = 0 none does."""
        gain = np.empty(len(order))
        late = None if self.since is None else self._moving(self.late)
        expect_path(
            _core.visit(
                self.offsets, self.labelled, self.nodes, self.edges, self.cells, self._moving(self.w), late,
                order, self.rate, self.decay, self.visited, self.weight, gain,
            )
        )  # fmt: skip
        self.visited += len(order)
        return gain

    def weights(self, out: Floats | None = None) -> Floats:
        """θ, or its mean; it may take the place of w."""
        if self.since is None or self.since == self.visited:
            return np.divide(self.w, 1.0 + self.decay * self.visited, out=out)
        mean = np.multiply(self.w, self.weight, out=out)
        mean -= self.late
        mean /= self.visited - self.since
        return mean

    def _moving(self, numbers: Floats) -> Moving:
        part = self.of.parts(numbers)
        begin, end = (part[name] if len(part[name]) else None for name in ("begin", "end"))
        return Moving(part["unary"], part["edge"], part["steps"], begin, end)


def _paired(incidence: Incidence, weights: PairMap) -> Paired:
    pairs = weights.pairs
    return Paired(pairs.indptr, pairs.labels, incidence.indptr, incidence.indices, incidence.values)
