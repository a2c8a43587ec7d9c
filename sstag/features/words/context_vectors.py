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

import numpy as np

from sstag.chain.functions import exp, log
from sstag.corpus.corpus import Corpus
from sstag.features.words.singular_vectors import Sparse, reduced
from sstag.features.words.vector_files.contract import MOST_DIMENSIONS
from sstag.features.words.vector_files.own import WordVectors
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import Over, one_by_one
from sstag.foundation.ranges import offsets_of, place_in_row, row_of_each

SOME = 2**21  # neighbours counted at a time
MOST_COLUMNS = 200_000  # of X
MOST_NUMBERS = 2**29  # of all vectors, 4 GiB
SMOOTHED = 0.75  # power of the counts of contexts


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


def context_vectors(
    text: Corpus,
    column: str,
    dimensions: int,
    contexts: Contexts,
    least: int,
    over: Over = one_by_one,
    tell: Callable[[str], None] = lambda text: None,
) -> WordVectors:
    """The vectors of all words that occur at least `least` times; `tell` is told how far they are."""
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise ConfigError(f"vectors have 1 to {MOST_DIMENSIONS} dimensions, not {dimensions}")
    index = text.column(column)
    codes, values = text.codes[index], text.values[index]
    times = np.bincount(codes, minlength=len(values))
    contexts = replace(contexts, words=min(contexts.words, len(values)))
    if contexts.columns > MOST_COLUMNS:
        raise ConfigError(f"{contexts.columns:,} contexts are too many (at most {MOST_COLUMNS:,}): fewer words")
    wanted = np.flatnonzero(times >= least)
    if not len(wanted):
        raise DataError(f"no word occurs {least} times", text.path)
    if len(wanted) * dimensions > MOST_NUMBERS:
        raise ConfigError(f"{len(wanted):,} words are too many for {dimensions} dimensions: leave out rare ones")
    first, columns, counts = _counted(text, codes, wanted, times, contexts, tell)
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
    text: Corpus, codes: Ints, wanted: Longs, times: Longs, contexts: Contexts, tell: Callable[[str], None]
) -> tuple[Longs, Ints, Floats]:
    """The contexts of each word, ascending, and their counts: word w has the entries first[w]:first[w + 1]."""
    frequent = np.argsort(-times, kind="stable")[: contexts.words]
    context = np.full(len(times) + 1, -1)
    context[frequent] = np.arange(len(frequent))
    context[-1] = contexts.words  # the edge of a sentence
    lengths = np.diff(text.offsets)
    since = place_in_row(text.offsets)
    until = np.repeat(lengths, lengths) - 1 - since

    def neighbours(tokens: Longs, distance: int) -> Longs:
        """The contexts of tokens at a distance, −1 for none."""
        inside: Bools = (since[tokens] >= -distance) & (until[tokens] >= distance)
        found = context[codes[np.where(inside, tokens + distance, 0)]]
        return np.where(inside, found, context[-1])

    distances = [d for d in range(-contexts.window, contexts.window + 1) if d]
    order = np.argsort(codes, kind="stable")  # so that the tokens of a word are looked at together
    bounds = offsets_of(times)
    row_sizes, parts = np.zeros(len(wanted) + 1, np.int64), []
    cells = contexts.columns
    begin = 0
    while begin < len(wanted):
        tell(f"counting neighbours: {begin:,} of {len(wanted):,} words")
        room = bounds[wanted[begin]] + max(SOME // len(distances), 1)
        end = max(int(np.searchsorted(bounds[wanted + 1], room, side="right")), begin + 1)
        tokens = np.concatenate([order[bounds[code] : bounds[code + 1]] for code in wanted[begin:end].tolist()])
        row = np.repeat(np.arange(begin, end), times[wanted[begin:end]])
        keys = []
        for distance in distances:
            found = neighbours(tokens, distance)
            column = found if contexts.together else found + (distance > 0) * (contexts.words + 1)
            keys.append((row * cells + column)[found >= 0])
        distinct, counts = np.unique(np.concatenate(keys), return_counts=True)
        rows, columns = np.divmod(distinct, cells)
        row_sizes[1:] += np.bincount(rows, minlength=len(wanted))
        parts.append((columns.astype(np.int32), counts.astype(np.int32)))
        begin = end
    columns, counts = (np.concatenate(list(part)) for part in zip(*parts, strict=True))
    return np.cumsum(row_sizes), columns.astype(np.int32), counts.astype(np.float64)
