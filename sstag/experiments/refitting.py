"""Many small taggers of one text: the parts that do not depend on their weights are computed once.

Only the weights of what occurs in the sentences to learn from are climbed: the others stay 0, as the prior has them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sstag.chain.buffers import Buffers
from sstag.chain.lattice import Lattice
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.parallel import one_by_one
from sstag.foundation.ranges import rows_of
from sstag.model.batches import Batch, in_batches, taken
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import PairMap, Pairs
from sstag.model.weight_map import DataMap, WeightMap, Weights
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.optimiser.lbfgs import Optimum, maximised

TOLERANCE = 1e-5  # of the value, as in training


@dataclass(frozen=True, eq=False)
class Text:
    """Sentences as arrays, of which taggers with the same weight map are asked one after another."""

    data: Dataset
    weight_map: WeightMap

    @cached_property
    def map(self) -> DataMap:
        return DataMap(self.weight_map, self.data)

    @cached_property
    def batches(self) -> list[Batch]:
        return in_batches(self.data, self.weight_map.labels)

    def lattices(self, theta: Floats) -> Iterator[tuple[Batch, Lattice]]:
        """The batches, and what a tagger makes of each."""
        weights, buffers = Weights(self.map, theta), Buffers()
        for batch in self.batches:
            buffers.restart()
            yield batch, weights.lattice(batch, buffers=buffers)

    def best(self, theta: Floats) -> Ints:
        """The best label of every token."""  # (T,)
        return np.concatenate([lattice.viterbi()[0] for _, lattice in self.lattices(theta)])


def fitted_to(text: Text, sentences: Longs, l2: float, start: Floats, tolerance: float = TOLERANCE) -> Optimum:
    """The weights at which the labels of some sentences of a text are most likely."""
    data, weight_map, places = _narrowed(taken(text.data, sentences), text.weight_map)
    criterion = Criterion(weight_map, [Part(data, (Likelihood(),))], l2, one_by_one)
    found = maximised(criterion, start[places], metric=criterion.curvature, value_tolerance=tolerance)
    theta = np.zeros(text.weight_map.size)
    theta[places] = found.theta
    return replace(found, theta=theta)


def _narrowed(data: Dataset, whole: WeightMap) -> tuple[Dataset, WeightMap, Longs]:
    """A dataset whose attributes are those that occur in it, their weights, and where these stand among all."""
    assert data.bundles is None
    unary, unary_pairs, unary_places = _occurring(data.unary, whole.unary.pairs)
    edge, edge_pairs, edge_places = _occurring(data.edge, whole.edge.pairs)
    sizes = whole.sizes
    before_edge = whole.size - sizes["edge"]
    places = np.concatenate([unary_places, np.arange(sizes["unary"], before_edge), before_edge + edge_places])
    weight_map = replace(
        whole, unary=PairMap(unary_pairs, whole.unary.width), edge=PairMap(edge_pairs, whole.edge.width)
    )
    return replace(data, unary=unary, edge=edge), weight_map, places


def _occurring(incidence: Incidence, pairs: Pairs) -> tuple[Incidence, Pairs, Longs]:
    """The attributes that occur, numbered anew; their pairs, and where these stand among all."""
    used, numbers = np.unique(incidence.indices, return_inverse=True)
    indptr, places = rows_of(pairs.indptr, used)
    return replace(incidence, indices=numbers.astype(np.int32)), Pairs(indptr, pairs.labels[places]), places
