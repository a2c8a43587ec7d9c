"""The weights of attributes, and what each token adds up of them: the sparse half of the map to potentials."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sstag.chain.kernels.linear import add_gradient, add_scores, count_entries, list_entries
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.model.compiled import Pairs

NO_VALUES: Floats = np.zeros(0)
MOST = 5  # an attribute with a fifth of the labels or more is faster as a row than as a list (measured at 22 labels)


@dataclass(frozen=True)
class PairMap:
    """The map of attribute weights to `width` scores; attributes with many weights stand in rows (`kernels.linear`)."""

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

    @cached_property
    def rows_shape(self) -> tuple[int, int]:
        return int(self.row_of.max(initial=-1)) + 1, self.width

    def rows(self, theta: Floats) -> Floats:
        """The weights of the attributes that stand in rows."""
        rows = np.zeros(self.rows_shape)
        places, cells = self.in_rows
        rows.ravel()[cells] = theta[places]
        return rows

    def entries(self, incidence: Incidence, row_of: Ints | None = None) -> "Entries":
        """The weights to add up for each row of an incidence; attributes beyond those of the map are rows as well."""
        places = self.row_of if row_of is None else row_of
        values = NO_VALUES if incidence.values is None else incidence.values
        row_first, pair_first = np.empty((2, incidence.rows + 1), np.int64)
        count_entries(self.pairs.indptr, places, incidence.indptr, incidence.indices, row_first, pair_first)
        rows, pairs, labels = (np.empty(size, np.int32) for size in (row_first[-1], pair_first[-1], pair_first[-1]))
        weighed = len(values) > 0
        row_values, pair_values = (np.empty(len(one) if weighed else 0) for one in (rows, pairs))
        list_entries(
            self.pairs.indptr, self.pairs.labels, places, incidence.indptr, incidence.indices, values,
            rows, row_values, pairs, labels, pair_values,
        )  # fmt: skip
        return Entries(row_first, rows, row_values, pair_first, pairs, labels, pair_values)


class Entries(NamedTuple):
    """For each row of an incidence its attributes, as rows of a table and as pairs (`kernels.linear`)."""

    row_first: Longs  # (N + 1,)
    rows: Ints
    row_values: Floats  # empty where all are 1
    pair_first: Longs  # (N + 1,)
    pairs: Ints  # places in θ
    labels: Ints
    pair_values: Floats

    def part(self, some: slice) -> "Entries":
        """The entries of some rows, which must be one after another."""
        inside = slice(some.start, some.stop + 1)
        return self._replace(row_first=self.row_first[inside], pair_first=self.pair_first[inside])

    def add_scores(self, theta: Floats, table: Floats, out: Floats) -> None:
        add_scores(theta, table, *self, out)

    def add_gradient(self, d: Floats, table: Floats, gradient: Floats) -> None:
        add_gradient(d, *self, table, gradient)


def rows_only(incidence: Incidence) -> Entries:
    """The entries of an incidence all of whose attributes are rows of a table."""
    values = NO_VALUES if incidence.values is None else incidence.values
    none = np.zeros(0, np.int32)
    return Entries(incidence.indptr, incidence.indices, values, np.zeros_like(incidence.indptr), none, none, NO_VALUES)
