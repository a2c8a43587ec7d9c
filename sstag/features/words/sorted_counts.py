"""Counts of numbers, sorted, so that those of the parts of a text are added up without a table of all."""

from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Ints, Longs


@dataclass(frozen=True, eq=False)
class SortedCounts:
    """Distinct numbers, ascending, and how often each was seen."""

    numbers: Longs
    times: Longs

    def __add__(self, other: "SortedCounts") -> "SortedCounts":
        both = np.concatenate([self.numbers, other.numbers])
        order = np.argsort(both, kind="stable")
        both, times = both[order], np.concatenate([self.times, other.times])[order]
        starts = np.flatnonzero(np.diff(both, prepend=-1))
        return SortedCounts(both[starts], np.add.reduceat(times, starts)) if len(starts) else self


def counts_of(numbers: Longs | Ints) -> SortedCounts:
    """How often each of some numbers, none of them negative, is there."""
    distinct, times = np.unique(numbers.astype(np.int64), return_counts=True)
    return SortedCounts(distinct, times)
