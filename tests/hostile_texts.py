"""Texts of words and labels that mean something to a reader of files, for property tests of files read again."""

import json
from pathlib import Path

from hypothesis import strategies as st

WORDS = [
    "Ann", "#", "# a", "-x-", "|", "\\", '"', ",", "a,b", "née", "😀", "_", "=", "x=y", "?", "*", "a:0.5", "word[0]=a",
    "[", "{", "\u00a0", "a\u00a0b", "\u3000", "\u2028", "\x85", "\x7f", "O", "0.5", "first()", "<s>", "'", "2", "…",
]  # fmt: skip
WORDS = [word for word in WORDS if " " not in word]
LABELS = [
    "O", "B-PER", "I-PER", "B-x=1", "a>b", "?", "B-PER|O", "same", "0.5", ".5", "50%", "a,", ",", "x:0.5", "#l", "*",
    "a\u00a0b", "nan", "=", ":", "\u3000", "B-é",
]  # fmt: skip
FEATURES = [
    "word[0]",
    "lower(word[0])",
    "word[-1]|word[0]",
    "prefix(word[0], 1)",
    "first()",
    "shape(word[0])",
    "word[1]",
]
Rows = list[list[tuple[str, str]]]


@st.composite
def texts(draw: st.DrawFn) -> Rows:
    """Sentences of few words, which occur several times, with labels."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True))
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4, unique=True))
    token = st.tuples(st.sampled_from(words), st.sampled_from(labels))
    return draw(st.lists(st.lists(token, min_size=1, max_size=4), min_size=2, max_size=5))


def saved(path: Path, rows: Rows, labelled: bool = True) -> Path:
    """A column file of these rows; it names its columns."""
    names, label = ("word label", "label") if labelled else ("word", "predicted")
    head = f"# global.columns = {names}\n# global.label = {label}\n"
    lines = ("".join("\t".join(token[: 1 + labelled]) + "\n" for token in row) + "\n" for row in rows)
    path.write_text(head + "".join(lines), encoding="utf-8")
    return path


def strict_json(text: str) -> object:
    """The value of JSON as other programs read it, to which NaN and Infinity are errors."""

    def refused(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refused)
