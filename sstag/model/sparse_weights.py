"""The weights of attributes, and what each token adds up of them: the sparse half of the map to potentials."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.chain.forward_backward import whole_vectors
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Ints, Longs

MOST = 5  # an attribute with a fifth of the labels or more is faster as a row than as a list (measured at 22 labels)


@dataclass(frozen=True)
class Pairs:
    """The labels each attribute has a weight for: attribute a has labels[indptr[a]:indptr[a + 1]], ascending."""

    indptr: Longs  # (A + 1,)
    labels: Ints  # (W,)


@dataclass(frozen=True)
class PairMap:
    """The map of attribute weights to `width` scores; attributes with many weights stand in rows of a table."""

    pairs: Pairs
    width: int

    @cached_property
    def row_of(self) -> Ints:  # (A,)
        many = np.diff(self.pairs.indptr) * MOST >= self.width
        return np.where(many, np.cumsum(many) - 1, -1).astype(np.int32)

    @cached_property
    def rows_shape(self) -> tuple[int, int]:
        """The number of rows, and that of their columns: whole vectors, with 0 where there is no weight."""
        return int(self.row_of.max(initial=-1)) + 1, whole_vectors(self.width)

    def rows(self, theta: Floats) -> Floats:
        """The weights of the attributes that stand in rows."""
        rows = np.zeros(self.rows_shape)
        self.fill_rows(theta, rows)
        return rows

    def fill_rows(self, theta: Floats, rows: Floats) -> None:
        """Puts the weights of these attributes into the first rows of a table, whose other columns are 0."""
        _core.fill_rows(self.pairs.indptr, self.pairs.labels, self.row_of, theta, rows)

    def add_from_rows(self, rows: Floats, gradient: Floats) -> None:
        """Adds what a gradient has in the rows of these attributes to what it has of their weights."""
        _core.add_from_rows(self.pairs.indptr, self.pairs.labels, self.row_of, rows, gradient)

    def entries(self, incidence: Incidence, row_of: Ints | None = None) -> "Entries":
        """The weights to add up for each row of an incidence; attributes beyond those of the map are rows as well."""
        places = self.row_of if row_of is None else row_of
        row_first, pair_first = np.empty((2, incidence.rows + 1), np.int64)
        bounds, indptr, indices, values = self.pairs.indptr, incidence.indptr, incidence.indices, incidence.values
        _core.count_entries(bounds, places, indptr, indices, row_first, pair_first)
        rows, pairs, labels = (np.empty(size, np.int32) for size in (row_first[-1], pair_first[-1], pair_first[-1]))
        row_values, pair_values = (None if values is None else np.empty(len(one)) for one in (rows, pairs))
        _core.list_entries(
            bounds, self.pairs.labels, places, indptr, indices, values, rows, row_values, pairs, labels, pair_values
        )
        return Entries(row_first, rows, row_values, pair_first, pairs, labels, pair_values)


class Entries(NamedTuple):
    """For each row of an incidence its attributes, as rows of a table and as pairs (`chain/core/sparse.h`)."""

    row_first: Longs  # (N + 1,)
    rows: Ints
    row_values: Floats | None  # None where all are 1
    pair_first: Longs  # (N + 1,)
    pairs: Ints  # places in θ
    labels: Ints
    pair_values: Floats | None

    def part(self, some: slice) -> "Entries":
        """The entries of some rows, which must be one after another."""
        inside = slice(some.start, some.stop + 1)
        return self._replace(row_first=self.row_first[inside], pair_first=self.pair_first[inside])

    def scores(self, theta: Floats, table: Floats, out: Floats) -> None:
        """Puts into each row of `out` the sum of the weights and rows of a table that belong to it."""
        _core.scores(self, theta, table, out, False)

    def add_scores(self, theta: Floats, table: Floats, out: Floats) -> None:
        """Adds what each row of the incidence adds up of weights and of rows of a table."""
        _core.scores(self, theta, table, out, True)

    def add_gradient(self, d: Floats, table: Floats, gradient: Floats) -> None:
        """Adds each row of d to what it was added up from: the transposed map."""
        _core.gradient(self, d, table, gradient)


def rows_only(incidence: Incidence) -> Entries:
    """The entries of an incidence all of whose attributes are rows of a table."""
    values = incidence.values
    none, no_pairs = np.zeros(0, np.int32), np.zeros_like(incidence.indptr)
    no_values = None if values is None else np.zeros(0)
    return Entries(incidence.indptr, incidence.indices, values, no_pairs, none, none, no_values)
