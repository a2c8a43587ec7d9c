"""Steps of a label column: each pair of neighbours once, with how often it is there and where first.

Whether a column is well-formed, and which scheme it follows, can be told from its steps. They are few, however long the
file is, so nothing that is as long needs to be kept.
"""

from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs

EDGE = -1  # stands before the first token of a sentence, unless another number is asked for
MOST = 2**20  # numbers of steps for which there is a table; more are sorted


@dataclass(frozen=True)
class Steps:
    """Steps: the code before a token, its own, whether it is the last of its sentence; their number; the first one."""

    before: Longs  # (P,)
    here: Longs  # (P,)
    last: Bools  # (P,)
    count: Longs  # (P,)
    first: Longs  # (P,) the number of the token, or what it stands on
    of: Ints | None = None  # (T,) the step of each token


def steps_of(codes: Ints | Longs, offsets: Longs, edge: int = EDGE) -> Steps:
    """The distinct steps of some sentences, whose codes are numbers from -1."""
    before, last = np.full(len(codes), edge, np.int64), np.zeros(len(codes), np.int64)
    before[1:] = codes[:-1]
    before[offsets[:-1]] = edge
    last[offsets[1:] - 1] = 1
    known = max(int(codes.max(initial=-1)), edge) + 2
    keys = ((before + 1) * known + codes + 1) * 2 + last
    if 2 * known * known <= MOST:
        table = np.bincount(keys, minlength=2 * known * known)
        found = np.flatnonzero(table)
        number = np.zeros(len(table), np.int32)
        number[found] = np.arange(len(found))
        of, count = number[keys], table[found]
    else:
        found, of, count = np.unique(keys, return_inverse=True, return_counts=True)
    first = np.zeros(len(found), np.int64)
    first[of[::-1]] = np.arange(len(codes))[::-1]  # of places that are assigned to twice, the last number stays
    steps = found // 2
    return Steps(steps // known - 1, steps % known - 1, found % 2 == 1, count, first, of)


class StepCounter:
    """The distinct steps of a column that arrives block after block."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int, bool], list[int]] = {}  # → count, line of the first

    def add(self, codes: Ints, offsets: Longs, lines: Longs) -> None:
        """Counts the steps of a block, whose tokens stand on these lines."""
        some = steps_of(codes, offsets)
        columns = (some.before, some.here, some.last, some.count, lines[some.first])
        for before, here, last, count, line in zip(*(one.tolist() for one in columns), strict=True):
            self._found.setdefault((before, here, last), [0, line])[0] += count

    def steps(self) -> Steps:
        """The steps so far; `first` are lines of the file."""
        keys, counts = list(self._found), list(self._found.values())
        before, here, last = (np.array([key[n] for key in keys], np.int64) for n in range(3))
        count, first = (np.array([one[n] for one in counts], np.int64) for n in range(2))
        return Steps(before, here, last.astype(bool), count, first)
