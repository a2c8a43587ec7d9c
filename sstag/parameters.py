"""Where each weight stands in θ, and the linear map from weights to potentials with its transpose.

    θ = (unary pairs, steps between labels, begin, end, pairs of step attributes)
    u_t(y)     = Σ_{a at t} value·θ_{a,y} + [t first] begin_y + [t last] end_y
    e_t(y', y) = θ_{y',y} + Σ_{a of the step} value·θ_{a,y',y}

This is the only place that knows features: an objective's ∂/∂potentials comes back through `Gradient`, the exact
adjoint of `Weights`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.arrays import Bools, Floats, Ints, Longs
from sstag.chunks import Chunk
from sstag.dataset import Compiled, Dataset, Incidence, Pairs
from sstag.kernels.linear import add_gradient, add_scores
from sstag.passes import refuse_size
from sstag.potentials import Potentials

NO_VALUES: Floats = np.zeros(0)
MOST = 5  # an attribute with a fifth of the labels or more is faster as a row than as a list (measured at 22 labels)


@dataclass(frozen=True)
class PairMap:
    """The map of attribute weights to `width` scores, attributes with many of them in rows (`kernels.linear`)."""

    pairs: Pairs
    width: int

    @cached_property
    def row_of(self) -> Ints:  # (A,)
        many = np.diff(self.pairs.indptr) * MOST >= self.width
        return np.where(many, np.cumsum(many) - 1, -1).astype(np.int32)

    @cached_property
    def in_rows(self) -> tuple[Longs, Longs]:
        """The weights that stand in rows: their places in θ, and in the rows."""
        row = np.repeat(self.row_of, np.diff(self.pairs.indptr)).astype(np.int64)
        places = np.flatnonzero(row >= 0)
        return places, row[places] * self.width + self.pairs.labels[places]

    def empty_rows(self) -> Floats:
        return np.zeros((int(self.row_of.max(initial=-1)) + 1, self.width))

    def rows(self, theta: Floats) -> Floats:
        """The weights of the attributes that stand in rows."""
        rows = self.empty_rows()
        places, cells = self.in_rows
        rows.ravel()[cells] = theta[places]
        return rows

    def add_scores(self, theta: Floats, rows: Floats, first: Longs, incidence: Incidence, out: Floats) -> None:
        pairs, values = self.pairs, NO_VALUES if incidence.values is None else incidence.values
        add_scores(theta, pairs.indptr, pairs.labels, self.row_of, rows, first, incidence.indices, values, out)

    def add_gradient(self, d: Floats, first: Longs, incidence: Incidence, rows: Floats, gradient: Floats) -> None:
        pairs, values = self.pairs, NO_VALUES if incidence.values is None else incidence.values
        add_gradient(d, pairs.indptr, pairs.labels, self.row_of, rows, first, incidence.indices, values, gradient)


@dataclass(frozen=True)
class Parameters:
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


def parameters(compiled: Compiled) -> Parameters:
    """The weights that a compiled template has."""
    count = len(compiled.labels)
    edges = compiled.template.edges
    return Parameters(
        unary=PairMap(compiled.pairs, count),
        steps=compiled.label_pairs,
        begin=edges.begin,
        end=edges.end,
        edge=PairMap(compiled.edge_pairs, count * count),
    )


class Weights:
    """θ → potentials."""

    def __init__(self, parameters: Parameters, theta: Floats) -> None:
        self._parameters, self._part = parameters, parameters.parts(theta)
        self._rows = parameters.unary.rows(self._part["unary"])
        self._edge_rows = parameters.edge.rows(self._part["edge"])

    def potentials(self, data: Dataset, chunk: Chunk) -> Potentials:
        """The scores of a chunk."""
        p, part = self._parameters, self._part
        refuse_size(len(chunk.edge_index), p.labels, len(chunk.steps.indptr) - 1)
        unary = np.zeros((len(chunk.edge_index), p.labels))
        p.unary.add_scores(part["unary"], self._rows, _inside(data, chunk), data.unary, unary)
        if p.begin:
            unary[chunk.offsets[:-1]] += part["begin"]
        if p.end:
            unary[chunk.offsets[1:] - 1] += part["end"]
        edge = np.zeros((len(chunk.steps.indptr) - 1, p.labels, p.labels))
        edge[:, p.steps] = part["steps"]
        flat = edge.reshape(len(edge), -1)
        p.edge.add_scores(part["edge"], self._edge_rows, chunk.steps.indptr, chunk.steps, flat)
        return Potentials(unary, edge, chunk.edge_index, chunk.offsets)


class Gradient:
    """The sum of ∂objective/∂potentials over chunks, carried back to θ."""

    def __init__(self, parameters: Parameters) -> None:
        self._parameters, self._theta = parameters, np.zeros(parameters.size)
        self._part = parameters.parts(self._theta)
        self._rows, self._edge_rows = parameters.unary.empty_rows(), parameters.edge.empty_rows()

    def add(self, d: Potentials, data: Dataset, chunk: Chunk) -> None:
        """Adds what a chunk says."""
        p, part = self._parameters, self._part
        p.unary.add_gradient(d.unary, _inside(data, chunk), data.unary, self._rows, part["unary"])
        if p.begin:
            part["begin"] += d.unary[chunk.offsets[:-1]].sum(axis=0)
        if p.end:
            part["end"] += d.unary[chunk.offsets[1:] - 1].sum(axis=0)
        part["steps"] += d.edge.sum(axis=0)[p.steps]
        flat = d.edge.reshape(len(d.edge), -1)
        p.edge.add_gradient(flat, chunk.steps.indptr, chunk.steps, self._edge_rows, part["edge"])

    def total(self) -> Floats:
        """∂objective/∂θ."""
        result = self._theta.copy()
        part = self._parameters.parts(result)
        for pair_map, rows, name in (
            (self._parameters.unary, self._rows, "unary"),
            (self._parameters.edge, self._edge_rows, "edge"),
        ):
            places, cells = pair_map.in_rows
            part[name][places] += rows.ravel()[cells]
        return result


def _inside(data: Dataset, chunk: Chunk) -> Longs:
    return data.unary.indptr[chunk.tokens.start : chunk.tokens.stop + 1]
