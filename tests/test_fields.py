"""Columns of files as codes: what the core finds is what `bytes.split` and a dictionary find."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.chain import _core
from sstag.corpus.coding import Coded, Coder


@pytest.mark.parametrize("secret", [0, 2**63 - 1, 1234567890123456789])
@given(st.lists(st.lists(st.text("ab é\t\r\v\f\x85", max_size=12), max_size=6)), st.integers(0, 4))
def test_fields_of_lines_are_those_that_split_finds(secret, sentences, width):
    text = "\n".join("\n".join(lines) for lines in sentences).encode()
    lines = text.split(b"\n")
    begins, widths = np.empty(len(lines), np.int64), np.empty(len(lines), np.int32)
    _core.scan_lines(text, begins, widths)
    assert widths.tolist() == [len(line.split()) for line in lines]
    assert [text[begin:].split()[0] for begin, n in zip(begins.tolist(), widths.tolist(), strict=True) if n] == [
        line.split()[0] for line in lines if line.split()
    ]

    rows = np.flatnonzero(widths >= width).astype(np.int32)
    codes, places = np.empty((width, len(rows)), np.int32), np.empty((width, len(rows), 2), np.int64)
    distinct = np.empty(width, np.int64)
    _core.code_fields(text, rows, secret, codes, places, distinct)
    for column in range(width):
        values = [lines[row].split()[column] for row in rows.tolist()]
        known = list(dict.fromkeys(values))
        assert distinct[column] == len(known)
        assert [text[begin:end] for begin, end in places[column, : len(known)].tolist()] == known
        assert codes[column].tolist() == list(map(known.index, values))


def test_a_table_of_texts_grows():
    words = [b"%d" % (i * i % 70001) for i in range(100_000)]
    codes, places = np.empty((1, len(words)), np.int32), np.empty((1, len(words), 2), np.int64)
    distinct = np.empty(1, np.int64)
    _core.code_fields(b"\n".join(words), np.arange(len(words), dtype=np.int32), 3, codes, places, distinct)
    number = {word: code for code, word in enumerate(dict.fromkeys(words))}
    assert distinct.tolist() == [len(number)]
    assert codes[0].tolist() == list(map(number.__getitem__, words))


def test_lines_beyond_a_text_have_empty_fields():
    codes, places, distinct = np.empty((1, 2), np.int32), np.empty((1, 2, 2), np.int64), np.empty(1, np.int64)
    _core.code_fields(b"one\ntwo", np.array([1, 2**31 - 1], np.int32), 3, codes, places, distinct)
    assert distinct.tolist() == [2]
    assert places[0].tolist() == [[4, 7], [7, 7]]


@given(st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), min_size=1), st.integers(0, 9), st.integers(0, 9))
def test_a_part_of_a_coded_column_is_coded_as_if_it_were_the_whole(values, begin, end):
    distinct = list(dict.fromkeys(values))
    column = Coded(distinct, np.array(list(map(distinct.index, values)), np.int32))
    part = column[begin:end]
    assert [*column] == values
    assert column[-1] == values[-1]
    assert [*part] == values[begin:end]
    assert part.distinct == list(dict.fromkeys(values[begin:end]))


def test_a_coder_codes_lists_and_coded_columns_alike():
    first, second = [b"x", b"y", b"x"], [b"z", b"y", b"w", b"z"]
    coder, other = Coder(), Coder()
    told = [coder.of(first), coder.of(second)]
    coded = [Coded([b"x", b"y"], np.array([0, 1, 0])), Coded([b"z", b"y", b"w"], np.array([0, 1, 2, 0]))]
    assert [other.of(column).tolist() for column in coded] == [codes.tolist() for codes in told]
    assert other.texts() == coder.texts() == ["x", "y", "z", "w"]
