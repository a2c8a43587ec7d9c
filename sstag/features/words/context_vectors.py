"""Vectors of words from the words beside them (after Schütze 1995 and Haghighi & Klein 2006).

    X[w, c] = √(share of w's contexts that are c)        X ≈ U S Vᵀ        the vector of w = (U S)[w]

The context words c are the most frequent ones, each at every distance up to the window, before the word and after it,
or (together) anywhere in the window; the edge of a sentence is one of them. The singular value decomposition keeps the
largest dimensions. It is found from XᵀX, whose size does not depend on the text, by subspace iteration with
Rayleigh–Ritz steps from vectors drawn by a fixed seed; each dimension's largest weight of a context is positive. With
all dimensions the cosines are those of the rows of X.
"""

from dataclasses import dataclass

import numpy as np

from sstag.chain.kernels.linear import add_scores
from sstag.chain.kernels.subspace import add_matrix_product, add_squares, diagonalise, orthonormalise
from sstag.corpus.corpus import Corpus
from sstag.features.words.vector_file import MOST_DIMENSIONS, WordVectors
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.ranges import offsets_of, place_in_row

SOME = 2**21  # neighbours counted at a time
MOST_COLUMNS = 8000  # of X; then XᵀX takes 512 MB
MOST_NUMBERS = 2**29  # of all vectors, 4 GiB
SEED = 1
BESIDES = 20  # dimensions of the iteration besides twice the wanted ones, with which it converges faster
ROUNDS = 100
PRECISION = 1e-12  # change of the eigenvalues, relative to the first, at which the iteration ends


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
    gram = np.zeros((contexts.columns, contexts.columns))
    add_squares(first, columns, x, gram)
    axes = leading(gram, min(dimensions, contexts.columns))
    vectors, nothing = np.zeros((len(wanted), len(axes))), np.zeros(0, np.int32)
    none = np.zeros(0)
    add_scores(
        none, np.ascontiguousarray(axes.T), first, columns, x, np.zeros_like(first), nothing, nothing, none, vectors
    )
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


def leading(gram: Floats, count: int) -> Floats:
    """The eigenvectors of the `count` largest eigenvalues of a symmetric matrix that has none below 0."""  # (count, n)
    size = len(gram)
    rows = np.random.default_rng(SEED).standard_normal((min(2 * count + BESIDES, size), size))
    before = np.full(count, np.inf)
    for _ in range(ROUNDS):
        orthonormalise(rows)
        images = np.zeros_like(rows)
        add_matrix_product(rows, gram, images)
        small = np.zeros((len(rows), len(rows)))
        add_matrix_product(images, np.ascontiguousarray(rows.T), small)
        small = (small + small.T) / 2
        turns = np.eye(len(rows))
        diagonalise(small, turns)
        values = np.diagonal(small)
        order = np.argsort(-values, kind="stable")
        turns = np.ascontiguousarray(turns[order])
        found = np.zeros_like(rows)
        add_matrix_product(turns, rows, found)
        largest = values[order[:count]]
        if np.abs(largest - before).max() <= PRECISION * largest[0]:
            break
        before = largest
        rows = np.zeros_like(rows)
        add_matrix_product(turns, images, rows)
    axes = found[:count]
    signs = np.sign(axes[np.arange(count), np.abs(np.round(axes, 9)).argmax(axis=1)])
    return np.ascontiguousarray(axes * np.where(signs == 0, 1.0, signs)[:, None])
