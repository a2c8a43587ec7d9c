"""Words that are labelled differently in the same context, which often is a mistake (Dickinson & Meurers 2003)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.ranges import offsets_of, sentence_of

WINDOW = 2  # tokens to each side that must be the same


@dataclass(frozen=True)
class Variation:
    """A word that has several labels in one context: for each label a token and how often, the most frequent first."""

    tokens: Longs
    labels: Longs
    times: Longs


def variations(corpus: Corpus, column: int, decided: Ints) -> Iterator[Variation]:
    """The variations of a corpus, by the words of a column; tokens whose label is not decided do not count."""
    known = np.flatnonzero(decided >= 0)
    if not len(known):
        return
    count = int(decided.max()) + 1
    contexts = _contexts(corpus, column)[known]
    pairs, first, times = np.unique(contexts * count + decided[known], return_index=True, return_counts=True)
    sizes = np.unique_counts(pairs // count).counts
    bounds = offsets_of(sizes)
    for group in np.flatnonzero(sizes > 1).tolist():
        members = slice(bounds[group], bounds[group + 1])
        order = np.argsort(-times[members], kind="stable")
        yield Variation(known[first[members][order]], (pairs[members] % count)[order], times[members][order])


def text_around(corpus: Corpus, column: int, token: int) -> str:
    """The words that make the context of a token, with its own."""
    sentence = sentence_of(corpus.offsets, token)
    begin, end = corpus.offsets[sentence : sentence + 2].tolist()
    words, codes = corpus.values[column], corpus.codes[column]
    return " ".join(words[codes[t]] for t in range(max(token - WINDOW, begin), min(token + WINDOW + 1, end)))


def _contexts(corpus: Corpus, column: int) -> Longs:
    """A number for each token, equal for tokens with the same words, or the same edges of a sentence, around them."""
    words = corpus.codes[column].astype(np.int64)
    starts, stops = (np.repeat(bound, np.diff(corpus.offsets)) for bound in (corpus.offsets[:-1], corpus.offsets[1:]))
    edge = int(words.max()) + 1
    context = words  # from here on, the number of a context that grows by a neighbour in each round
    for distance in (*range(-WINDOW, 0), *range(1, WINDOW + 1)):
        place = np.arange(len(words)) + distance
        inside = (place >= starts) & (place < stops)
        beside = np.where(inside, words[np.clip(place, 0, len(words) - 1)], edge)
        _, context = np.unique(context * (edge + 1) + beside, return_inverse=True)
    return context
