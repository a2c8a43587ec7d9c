"""Where each weight stands in θ, and the linear map from weights to potentials with its transpose.

    θ = (unary pairs, steps between labels, begin, end, pairs of step attributes, dense)
    u_t(y)     = Σ_{a at t} value·θ_{a,y} + Σ_d x_{t,d} θ_{d,y} + [t first] begin_y + [t last] end_y
    e_t(y', y) = θ_{y',y} + Σ_{a of the step} value·θ_{a,y',y}

This is the only place that knows features: an objective's ∂/∂potentials comes back through `Gradient`, the exact
adjoint of `Weights`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.chain.buffers import Buffers
from sstag.chain.forward_backward import factor_edges, refuse_size
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.features.dense import Standard, WordTable
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Bools, Floats, Ints, Singles
from sstag.foundation.large_pages import zeros_together
from sstag.foundation.parallel import Over, even_slices, one_by_one
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.model.dense_weights import DenseTokens, DenseWords, TokenWeights
from sstag.model.sparse_weights import Entries, PairMap

if TYPE_CHECKING:
    from sstag.model.compiled import Compiled


@dataclass(frozen=True)
class WeightMap:
    """Which weights there are, in the order in which θ holds them."""

    unary: PairMap
    steps: Bools  # (L, L) the steps [from, to] that have a weight of their own
    begin: bool
    end: bool
    edge: PairMap  # of the attributes of steps; a label there is from·L + to
    dense: tuple[Standard, ...] = ()  # of each dense feature; every dimension has a weight for every label

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
            **({"dense": sum(len(one.mean) for one in self.dense) * self.labels} if self.dense else {}),
        }

    @property
    def size(self) -> int:
        return sum(self.sizes.values())

    def parts(self, theta: Floats) -> dict[str, Floats]:
        """θ by kind, as views."""
        bounds = np.cumsum([0, *self.sizes.values()])
        return {name: theta[bounds[i] : bounds[i + 1]] for i, name in enumerate(self.sizes)}

    def dense_parts(self, dense: Floats) -> list[Floats]:
        """The weights of each dense feature, as views of (D, L)."""
        bounds = np.cumsum([0, *(len(one.mean) for one in self.dense)]) * self.labels
        return [dense[begin:end].reshape(-1, self.labels) for begin, end in pairwise(bounds.tolist())]


def weight_map(compiled: "Compiled") -> WeightMap:
    """The weights that a compiled template has."""
    count = len(compiled.labels)
    edges = compiled.template.edges
    return WeightMap(
        unary=PairMap(compiled.pairs, count),
        steps=compiled.label_pairs,
        begin=edges.begin,
        end=edges.end,
        edge=PairMap(compiled.edge_pairs, count * count),
        dense=compiled.dense,
    )


@dataclass(frozen=True)
class DataMap:
    """The linear map between weights and the potentials of a dataset.

    The rows of its table are those of attributes, those of words with numbers, and those of bundles. Where each batch
    is looked at `once`, what its tokens add up is listed for it alone, and so stays in the cache.
    """

    weight_map: WeightMap
    data: Dataset
    once: bool = False

    def of_tokens(self, batch: Batch) -> Entries:
        """The rows and pairs whose weights are added up for each token of a batch."""
        return self._listed(self.data.unary.part(batch.tokens)) if self.once else self.tokens.part(batch.tokens)

    @cached_property
    def tokens(self) -> Entries:
        """The rows and pairs whose weights are added up for each token."""
        return self._listed(self.data.unary)

    def _listed(self, attributes: Incidence) -> Entries:
        return self.weight_map.unary.entries(attributes, self._every_row)

    @cached_property
    def _every_row(self) -> Ints:
        rows, _ = self.rows
        return self._row_of(rows)

    @cached_property
    def bundles(self) -> Entries | None:
        """The rows and pairs whose weights are added up for each bundle."""
        if self.data.bundles is None:
            return None
        return self.weight_map.unary.entries(self.data.bundles, self._row_of(self.first_bundle))

    def _row_of(self, rows: int) -> Ints:
        """The row of each attribute, and of whatever has one after them."""
        own, _ = self.weight_map.unary.rows_shape
        return np.append(self.weight_map.unary.row_of, np.arange(own, rows, dtype=np.int32))

    @property
    def first_bundle(self) -> int:
        """The row of the first bundle."""
        own, _ = self.weight_map.unary.rows_shape
        return own + self.data.rows_of_words

    @cached_property
    def dense(self) -> list[DenseWords | DenseTokens]:
        """The dense features, and where the scores of words stand in the table."""
        first, _ = self.weight_map.unary.rows_shape
        result: list[DenseWords | DenseTokens] = []
        for block, standard in zip(self.data.dense, self.weight_map.dense, strict=True):
            if isinstance(block, WordTable):
                result.append(DenseWords(block, standard, slice(first, first + len(block.numbers))))
                first += len(block.numbers)
            else:
                result.append(DenseTokens(block, standard))
        return result

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
        """The shape of a table for the rows of attributes, of words, and of bundles."""
        bundles = self.data.bundles.rows if self.data.bundles else 0
        return self.first_bundle + bundles, self.weight_map.unary.rows_shape[1]

    def weighing(self, part: dict[str, Floats], rows: Floats) -> "Weighing":
        """Weights or a gradient as the core takes them."""
        begin, end = (part[name] if len(part[name]) else None for name in ("begin", "end"))
        return Weighing(part["unary"], rows, begin, end)


class Weighing(NamedTuple):
    """Weights of nodes, or their gradient (`chain/core/likelihood.h`)."""

    theta: Floats  # of pairs
    rows: Floats
    begin: Floats | None  # (L,)
    end: Floats | None  # (L,)


class Weights:
    """θ → potentials of a dataset."""

    def __init__(self, of: DataMap, theta: Floats, over: Over = one_by_one) -> None:
        self.of = of
        if not of.once:
            _ = of.tokens  # made before threads ask for it
        kept = 0 if of.once else of.weight_map.size  # where θ does not change it needs no memory of its own
        self._theta, self._rows = zeros_together((kept,), of.rows)
        if of.once:
            self._theta = theta
        self._part = of.weight_map.parts(self._theta)
        self.weighing = of.weighing(self._part, self._rows)
        self._steps = np.zeros((of.weight_map.labels, of.weight_map.labels))
        self.take(theta, over)

    def take(self, theta: Floats, over: Over = one_by_one) -> None:
        """Takes other weights, into the memory of those before."""
        of, part = self.of, self._part
        if theta is not self._theta:
            self._theta[:] = theta
        of.weight_map.unary.fill_rows(part["unary"], self._rows)
        self._edge_rows = of.weight_map.edge.rows(part["edge"])
        self._steps[of.weight_map.steps] = part["steps"]
        self.plain_edges = factor_edges(self._steps[None])  # of steps without attributes
        dense = of.weight_map.dense_parts(part["dense"]) if of.weight_map.dense else []
        self._tokens: list[tuple[int, DenseTokens, Singles]] = []
        for place, (one, weights) in enumerate(zip(of.dense, dense, strict=True)):
            if isinstance(one, DenseTokens):
                self._tokens.append((place, one, one.weights(weights)))
            else:
                one.put_scores(weights, self._rows[one.rows], over)
        if of.bundles:
            single, sums, bundles = self._rows[: of.first_bundle], self._rows[of.first_bundle :], of.bundles
            over(lambda some: bundles.part(some).scores(part["unary"], single, sums[some]), even_slices(len(sums)))

    def lattice(self, batch: Batch, allowed: Bools | None = None, buffers: Buffers | None = None) -> Lattice:
        """The distribution over the labels of a batch; in `buffers` it lives until they restart."""
        plain = None if len(batch.steps.indices) else self.plain_edges
        return Lattice(self.potentials(batch, buffers), allowed, edges=plain, buffers=buffers)

    def potentials(self, batch: Batch, buffers: Buffers | None = None) -> Potentials:
        """The scores of a batch."""
        p, part = self.of.weight_map, self._part
        self.refuse_size(batch)
        tokens = len(batch.edge_index)
        unary = (buffers or Buffers()).take(tokens, p.labels)
        if self._tokens:  # first, as in the core
            unary.fill(0.0)
            for one in self.numbers(batch, None):
                _core.token_scores(one, unary)
            self.of.of_tokens(batch).add_scores(part["unary"], self._rows, unary)
        else:
            self.of.of_tokens(batch).scores(part["unary"], self._rows, unary)
        if p.begin:
            unary[batch.offsets[:-1]] += part["begin"]
        if p.end:
            unary[batch.offsets[1:] - 1] += part["end"]
        return Potentials.laid_out(unary, self.edges(batch), batch.edge_index, batch.offsets)

    def numbers(self, batch: Batch, gradient: "Gradient | None") -> tuple[TokenWeights, ...]:
        """The numbers of the tokens of a batch with their weights, and with what a gradient adds up."""
        return tuple(
            one.part(batch.tokens, weights, gradient.dense[place] if gradient else None)
            for place, one, weights in self._tokens
        )

    def refuse_size(self, batch: Batch) -> None:
        """Raises an error if the lattice of a batch would be too large."""
        refuse_size(len(batch.edge_index), self.of.weight_map.labels, batch.steps.rows)

    def edges(self, batch: Batch) -> Floats:
        """The scores of steps, (K, L, L)."""
        edge = self._steps[None]
        if len(batch.steps.indices):
            edge = np.repeat(edge, batch.steps.rows, axis=0)
            self.of.steps(batch).add_scores(self._part["edge"], self._edge_rows, edge.reshape(len(edge), -1))
        return edge


class Gradient:
    """The sum of ∂objective/∂potentials over batches of a dataset, on its way back to θ."""

    def __init__(self, of: DataMap) -> None:
        self.of = of
        self.theta, self.rows = zeros_together((of.weight_map.size,), of.rows)
        self.edge_rows = np.zeros(of.weight_map.edge.rows_shape)
        self.dense = [one.no_slopes(of.weight_map.labels) for one in of.dense]
        self._part = of.weight_map.parts(self.theta)
        self.weighing = of.weighing(self._part, self.rows)

    def clear(self) -> None:
        """Sets all sums back to 0."""
        for array in (self.theta, self.rows, self.edge_rows, *self.dense):
            array.fill(0.0)

    def add(self, d: Potentials, batch: Batch) -> None:
        """Adds a batch's ∂objective/∂potentials, mapped back to the weights."""
        of, p, part = self.of, self.of.weight_map, self._part
        of.of_tokens(batch).add_gradient(d.unary, self.rows, part["unary"])
        for one, sums in zip(of.dense, self.dense, strict=True):
            if isinstance(one, DenseTokens):
                _core.token_slopes(one.part(batch.tokens, None, sums), d.unary)
        if p.begin:
            part["begin"] += d.unary[batch.offsets[:-1]].sum(axis=0)
        if p.end:
            part["end"] += d.unary[batch.offsets[1:] - 1].sum(axis=0)
        self.add_edges(d.edge, batch)

    def add_edges(self, d: Floats, batch: Batch) -> None:
        """Adds ∂objective/∂ scores of steps, (K, L, L)."""
        self._part["steps"] += d.sum(axis=0)[self.of.weight_map.steps]
        if len(batch.steps.indices):
            self.of.steps(batch).add_gradient(d.reshape(len(d), -1), self.edge_rows, self._part["edge"])


def total(gradients: Sequence[Gradient], over: Over = one_by_one, curvature: bool = False) -> Floats:
    """∂objective/∂θ from the parts of one dataset, summed in their order, into the arrays of the first.

    Of a curvature, which is summed as slopes are, each weight of a dense feature has what its numbers have together.
    """
    first = gradients[0]
    of, p, theta, rows, edge_rows = first.of, first.of.weight_map, first.theta, first.rows, first.edge_rows
    for result, *others in (
        *([getattr(one, name) for one in gradients] for name in ("theta", "rows", "edge_rows")),
        *zip(*(one.dense for one in gradients), strict=True),
    ):
        _add(others, result, over)
    part = p.parts(theta)
    if of.bundles:
        of.bundles.add_gradient(rows[of.first_bundle :], rows[: of.first_bundle], part["unary"])
    for pair_map, found, name in ((p.unary, rows, "unary"), (p.edge, edge_rows, "edge")):
        pair_map.add_from_rows(found, part[name])
    for one, sums, weights in zip(of.dense, first.dense, p.dense_parts(part.get("dense", theta[:0])), strict=True):
        if isinstance(one, DenseWords):
            one.add_slopes(rows[one.rows], sums, over)
        weights += one.curvature(sums) if curvature else one.gradient(sums)
    return theta


def _add(arrays: Sequence[Floats], result: Floats, over: Over) -> None:
    """Adds arrays to `result` in their order, which does not depend on the number of threads."""

    def add(some: slice) -> None:
        for one in arrays:
            result[some] += one[some]

    over(add, even_slices(len(result)))
