"""The words of a text in volumes: one column of it, and how often each word is there."""

from dataclasses import replace

import numpy as np

from sstag.corpus.volumes import LargeText, Volume
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.parallel import Over


def only_words(large: LargeText, column: str | None, name: str, lower: bool = False) -> LargeText:
    """A text with nothing but its words, in a column of this name; by default they are in the column of words."""
    head = large.head
    place = head.word_column if column is None else head.column(column)
    number: dict[str, int] = {}
    texts = (text.lower() if lower else text for text in head.values[place])
    codes = np.array([number.setdefault(text, len(number)) for text in texts], np.int32)
    chosen = replace(head, columns=(name,), values=(list(number),), codes=(head.codes[place],))
    return replace(large, head=chosen, volumes=large.volumes.made(_words, head.columns[place], name, codes))


def times(large: LargeText, column: str) -> Longs:
    """How often each value of a column is there."""
    return large.volumes.summed(_times, column, len(large.head.values[large.head.column(column)]))


def codes_in(volume: Volume, column: str) -> Ints:
    """The codes of a column."""
    return volume.corpus.codes[volume.corpus.columns.index(column)]


def _words(volume: Volume, over: Over, column: str, name: str, codes: Ints) -> Volume:
    own = codes[codes_in(volume, column)]
    return replace(volume, corpus=replace(volume.corpus, columns=(name,), codes=(own,)))


def _times(volume: Volume, over: Over, column: str, words: int) -> Longs:
    return np.bincount(codes_in(volume, column), minlength=words)
