"""Where each weight stands in θ, and the linear map from weights to potentials with its transpose.

    θ = (unary pairs, steps between labels, begin, end, pairs of step attributes)
    u_t(y)     = Σ_{a at t} value·θ_{a,y} + [t first] begin_y + [t last] end_y
    e_t(y', y) = θ_{y',y} + Σ_{a of the step} value·θ_{a,y',y}

This is the only place that knows features: an objective's ∂/∂potentials comes back through `Gradient`, the exact
adjoint of `Weights`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.chain.buffers import Buffers
from sstag.chain.forward_backward import Edges, factor_edges, refuse_size
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.parallel import Over, even_slices, one_by_one
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.sparse_weights import Entries, PairMap


@dataclass(frozen=True)
class WeightMap:
    """Which weights there are, in the order in which θ holds them."""

    unary: PairMap
    steps: Bools  # (L, L) the steps [from, to] that have a weight of their own
    begin: bool
    end: bool
    edge: PairMap  # of the attributes of steps; a label there is from·L + to

    @property
    def labels(self) -> int:
        return self.unary.width

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of weights of each kind, in order."""
        return {
            "unary": len(self.unary.pairs.labels),
            "steps": int(self.steps.sum()),
            "begin": self.labels if self.begin else 0,
            "end": self.labels if self.end else 0,
            "edge": len(self.edge.pairs.labels),
        }

    @property
    def size(self) -> int:
        return sum(self.sizes.values())

    def parts(self, theta: Floats) -> dict[str, Floats]:
        """θ by kind, as views."""
        bounds = np.cumsum([0, *self.sizes.values()])
        return {name: theta[bounds[i] : bounds[i + 1]] for i, name in enumerate(self.sizes)}


def weight_map(compiled: Compiled) -> WeightMap:
    """The weights that a compiled template has."""
    count = len(compiled.labels)
    edges = compiled.template.edges
    return WeightMap(
        unary=PairMap(compiled.pairs, count),
        steps=compiled.label_pairs,
        begin=edges.begin,
        end=edges.end,
        edge=PairMap(compiled.edge_pairs, count * count),
    )


@dataclass(frozen=True)
class DataMap:
    """The linear map between weights and the potentials of a dataset; rows of bundles follow those of attributes."""

    weight_map: WeightMap
    data: Dataset

    @cached_property
    def tokens(self) -> Entries:
        """The rows and pairs whose weights are added up for each token."""
        unary, bundles = self.weight_map.unary, self.data.bundles
        if bundles is None:
            return unary.entries(self.data.unary)
        first, _ = unary.rows_shape
        return unary.entries(
            self.data.unary, np.append(unary.row_of, np.arange(first, first + bundles.rows, dtype=np.int32))
        )

    @cached_property
    def bundles(self) -> Entries | None:
        """The rows and pairs whose weights are added up for each bundle."""
        return self.weight_map.unary.entries(self.data.bundles) if self.data.bundles else None

    def steps(self, batch: Batch) -> Entries:
        """The weights to add up for each edge matrix of a batch."""
        first = batch.sentences.start
        if first not in self._steps:
            self._steps[first] = self.weight_map.edge.entries(batch.steps)
        return self._steps[first]

    @cached_property
    def _steps(self) -> dict[int, Entries]:
        """The entries of the batches that were asked for, by the first sentence of each."""
        return {}

    @property
    def rows(self) -> tuple[int, int]:
        """The shape of a table for the rows of attributes, and after them those of bundles."""
        bundles = self.data.bundles.rows if self.data.bundles else 0
        own, width = self.weight_map.unary.rows_shape
        return own + bundles, width


class Weights:
    """θ → potentials of a dataset."""

    def __init__(self, of: DataMap, theta: Floats, over: Over = one_by_one) -> None:
        self._of, self._part = of, of.weight_map.parts(theta)
        self._tokens = of.tokens  # made once, before threads ask for it
        own = of.weight_map.unary.rows(self._part["unary"])
        self._rows = np.zeros(of.rows)
        self._rows[: len(own)] = own
        self._edge_rows = of.weight_map.edge.rows(self._part["edge"])
        self._steps = np.zeros((of.weight_map.labels, of.weight_map.labels))
        self._steps[of.weight_map.steps] = self._part["steps"]
        if of.bundles:
            sums, bundles = self._rows[len(own) :], of.bundles
            over(
                lambda some: bundles.part(some).add_scores(self._part["unary"], own, sums[some]), even_slices(len(sums))
            )

    def lattice(self, batch: Batch, allowed: Bools | None = None, buffers: Buffers | None = None) -> Lattice:
        """The distribution over the labels of a batch; in `buffers` it lives until they restart."""
        plain = None if len(batch.steps.indices) else self._plain_edges
        return Lattice(self.potentials(batch, buffers), allowed, edges=plain, buffers=buffers)

    def potentials(self, batch: Batch, buffers: Buffers | None = None) -> Potentials:
        """The scores of a batch."""
        p, part = self._of.weight_map, self._part
        tokens = len(batch.edge_index)
        refuse_size(tokens, p.labels, len(batch.steps.indptr) - 1)
        unary = (buffers or Buffers()).take(tokens, p.labels)
        self._tokens.part(batch.tokens).scores(part["unary"], self._rows, unary)
        if p.begin:
            unary[batch.offsets[:-1]] += part["begin"]
        if p.end:
            unary[batch.offsets[1:] - 1] += part["end"]
        edge = self._steps[None]
        if len(batch.steps.indices):
            edge = np.repeat(edge, batch.steps.rows, axis=0)
            self._of.steps(batch).add_scores(part["edge"], self._edge_rows, edge.reshape(len(edge), -1))
        return Potentials.laid_out(unary, edge, batch.edge_index, batch.offsets)

    @cached_property
    def _plain_edges(self) -> Edges:
        """The edge matrix of steps without attributes: it is that of every batch."""
        nothing = np.zeros((0, self._of.weight_map.labels))
        return factor_edges(Potentials(nothing, self._steps[None], np.zeros(0, np.int32), np.zeros(1, np.int64)))


class Gradient:
    """The sum of ∂objective/∂potentials over batches of a dataset, on its way back to θ."""

    def __init__(self, of: DataMap) -> None:
        self.of = of
        self.theta, self.rows = np.zeros(of.weight_map.size), np.zeros(of.rows)
        self.edge_rows = np.zeros(of.weight_map.edge.rows_shape)
        self._part = of.weight_map.parts(self.theta)

    def clear(self) -> None:
        """Sets all sums back to 0."""
        for array in (self.theta, self.rows, self.edge_rows):
            array.fill(0.0)

    def add(self, d: Potentials, batch: Batch) -> None:
        """Adds a batch's ∂objective/∂potentials, mapped back to the weights."""
        of, p, part = self.of, self.of.weight_map, self._part
        of.tokens.part(batch.tokens).add_gradient(d.unary, self.rows, part["unary"])
        if p.begin:
            part["begin"] += d.unary[batch.offsets[:-1]].sum(axis=0)
        if p.end:
            part["end"] += d.unary[batch.offsets[1:] - 1].sum(axis=0)
        part["steps"] += d.edge.sum(axis=0)[p.steps]
        if len(batch.steps.indices):
            of.steps(batch).add_gradient(d.edge.reshape(len(d.edge), -1), self.edge_rows, part["edge"])


def total(gradients: Sequence[Gradient], over: Over = one_by_one) -> Floats:
    """∂objective/∂θ from the parts of one dataset, summed in their order, into the arrays of the first."""
    first = gradients[0]
    of, p, theta, rows, edge_rows = first.of, first.of.weight_map, first.theta, first.rows, first.edge_rows
    for result, *others in ([getattr(one, name) for one in gradients] for name in ("theta", "rows", "edge_rows")):
        _add(others, result, over)
    part = p.parts(theta)
    if of.bundles:
        own, _ = p.unary.rows_shape
        of.bundles.add_gradient(rows[own:], rows[:own], part["unary"])
    for pair_map, found, name in ((p.unary, rows, "unary"), (p.edge, edge_rows, "edge")):
        places, cells = pair_map.in_rows
        part[name][places] += found.ravel()[cells]
    return theta


def _add(arrays: Sequence[Floats], result: Floats, over: Over) -> None:
    """Adds arrays to `result` in their order, which does not depend on the number of threads."""

    def add(some: slice) -> None:
        for one in arrays:
            result[some] += one[some]

    over(add, even_slices(len(result)))
