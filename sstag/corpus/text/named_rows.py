"""Formats whose files name their own columns: which of these are the words and the label, as a layout calls them."""

from collections.abc import Sequence

from sstag.corpus.column_names import PREDICTED, WORDS, word_place
from sstag.corpus.layout import Layout
from sstag.corpus.sheets import further
from sstag.corpus.text.span_labels import BLANK
from sstag.foundation.errors import DataError, nearest

WORD, LABEL = "word", "label"
WORD_NAMES = (WORD, "token", "form")  # by which words are found in any file


def called(layout: Layout, header: Sequence[str], words: str, path: str, line: int) -> tuple[str, ...]:
    """The names of the columns of a file, in its order, as somebody calls them who may have named them otherwise.

    The words are called `word` and the last column but predictions `label`, unless there are columns of these names, or
    others are asked for.
    """
    names, words_at = list(header), header.index(words)
    asked = layout.names or ()
    if words not in asked and WORD not in names:
        names[words_at] = next((name for name in asked if name not in header), WORD)
    elif not asked and word_place(names) != words_at:  # a list before others that are called as words are
        free = next((name for name in WORD_NAMES if name not in names), None)
        if free is None:
            free = next(name for name in WORD_NAMES if name != layout.label)
            names[names.index(free)] = further(f"{free}_", names)
        names[words_at] = free
    label = layout.label
    if label and label not in names and len(names) > 1:
        others = [n for n in range(len(names) - 1, -1, -1) if n != words_at]
        last = next((n for n in others if names[n] != PREDICTED and names[n] not in asked), None)
        if last is not None and (label == LABEL or label in asked):
            names[last] = label
    for name in asked:
        if name not in names and name != label:
            raise DataError(f"there is no column '{name}'{nearest(name, names)}", path, line)
    return tuple(names)


def words_of(header: Sequence[str]) -> str:
    """The column of the words: one that is called so in all files, or else in some, or the first."""
    first = header[word_place(header)]
    return first if first in WORD_NAMES else next((one for one in header if WORDS.fullmatch(one)), header[0])


def telling_words(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Names for some columns of a file by which a reader finds its words: other names change that would mislead it."""
    shown = list(names)
    if not shown:
        return shown
    words = columns[word_place(columns)]
    at = shown.index(words) if words in shown else 0
    for n, name in enumerate(names):
        if words_of(shown) != shown[at] and n != at and WORDS.fullmatch(name):
            shown[n] = further(f"{name}_", shown)
    if words_of(shown) != shown[at]:
        shown[at] = further(WORD, shown)
    return shown


def cell(value: str) -> str:
    """A value as a column can hold it."""
    return value.replace(" ", BLANK)
