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
from sstag.corpus.volumes import LargeText, Volume
from sstag.features.words.large_words import codes_in, times
from sstag.features.words.sorted_counts import SortedCounts, counts_of
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.errors import DataError, counted
from sstag.foundation.files import display_name
from sstag.foundation.parallel import Over

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
    kept = _kept(coder.texts(), np.bincount(text[text != EDGE], minlength=len(coder)), least, paths[0])
    return _bigrams(kept, tokens, counted_bigrams(kept.symbol[text], len(kept.words) + 2, say))


def bigrams_of(large: LargeText, column: str, least: int) -> Bigrams:
    """The bigrams of a text in volumes: those that `read_bigrams` finds in its files."""
    if large.tokens > MOST_TOKENS:
        raise DataError(f"more than {MOST_TOKENS:,} tokens: take a part of them", large.head.path)
    texts = large.head.values[large.head.column(column)]
    kept = _kept(texts, times(large, column), least, large.head.path)
    return _bigrams(kept, large.tokens, large.volumes.summed(_in_volume, column, kept.symbol, len(kept.words) + 2))


@dataclass(frozen=True, eq=False)
class _Kept:
    """The words that are frequent enough, in their order, and the symbol of each word of a text; the last is EDGE's."""

    words: tuple[str, ...]
    times: Longs
    symbol: Ints


def _kept(texts: Sequence[str], times: Longs, least: int, path: str) -> _Kept:
    kept = np.flatnonzero(times >= least)
    if len(kept) < 2:
        raise DataError(f"fewer than two words occur {least} times", display_name(path))
    order = sorted(kept.tolist(), key=lambda code: (-times[code], texts[code]))
    symbol = np.full(len(times) + 1, len(order), np.int32)
    symbol[EDGE] = len(order) + 1
    symbol[order] = np.arange(len(order), dtype=np.int32)
    return _Kept(tuple(texts[code] for code in order), times[order], symbol)


def _bigrams(kept: _Kept, tokens: int, found: SortedCounts) -> Bigrams:
    first, second = np.divmod(found.numbers, len(kept.words) + 2)
    return Bigrams(
        kept.words, kept.times, tokens, first.astype(np.int32), second.astype(np.int32), found.times.astype(np.int32)
    )


def _in_volume(volume: Volume, over: Over, column: str, symbol: Ints, symbols: int) -> SortedCounts:
    text = np.append(np.insert(codes_in(volume, column), volume.corpus.offsets[:-1], EDGE), EDGE)
    return counted_bigrams(symbol[text], symbols, lambda said: None)


def _codes(path: str, layout: Layout, column: str | None, coder: Coder) -> Iterator[Ints]:
    """The codes of the words in a file, with an edge before each sentence."""
    for block in read_blocks(path, layout):
        if not block.columns:  # blank lines only, so far
            continue
        place = word_place(block.columns) if column is None else block.column(column)
        yield np.insert(coder.of(block.fields[place]), block.offsets[:-1], EDGE)


def counted_bigrams(text: Ints, symbols: int, say: Say) -> SortedCounts:
    """The bigrams of a text of symbols, each as first · symbols + second."""
    found = counts_of(np.zeros(0, np.int64))
    for begin in range(0, len(text) - 1, SOME):
        say(f"counting bigrams: {begin:,} of {len(text):,}")
        some = text[begin : begin + SOME + 1].astype(np.int64)
        found += counts_of(some[:-1] * symbols + some[1:])
    return found
