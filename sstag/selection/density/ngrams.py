"""q(x) as a product of n-grams, column by column (Sokolovska 2011, eq. 20).

    log q(x) = Σ_columns Σ_t log p(x_t | h_t)        h_t: the order − 1 values before x_t, fewer where x begins
    p(x | h) = (C(h, x) + s N(h) p(x | h′)) / (C(h) + s N(h))

h′ is h without its first value, C(h) = Σ_x C(h, x), and N(h) the number of different values that follow h; below the
empty history is the uniform distribution over the V values counted and one for all others. With smoothing s = 0 that is
eq. 20, with s = 1 the estimate of Witten and Bell (1991). A history that was never counted says nothing: p(x | h) =
p(x | h′). For every n, Σ q(x) over the sequences of length n is 1.

Differs: eq. 20 may be read as dividing by all places of h, also where it ends a sequence; then q would not sum to 1.
Cost of counting: memory for the different n-grams, whatever the length of the text; of q: memory for a block.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.chain.functions import log
from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.errors import ConfigError
from sstag.foundation.grouping import distinct
from sstag.foundation.parallel import Over

RADIX = 2**31  # more than there are values of a column, or n-grams of a length
MOST = 100_000_000  # n-grams: 1.6 GB in a file


@dataclass(frozen=True, eq=False)
class Level:
    """The n-grams of one length. A key is RADIX · (the number of the n-gram without its last value) + that value."""

    keys: Longs  # (G,) ascending; the place of a key is the number of its n-gram
    counts: Longs  # (G,)
    histories: int  # how many n-grams of the length before there are

    @cached_property
    def followed(self) -> tuple[Floats, Floats]:
        """C(h), and N(h)."""  # (histories,), (histories,)
        history = self.keys // RADIX
        return (
            np.bincount(history, self.counts, self.histories).astype(np.float64),
            np.bincount(history, minlength=self.histories).astype(np.float64),
        )

    def numbers(self, histories: Longs, codes: Ints) -> Longs:
        """The number of the n-gram that ends at each token, or -1."""  # (T,)
        wanted = histories * RADIX + codes
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        result: Longs = np.where((histories >= 0) & (codes >= 0) & (self.keys[place] == wanted), place, -1)
        return result


@dataclass(frozen=True, eq=False)
class Counts:
    """The n-grams of a column, from one value to as many as the order says."""

    values: tuple[str, ...]
    levels: tuple[Level, ...]

    @cached_property
    def number(self) -> dict[str, int]:
        return {value: code for code, value in enumerate(self.values)}

    def log_p(self, values: Sequence[str], codes: Ints, offsets: Longs, smoothing: float) -> Floats:
        """log p(x_t | h_t) of every token of a column with these values."""  # (T,)
        known = np.array([self.number.get(value, -1) for value in values], np.int32)[codes]
        p = np.full(len(codes), 1 / (len(self.values) + 1))
        history = np.zeros(len(codes), np.int64)
        for level in self.levels:
            if not len(level.keys):  # nor any that is longer
                break
            total, kinds = (each[history] for each in level.followed)
            number = level.numbers(history, known)
            known_history = (history >= 0) & (total > 0)
            share = smoothing * kinds[known_history]
            times = np.where(number >= 0, level.counts[number], 0)[known_history]
            p[known_history] = (times + share * p[known_history]) / (total[known_history] + share)
            history = _shifted(number, offsets)
        return log(p)


@dataclass(frozen=True, eq=False)
class NGrams:
    """A density that multiplies the n-grams of some columns."""

    columns: tuple[str, ...]
    smoothing: float
    counts: tuple[Counts, ...]  # one per column

    def log_q(self, corpus: Corpus, over: Over) -> Floats:
        """log q(x) of every sentence."""  # (S,)

        def of_column(one: tuple[str, Counts]) -> Floats:
            index = corpus.column(one[0])
            return one[1].log_p(corpus.values[index], corpus.codes[index], corpus.offsets, self.smoothing)

        each = sum(over(of_column, list(zip(self.columns, self.counts, strict=True))), np.zeros(corpus.tokens))
        result: Floats = np.add.reduceat(each, corpus.offsets[:-1]) if corpus.sentences else np.zeros(0)
        return result


def ngrams_of_text(corpora: Iterable[Corpus], columns: Sequence[str], order: int, smoothing: float) -> NGrams:
    """The density made of the n-grams of a text; into which pieces the text is cut changes nothing."""
    counters = [_Counter(order) for _ in columns]
    for corpus in corpora:
        for name, counter in zip(columns, counters, strict=True):
            index = corpus.column(name)
            counter.add(corpus.values[index], corpus.codes[index], corpus.offsets)
        _refuse_many(counters)
    return NGrams(tuple(columns), smoothing, tuple(counter.counts() for counter in counters))


def merged(first: NGrams, second: NGrams) -> NGrams:
    """The density made of the n-grams of two texts, the first of which stands before the second."""
    counters = []
    for both in zip(first.counts, second.counts, strict=True):
        counters.append(_Counter(len(both[0].levels)))
        for counts in both:
            counters[-1].join(counts)
        _refuse_many(counters)
    return NGrams(first.columns, first.smoothing, tuple(counter.counts() for counter in counters))


def _refuse_many(counters: "Sequence[_Counter]") -> None:
    if sum(counter.size for counter in counters) > MOST:
        raise ConfigError(f"more than {MOST:,} different n-grams: a lower order makes fewer")


class _Counter:
    """The n-grams of a column while they are counted; they are numbered as they come."""

    def __init__(self, order: int) -> None:
        self._number: dict[str, int] = {}
        self._levels = [_Growing() for _ in range(order)]

    @property
    def size(self) -> int:
        return sum(len(level.keys) for level in self._levels)

    def add(self, values: Sequence[str], codes: Ints, offsets: Longs) -> None:
        known = np.array([self._number.setdefault(value, len(self._number)) for value in values], np.int64)[codes]
        history = np.zeros(len(codes), np.int64)
        for level in self._levels:
            at = np.flatnonzero(history >= 0)
            first, times, which = distinct(history[at] * len(self._number) + known[at])
            numbers = level.added(history[at[first]] * RADIX + known[at[first]], times)
            number = np.full(len(codes), -1, np.int64)
            number[at] = numbers[which]
            history = _shifted(number, offsets)

    def join(self, counts: Counts) -> None:
        """Adds what was counted elsewhere."""
        known = np.array([self._number.setdefault(value, len(self._number)) for value in counts.values], np.int64)
        numbers = np.zeros(1, np.int64)  # here, of the n-grams of the length before
        for level, own in zip(self._levels, counts.levels, strict=True):
            keys = numbers[own.keys // RADIX] * RADIX + known[own.keys % RADIX]
            order = np.argsort(keys)
            numbers = np.empty(len(keys), np.int64)
            numbers[order] = level.added(keys[order], own.counts[order])

    def counts(self) -> Counts:
        """The n-grams, numbered by the order of their keys, so that nothing depends on the pieces they came in."""
        levels: list[Level] = []
        rank = np.zeros(1, np.int64)  # the number of each n-gram of the length before, by the number it came with
        for level in self._levels:
            keys = rank[level.keys // RADIX] * RADIX + level.keys % RADIX
            order = np.argsort(keys, kind="stable")
            levels.append(Level(keys[order], level.counts[order], len(rank)))
            rank = np.empty(len(order), np.int64)
            rank[level.numbers[order]] = np.arange(len(order))
        return Counts(tuple(self._number), tuple(levels))


class _Growing:
    """The n-grams of one length, by key, while they are counted."""

    def __init__(self) -> None:
        self.keys, self.counts, self.numbers = (np.zeros(0, np.int64) for _ in range(3))

    def added(self, keys: Longs, times: Longs) -> Longs:
        """The numbers of n-grams, whose keys ascend, after they were counted."""
        place = np.searchsorted(self.keys, keys)
        old = np.zeros(len(keys), bool)
        inside = place < len(self.keys)
        old[inside] = self.keys[place[inside]] == keys[inside]
        self.counts[place[old]] += times[old]
        fresh = np.arange(len(self.keys), len(self.keys) + int((~old).sum()))
        numbers = np.empty(len(keys), np.int64)
        numbers[old], numbers[~old] = self.numbers[place[old]], fresh
        self.keys, self.counts, self.numbers = (
            np.insert(ours, place[~old], new)
            for ours, new in ((self.keys, keys[~old]), (self.counts, times[~old]), (self.numbers, fresh))
        )
        return numbers


def _shifted(number: Longs, offsets: Longs) -> Longs:
    """For each token the n-gram that ends before it, or -1."""
    history = np.concatenate([[-1], number[:-1]]) if len(number) else number
    history[offsets[:-1]] = -1
    return history
