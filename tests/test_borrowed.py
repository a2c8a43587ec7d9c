"""Labels of another file at the tokens of a corpus, beside characters looked at one by one; and convert --join."""

import json
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.foundation.errors import DataError
from sstag.labels.borrowed import borrowed
from sstag.labels.marks import PLAIN
from tests.commands import sstag
from tests.datasets import corpus

COLUMNS = ("word", "label")


def labels_of(ours, theirs) -> list[str]:
    given = corpus([[(word,) for word in words] for words in ours], ("word",))
    return borrowed(given, corpus(theirs, COLUMNS), "label", PLAIN)


def test_the_same_tokens_keep_any_label():
    assert labels_of([["a", "b"], ["c"]], [[("a", "X|Y"), ("b", "?")], [("c", "I-PER")]]) == ["X|Y", "?", "I-PER"]


def test_sentences_may_end_elsewhere():
    assert labels_of([["a", "b", "c"]], [[("a", "X")], [("b", "Y"), ("c", "X")]]) == ["X", "Y", "X"]


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        # A token that shares a character with a chunk is in it.
        ([["U.S.-born"]], [[("U.S.", "B-LOC"), ("-", "O"), ("born", "O")]], ["B-LOC"]),
        ([["New", "York-based"]], [[("New", "B-LOC"), ("York", "I-LOC"), ("-based", "O")]], ["B-LOC", "I-LOC"]),
        ([["AB", "C"]], [[("A", "O"), ("BC", "B-X")]], ["B-X", "I-X"]),
        # Of two chunks in a token the earlier one counts, and the later one begins where it is alone.
        ([["AB", "C"]], [[("A", "B-X"), ("B", "B-Y"), ("C", "I-Y")]], ["B-X", "B-Y"]),
        ([["A", "B"]], [[("A", "B-X"), ("B", "B-X")]], ["B-X", "B-X"]),
        # A chunk does not go on in the next sentence.
        ([["A"], ["B"]], [[("AB", "B-X")]], ["B-X", "B-X"]),
        ([["A", "B"]], [[("AB", "O")]], ["O", "O"]),
        # Plain labels go to what begins in them.
        ([["don't", "go"]], [[("do", "V"), ("n't", "R"), ("go", "V")]], ["V", "V"]),
        ([["do", "n't"]], [[("don't", "V")]], ["V", "V"]),
        # Blanks do not count.
        ([["1 000", "x"]], [[("1", "B-N"), ("000", "I-N"), ("x", "O")]], ["B-N", "O"]),
    ],
)
def test_other_tokens_have_the_labels_of_their_characters(ours, theirs, expected):
    assert labels_of(ours, theirs) == expected


TEXT = "abcdefghijkl"


def cut(bounds: list[int]) -> list[str]:
    edges = [0, *sorted(set(bounds)), len(TEXT)]
    return [TEXT[a:b] for a, b in pairwise(edges) if a < b]


BOUNDS = st.lists(st.integers(1, len(TEXT) - 1), max_size=8)


@given(BOUNDS, BOUNDS, st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y"]), min_size=12, max_size=12))
def test_chunks_are_those_of_the_characters(first, second, tags):
    ours, theirs = cut(first), cut(second)
    labels = [tag if tag != "I-X" or (i and tags[i - 1][2:] == "X") else "O" for i, tag in enumerate(tags)]
    labels = labels[: len(theirs)]
    for i in range(1, len(labels)):  # no chunk goes on from nothing
        if labels[i] == "I-X" and labels[i - 1][2:] != "X":
            labels[i] = "B-X"
    labels[0] = "B-X"  # some chunk, so that the labels are tags
    chunk, kinds = [], []
    for word, label in zip(theirs, labels, strict=True):
        if label[0] == "B":
            kinds.append(label[2:])
        chunk += [len(kinds) - 1 if label != "O" else None] * len(word)
    expected, before = [], None
    for word, end in zip(ours, accumulate(map(len, ours)), strict=True):
        here = next((one for one in chunk[end - len(word) : end] if one is not None), None)
        expected.append("O" if here is None else f"{'I' if here == before else 'B'}-{kinds[here]}")
        before = here
    if ours != theirs:
        assert labels_of([ours], [list(zip(theirs, labels, strict=True))]) == expected


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ([["a", "b", "c"]], ["a", "x", "c"], "2: 'bc' stands here, and 'xc' in .*2: not the same text"),
        ([["a", "b"]], ["a"], "'b' stands here, and 'nothing more'"),
        ([["a"]], ["a", "b"], "'' stands here, and 'b'"),
    ],
)
def test_texts_that_differ_are_told_where(ours, theirs, message, tmp_path):
    (tmp_path / "a").write_text("\n".join(ours[0]) + "\n")
    (tmp_path / "b").write_text("".join(f"{word} O\n" for word in theirs))
    ran = sstag("convert", "a", "--no-label", "--join", "x=b", cwd=tmp_path)
    assert ran.returncode == 1
    with pytest.raises(DataError, match=message):
        raise DataError(ran.stderr.strip())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.txt").write_text("Ann B-PER\nLee I-PER\n's O\n\nParis B-LOC\n")
    record = {"text": "Ann Lee's Paris", "label": [[0, 7, "PERSON"], [10, 15, "GPE"]]}
    (tmp_path / "spans.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "tags.txt").write_text("Ann NNP\nLee NNP\n's POS\n\nParis NNP\n")
    return tmp_path


def test_convert_joins_columns_before_the_label(folder):
    ran = sstag("convert", "--join", "ner=spans.jsonl", "--join", "pos=tags.txt", "train.txt", cwd=folder)
    assert ran.stdout == ("Ann B-PERSON NNP B-PER\nLee I-PERSON NNP I-PER\n's O POS O\n\nParis B-GPE NNP B-LOC\n")
    raw = sstag("convert", "--no-label", "--join", "tag=tags.txt", "--keep", "word,tag", "-", cwd=folder)
    assert (raw.returncode, "standard input" in raw.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--join", "spans.jsonl"], "'spans.jsonl': write NAME=FILE", 2),
        (["--join", "word=spans.jsonl"], "has a column 'word' already", 2),
        (["--join", "x=absent"], "absent: no such file", 1),
        (["--join", "x=spans.jsonl", "--to-format", "prodigy"], "--join needs FILE", 2),
        (["--join", "x=spans.jsonl", "-o", "spans.jsonl"], "would be overwritten", 1),
    ],
)
def test_mistakes_are_said(folder, arguments, message, code):
    ran = sstag("convert", *arguments, "train.txt", cwd=folder)
    assert (ran.returncode, message in ran.stderr) == (code, True), ran.stderr
