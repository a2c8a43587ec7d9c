"""Bigrams of raw text: which words stand beside which, and how often.

Words that are rarer than a limit are one symbol, and the edges of sentences another. Files are read block by block; of
a token, four bytes stay.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.corpus.coding import Coder
from sstag.corpus.column_names import word_place
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.errors import DataError, counted
from sstag.foundation.files import display_name

SOME = 2**24  # bigrams sorted at a time
MOST_TOKENS = 2**31 - 2**24  # so that every count fits into 32 bits
EDGE = -1  # stands between sentences

Say = Callable[[str], None]


@dataclass(frozen=True)
class Bigrams:
    """The words of a text, the most frequent first, and its bigrams: symbol V is a rare word, V + 1 an edge."""

    words: tuple[str, ...]
    times: Longs  # (V,) of each word
    tokens: int
    first: Ints  # (B,) ascending
    second: Ints  # (B,)
    counts: Ints  # (B,)

    @cached_property
    def symbols(self) -> int:
        return len(self.words) + 2


def read_bigrams(
    paths: Sequence[str], layout_of: Callable[[str], Layout], column: str | None, least: int, say: Say
) -> Bigrams:
    """The bigrams of several files, whose words stand in a column, or in the first if none is named."""
    coder = Coder()
    parts: list[Ints] = []
    tokens = 0
    for path in paths:
        before = tokens
        for codes in _codes(path, layout_of(path), column, coder):
            parts.append(codes)
            tokens += int(np.count_nonzero(codes != EDGE))
            if tokens > MOST_TOKENS:
                raise DataError(f"more than {MOST_TOKENS:,} tokens: take a part of them", display_name(path))
            say(f"reading {display_name(path)}: {counted(tokens, 'token')}")
        if tokens == before:
            raise DataError("no sentence in it", display_name(path))
    text = np.concatenate([*parts, np.array([EDGE], np.int32)])
    del parts
    times = np.bincount(text[text != EDGE], minlength=len(coder))
    kept = np.flatnonzero(times >= least)
    if len(kept) < 2:
        raise DataError(f"fewer than two words occur {least} times", display_name(paths[0]))
    texts = coder.texts()
    order = sorted(kept.tolist(), key=lambda code: (-times[code], texts[code]))
    symbol = np.full(len(times) + 1, len(order), np.int32)
    symbol[EDGE] = len(order) + 1
    symbol[order] = np.arange(len(order), dtype=np.int32)
    words = tuple(texts[code] for code in order)
    return Bigrams(words, times[order], tokens, *counted_bigrams(symbol[text], len(order) + 2, say))


def _codes(path: str, layout: Layout, column: str | None, coder: Coder) -> Iterator[Ints]:
    """The codes of the words in a file, with an edge before each sentence."""
    for block in read_blocks(path, layout):
        if not block.columns:  # blank lines only, so far
            continue
        place = word_place(block.columns) if column is None else block.column(column)
        yield np.insert(coder.of(block.fields[place]), block.offsets[:-1], EDGE)


def counted_bigrams(text: Ints, symbols: int, say: Say) -> tuple[Ints, Ints, Ints]:
    """The bigrams of a text of symbols, ascending, and their counts."""
    found, times = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for begin in range(0, len(text) - 1, SOME):
        say(f"counting bigrams: {begin:,} of {len(text):,}")
        some = text[begin : begin + SOME + 1].astype(np.int64)
        keys, counts = np.unique(some[:-1] * symbols + some[1:], return_counts=True)
        if len(found):
            both = np.concatenate([found, keys])
            order = np.argsort(both, kind="stable")
            both, counts = both[order], np.concatenate([times, counts])[order]
            starts = np.flatnonzero(np.diff(both, prepend=-1))
            keys, counts = both[starts], np.add.reduceat(counts, starts)
        found, times = keys, counts
    first, second = np.divmod(found, symbols)
    return first.astype(np.int32), second.astype(np.int32), times.astype(np.int32)
