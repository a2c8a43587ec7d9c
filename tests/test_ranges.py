"""Index algebra of rows in one array, against lists of lists."""

from itertools import accumulate, product

import numpy as np
import pytest

from sstag.foundation.ranges import (
    end_of_run,
    offsets_of,
    place_in_row,
    row_of_each,
    rows_of,
    sentence_of,
    sentences_of,
)

SIZES = [sizes for rows in range(5) for sizes in product(range(4), repeat=rows)]


def entries(sizes: tuple[int, ...]) -> list[list[int]]:
    """The places of the entries of each row."""
    ends = list(accumulate(sizes))
    return [list(range(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


@pytest.mark.parametrize("rows", range(5))
def test_rows_are_those_of_lists(rows: int) -> None:
    for sizes in product(range(4), repeat=rows):
        lists, offsets = entries(sizes), offsets_of(np.array(sizes, np.int64))
        assert offsets.tolist() == [0, *accumulate(sizes)]
        owner = [row for row, places in enumerate(lists) for _ in places]
        assert row_of_each(offsets).tolist() == owner
        assert place_in_row(offsets).tolist() == [place for places in lists for place in range(len(places))]
        assert sentences_of(offsets, np.arange(sum(sizes))).tolist() == owner
        assert [sentence_of(offsets, token) for token in range(sum(sizes))] == owner


@pytest.mark.parametrize("sizes", [sizes for sizes in SIZES if len(sizes) in (1, 3)])
def test_rows_in_any_order_are_those_of_lists(sizes: tuple[int, ...]) -> None:
    lists, offsets = entries(sizes), offsets_of(np.array(sizes, np.int64))
    for count in range(4):
        for rows in product(range(len(sizes)), repeat=count):
            moved, places = rows_of(offsets, np.array(rows, np.int64))
            assert moved.tolist() == [0, *accumulate(sizes[row] for row in rows)]
            assert places.tolist() == [place for row in rows for place in lists[row]]


@pytest.mark.parametrize("most", range(8))
def test_runs_are_as_long_as_they_may_be(most: int) -> None:
    for sizes in product(range(1, 4), repeat=3):
        offsets = offsets_of(np.array(sizes, np.int64))
        for start in range(3):
            fitting = [stop for stop in range(start + 1, 4) if sum(sizes[start:stop]) <= most]
            assert end_of_run(offsets, start, most) == max(fitting, default=start + 1)


def test_indices_are_of_64_bits() -> None:
    offsets = offsets_of(np.array([2, 1], np.int32))
    moved, places = rows_of(offsets, np.array([1]))
    for array in (offsets, moved, places, row_of_each(offsets), place_in_row(offsets)):
        assert array.dtype == np.int64
