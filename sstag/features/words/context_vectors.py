"""Vectors of words from the words beside them (after Schütze 1995 and Haghighi & Klein 2006).

    X[w, c] = √(share of w's contexts that are c)        X ≈ U S Vᵀ        the vector of w = (U S)[w]

The context words c are the most frequent ones, each at every distance up to the window, before the word and after it,
or (together) anywhere in the window; the edge of a sentence is one of them. The singular value decomposition keeps the
largest dimensions. scipy finds it, by Lanczos's iteration from a vector drawn by a fixed seed; each dimension's largest
weight of a context is positive. With all dimensions the cosines are those of the rows of X.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.words.vector_files.contract import MOST_DIMENSIONS
from sstag.features.words.vector_files.own import WordVectors
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.ranges import offsets_of, place_in_row

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SOME = 2**21  # neighbours counted at a time
MOST_COLUMNS = 8000  # of X
MOST_NUMBERS = 2**29  # of all vectors, 4 GiB
SEED = 1


@dataclass(frozen=True)
class Contexts:
    """The contexts of a word: the distances and the words that count."""

    window: int = 1  # the farthest distance
    words: int = 500  # the number of most frequent words that are contexts
    together: bool = False  # whether distances and sides make no difference

    @property
    def columns(self) -> int:
        """The number of contexts, the edge of a sentence included."""
        return (self.words + 1) * (1 if self.together else 2 * self.window)


def context_vectors(text: Corpus, column: str, dimensions: int, contexts: Contexts, least: int) -> WordVectors:
    """The vectors of all words that occur at least `least` times."""
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise ConfigError(f"vectors have 1 to {MOST_DIMENSIONS} dimensions, not {dimensions}")
    if contexts.columns > MOST_COLUMNS:
        raise ConfigError(
            f"{contexts.columns:,} contexts are too many (at most {MOST_COLUMNS:,}): fewer words, or less far"
        )
    index = text.column(column)
    codes, values = text.codes[index], text.values[index]
    times = np.bincount(codes, minlength=len(values))
    wanted = np.flatnonzero(times >= least)
    if not len(wanted):
        raise DataError(f"no word occurs {least} times", text.path)
    if len(wanted) * dimensions > MOST_NUMBERS:
        raise ConfigError(f"{len(wanted):,} words are too many for {dimensions} dimensions: leave out rare ones")
    first, columns, counts = _counted(text, codes, wanted, times, contexts)
    sizes = np.repeat(np.add.reduceat(np.append(counts, 0), first[:-1]), np.diff(first))
    x = np.sqrt(counts / sizes)
    vectors = reduced(x, columns, first, contexts.columns, min(dimensions, contexts.columns))
    return WordVectors(tuple(values[code] for code in wanted.tolist()), vectors)


def _counted(text: Corpus, codes: Ints, wanted: Longs, times: Longs, contexts: Contexts) -> tuple[Longs, Ints, Floats]:
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
        room = bounds[wanted[begin]] + max(SOME // len(distances), 1)
        end = max(int(np.searchsorted(bounds[wanted + 1], room, side="right")), begin + 1)
        tokens = np.concatenate([order[bounds[code] : bounds[code + 1]] for code in wanted[begin:end].tolist()])
        row = np.repeat(np.arange(begin, end), times[wanted[begin:end]])
        keys = []
        for side, distance in enumerate(distances):
            found = neighbours(tokens, distance)
            column = found if contexts.together else found + side * (contexts.words + 1)
            keys.append((row * cells + column)[found >= 0])
        distinct, counts = np.unique(np.concatenate(keys), return_counts=True)
        rows, columns = np.divmod(distinct, cells)
        row_sizes[1:] += np.bincount(rows, minlength=len(wanted))
        parts.append((columns.astype(np.int32), counts.astype(np.int32)))
        begin = end
    columns, counts = (np.concatenate(list(part)) for part in zip(*parts, strict=True))
    return np.cumsum(row_sizes), columns.astype(np.int32), counts.astype(np.float64)


def reduced(x: Floats, columns: Ints, first: Longs, width: int, count: int) -> Floats:
    """U S of the `count` largest singular values of a sparse matrix: row w has the entries first[w]:first[w + 1]."""
    from scipy.sparse import csr_array  # a fifth of a second, which only this command should take

    matrix = csr_array((x, columns, first), shape=(len(first) - 1, width))
    axes = _axes(matrix, count)
    signs = np.sign(axes[np.arange(len(axes)), np.abs(np.round(axes, 9)).argmax(axis=1)])
    found: Floats = matrix @ np.ascontiguousarray((axes * np.where(signs == 0, 1.0, signs)[:, None]).T)
    return np.ascontiguousarray(found)


def _axes(matrix: "csr_array", count: int) -> Floats:
    """The right singular vectors of the `count` largest singular values, as rows, the largest first."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import svds

    if count >= min(matrix.shape) - 1:  # the iteration cannot find all of them
        _, vectors = eigh((matrix.T @ matrix).toarray())
        return np.ascontiguousarray(vectors[:, ::-1][:, :count].T)
    start = np.random.default_rng(SEED).standard_normal(min(matrix.shape))
    _, sizes, vectors = svds(matrix, k=count, v0=start, return_singular_vectors="vh")
    return np.ascontiguousarray(vectors[np.argsort(-sizes, kind="stable")])
