"""Names of columns: where a column stands, and the different names that one column goes by."""

import re
from collections.abc import Sequence

from sstag.foundation.errors import DataError, counted, nearest

ALIASES = {"word": "form", "token": "form", "pos": "xpos"}  # what column files call columns of CoNLL-U
WORDS = re.compile(r"(word|token|form|text)s?", re.IGNORECASE)  # what files call their words
OF_TEXTS = ("start", "end")  # columns that tokens of texts with spans and of prose have besides
PREDICTED = "predicted"  # the column, or the list in JSON lines, of a model's labels


def place_of(name: str, columns: Sequence[str], path: str) -> int:
    """The place of a column among others, by its name or by another name for it; an unknown name is an error."""
    if name not in columns and ALIASES.get(name) in columns:
        name = ALIASES[name]
    if name not in columns:
        raise DataError(f"there is no column '{name}'{nearest(name, columns)}", path)
    return columns.index(name)


def word_place(columns: Sequence[str]) -> int:
    """The place of the words: `form`, by whatever name it goes, or else the first column."""
    known = [ALIASES.get(name, name) for name in columns]
    return known.index("form") if "form" in known else 0


def words_first(columns: Sequence[str], label: str | None) -> list[str]:
    """The columns with the words before and the label behind all others."""
    if not columns:
        return []
    word = columns[word_place(columns)]
    ends = [name for name in columns if name == label != word]
    return [word, *(name for name in columns if name not in (word, *ends)), *ends]


def columns_in_words(width: int) -> str:
    """`1 column`, `2 columns`."""
    return counted(width, "column")
