"""Rows of different lengths in one array: row r is entries offsets[r]:offsets[r + 1].

Sentences are rows of tokens, and tokens are rows of attributes. With rows of 2, 0 and 3 entries,

    offsets                        [0, 2, 2, 5]
    row_of_each(offsets)           [0, 0, 2, 2, 2]      the row of each entry
    place_in_row(offsets)          [0, 1, 0, 1, 2]      the place of each entry in its row
    rows_of(offsets, [2, 0])       [0, 3, 5], [2, 3, 4, 0, 1]
"""

import numpy as np

from sstag.foundation.arrays import Ints, Longs


def offsets_of(sizes: Longs) -> Longs:
    """The offsets of rows of these sizes."""  # (R + 1,)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def sentences_of(offsets: Longs, tokens: Longs) -> Longs:
    """The sentence of each of some tokens; of those that follow an empty row, the row that has them."""
    return np.searchsorted(offsets, tokens, side="right") - 1


def sentence_of(offsets: Longs, token: int) -> int:
    """The sentence of a token."""
    return int(np.searchsorted(offsets, token, side="right")) - 1


def end_of_run(offsets: Longs, start: int, most: int) -> int:
    """The sentence that ends a run from sentence `start`: as many as have at most so many tokens, but at least one."""
    return max(sentence_of(offsets, int(offsets[start]) + most), start + 1)


def row_of_each(offsets: Longs) -> Longs:
    """The row of each entry."""  # (N,)
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def place_in_row(offsets: Longs) -> Longs:
    """The place of each entry in its row, from 0."""  # (N,)
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def rows_of(offsets: Longs, rows: Ints | Longs) -> tuple[Longs, Longs]:
    """Some rows one after another, in any order and as often as they are named: their offsets, and their entries.

    The entries are places in the old array, row by row: `values[entries]` are the values in the new one.
    """
    sizes = np.diff(offsets)[rows]
    moved = offsets_of(sizes)
    # Within a row old and new places grow together, so that what lies between them is repeated.
    return moved, np.repeat(offsets[rows] - moved[:-1], sizes) + np.arange(moved[-1])
