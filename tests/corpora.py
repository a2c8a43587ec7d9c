"""Corpora made from lists of tokens, and Hypothesis strategies for small ones in which everything collides."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from sstag.corpus.corpus import Corpus
from tests.reference import Sentence, Token

COLUMNS = ("word", "pos", "length", "label")
WORDS = ("a", "b", "A", "ab", "a/b", "a|b", "b|", "|", "=", "_B-1", "_B+1", "", "aB2", "é", "你好", "U")
POS = ("x", "y", "x|y", "x/y", "_B-1")
NARROW = ("a", "b", "ab", "ba", "a/b", "/")  # of which few make the same texts in many ways
NUMBERS = ("1", "0", "-2.5", "1e2", ".5")
ALLOWED = {
    "A": "A",
    "B": "B",
    "C": "C",
    "A|B": "AB",
    "!A": "BC",
    "!A|C": "B",
    "?": "ABC",
    "C|B|A": "ABC",
}  # what a cell of the label column says, if there are the labels A, B and C


def corpus(sentences: Sequence[Sentence], columns: Sequence[str] = COLUMNS, path: str = "corpus") -> Corpus:
    """Sentences as sstag has them in memory; a blank line follows each."""
    tokens = [token for sentence in sentences for token in sentence]
    lengths = [len(sentence) for sentence in sentences]
    cells = [[token[index] for token in tokens] for index in range(len(columns))]
    values = tuple(list(dict.fromkeys(column)) for column in cells)
    codes = (
        np.array([known.index(cell) for cell in column], np.int32) for known, column in zip(values, cells, strict=True)
    )
    blank = np.repeat(np.arange(len(sentences)), lengths)
    return Corpus(
        path=path,
        columns=tuple(columns),
        values=values,
        codes=tuple(codes),
        offsets=np.cumsum([0, *lengths]),
        lines=np.arange(len(tokens)) + blank + 1,
    )


def part(whole: Corpus, begin: int, end: int) -> Corpus:
    """Some of the sentences of a corpus, with all its values."""
    tokens = slice(whole.offsets[begin], whole.offsets[end])
    return Corpus(
        path=whole.path,
        columns=whole.columns,
        values=whole.values,
        codes=tuple(codes[tokens] for codes in whole.codes),
        offsets=whole.offsets[begin : end + 1] - whole.offsets[begin],
        lines=whole.lines[tokens],
    )


def sentences(
    least: int = 1, words: Sequence[str] = WORDS, labels: Sequence[str] = tuple(ALLOWED)
) -> st.SearchStrategy[list[list[Token]]]:
    """A few short sentences; they are empty only if `least` says so."""
    token = st.tuples(*(st.sampled_from(values) for values in (words, POS, NUMBERS, labels)))
    sentence = st.lists(token, min_size=least, max_size=6)
    return st.lists(sentence, min_size=1, max_size=5)


OFFSETS = st.sampled_from(["0", "-1", "1", "-2..0", "-1..1", "0..2", "3", "-7", "end"])
TEXTS = st.builds("{}[{}]".format, st.sampled_from(["word", "pos"]), OFFSETS)
CHANGED = st.recursive(
    TEXTS,
    lambda inner: (
        st.builds("{}({})".format, st.sampled_from(["lower", "shape", "short_shape"]), inner)
        | st.builds("{}({}, {})".format, st.sampled_from(["prefix", "suffix"]), inner, st.sampled_from("12"))
    ),
    max_leaves=2,
)
TERMS = (
    TEXTS
    | CHANGED
    | st.builds("matches({}, '{}')".format, CHANGED, st.sampled_from(["^[a-z]+$", "[|/]", "^_B"]))
    | st.builds("lexicon({}, names)".format, CHANGED)
    | st.builds("prefix({}, 1..2)".format, TEXTS)
    | st.builds("value(length[{}])".format, OFFSETS)
    | st.sampled_from(["first()", "last()", "value(length)"])
)
LINES = st.builds(
    "{}{}".format,
    st.lists(TERMS, min_size=1, max_size=3).map(" | ".join),
    st.sampled_from(["", "", " else unknown"]),
)
ENTRIES = st.lists(
    st.lists(st.sampled_from([word for word in WORDS if word]), min_size=1, max_size=3).map(tuple),
    min_size=1,
    max_size=6,
    unique=True,
).map(tuple)
CRFPP_LINES = st.builds(
    "{}{}".format,
    st.sampled_from(["", ":", ":", "1:", "0/"]),
    st.lists(
        st.builds("%x[{},{}]".format, st.integers(-2, 2), st.integers(0, 1)) | st.sampled_from(["/", "|", "a", "//"]),
        max_size=5,
    ).map("".join),
)
