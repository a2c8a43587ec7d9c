"""Vectors of words from the words beside them, in either of two ways.

    apart      X[w, c] = max(0, log (n(w, c) / n(w)) − log (n(c)^¾ / Σ n(c')^¾))      Levy, Goldberg & Dagan (2015)
    together   X[w, c] = √(n(w, c) / n(w))                          Schütze (1995), Haghighi & Klein (2006)

    X ≈ U S Vᵀ        the vector of w = (U S)[w]

n(w, c) counts how often the context c stands beside w. The contexts are the most frequent words, on the left of w and
on its right apart, or together; the edge of a sentence is one of them. Apart is for numbers as features, where it is
the better one (docs/explanation/decisions), together for cosines, where rare contexts say little. The singular value
decomposition keeps the largest dimensions; with all dimensions the cosines are those of the rows of X.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from sstag.chain.functions import exp, log
from sstag.corpus.volumes import LargeText, Text, Volume, in_volumes
from sstag.features.words.large_words import codes_in
from sstag.features.words.large_words import times as times_of
from sstag.features.words.singular_vectors import Sparse, reduced
from sstag.features.words.sorted_counts import SortedCounts, counts_of
from sstag.features.words.vector_files.contract import MOST_DIMENSIONS
from sstag.features.words.vector_files.own import WordVectors
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import Over, one_by_one
from sstag.foundation.ranges import offsets_of, place_in_row, row_of_each

MOST_COLUMNS = 200_000  # of X
MOST_NUMBERS = 2**29  # of all vectors, 4 GiB
SMOOTHED = 0.75  # power of the counts of contexts
FEW, MANY = 25, 100  # dimensions of little text and of much


@dataclass(frozen=True)
class Contexts:
    """The contexts of a word: how far away they stand, how many words count, and whether both sides are one."""

    window: int = 2
    words: int = 20_000
    together: bool = False

    @property
    def columns(self) -> int:
        """The number of contexts, the edge of a sentence included."""
        return (self.words + 1) * (1 if self.together else 2)


def usual_dimensions(tokens: int) -> int:
    """How many dimensions a text can tell from chance: 25 up to 250,000 tokens, 100 from four million on."""
    return min(MANY, max(FEW, isqrt(tokens) // 20))


def context_vectors(
    text: Text,
    column: str,
    dimensions: int | None,
    contexts: Contexts,
    least: int,
    over: Over = one_by_one,
    tell: Callable[[str], None] = lambda text: None,
) -> WordVectors:
    """The vectors of all words that occur at least `least` times; `tell` is told how far they are.

    The dimensions are as many as are usual for so much text if nobody says how many.
    """
    if dimensions is not None and not 1 <= dimensions <= MOST_DIMENSIONS:
        raise ConfigError(f"vectors have 1 to {MOST_DIMENSIONS} dimensions, not {dimensions}")
    large = text if isinstance(text, LargeText) else in_volumes(text, over)
    values = large.head.values[large.head.column(column)]
    tell("counting words and their neighbours")
    times = times_of(large, column)
    contexts = replace(contexts, words=min(contexts.words, len(values)))
    if contexts.columns > MOST_COLUMNS:
        raise ConfigError(f"{contexts.columns:,} contexts are too many (at most {MOST_COLUMNS:,}): fewer words")
    dimensions = dimensions or usual_dimensions(int(times.sum()))
    wanted = np.flatnonzero(times >= least)
    if not len(wanted):
        raise DataError(f"no word occurs {least} times", large.head.path)
    if len(wanted) * dimensions > MOST_NUMBERS:
        raise ConfigError(f"{len(wanted):,} words are too many for {dimensions} dimensions: leave out rare ones")
    first, columns, counts = _counted(large, column, wanted, times, contexts)
    sizes = np.repeat(np.add.reduceat(np.append(counts, 0), first[:-1]), np.diff(first))
    matrix = Sparse(first, columns, np.sqrt(counts / sizes), contexts.columns)
    if not contexts.together:
        matrix = _informative(Sparse(first, columns, counts, contexts.columns), sizes)
    return WordVectors(tuple(values[code] for code in wanted.tolist()), reduced(matrix, dimensions, over, tell))


def _informative(counts: Sparse, sizes: Floats) -> Sparse:
    """The positive information between words and contexts, where there is any."""
    times: Floats = np.bincount(counts.columns, counts.values, counts.width).astype(np.float64)
    share = np.where(times > 0, exp(SMOOTHED * log(np.maximum(times, 1.0))), 0.0)
    share /= np.cumsum(share)[-1]
    found = log(counts.values / sizes) - log(np.maximum(share, 1e-300))[counts.columns]
    some = found > 0
    first = offsets_of(np.bincount(row_of_each(counts.first)[some], minlength=counts.height))
    return Sparse(first, counts.columns[some], found[some], counts.width)


def _counted(
    large: LargeText, column: str, wanted: Longs, times: Longs, contexts: Contexts
) -> tuple[Longs, Ints, Floats]:
    """The contexts of each word, ascending, and their counts: word w has the entries first[w]:first[w + 1]."""
    frequent = np.argsort(-times, kind="stable")[: contexts.words]
    context = np.full(len(times) + 1, -1)
    context[frequent] = np.arange(len(frequent))
    context[-1] = contexts.words  # the edge of a sentence
    row = np.full(len(times), -1)
    row[wanted] = np.arange(len(wanted))
    found = large.volumes.summed(_neighbours, column, row, context, contexts)
    rows, columns = np.divmod(found.numbers, contexts.columns)
    return (
        offsets_of(np.bincount(rows, minlength=len(wanted))),
        columns.astype(np.int32),
        found.times.astype(np.float64),
    )


def _neighbours(
    volume: Volume, over: Over, column: str, row: Longs, context: Longs, contexts: Contexts
) -> SortedCounts:
    """How often each context stands beside each word in a volume, as row · columns + column."""
    codes, offsets = codes_in(volume, column), volume.corpus.offsets
    lengths, since, tokens = np.diff(offsets), place_in_row(offsets), np.arange(len(codes))
    until = np.repeat(lengths, lengths) - 1 - since
    rows = row[codes]
    found = counts_of(np.zeros(0, np.int64))
    for distance in (d for d in range(-contexts.window, contexts.window + 1) if d):
        inside: Bools = (since >= -distance) & (until >= distance)
        near = np.where(inside, context[codes[np.where(inside, tokens + distance, 0)]], context[-1])
        columns = near if contexts.together else near + (distance > 0) * (contexts.words + 1)
        found += counts_of((rows * contexts.columns + columns)[(rows >= 0) & (near >= 0)])
    return found
