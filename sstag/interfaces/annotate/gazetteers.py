"""Gazetteers: lists of terms of a label, as features of the words that these terms are made of.

A term of several words is a feature of each of its words with the others beside it: `New York` is
`word[0] | word[1]=New|York` of the first, and `word[-1] | word[0]=New|York` of the second.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from sstag.foundation.arrays import Longs
from sstag.foundation.ranges import sentences_of
from sstag.interfaces.annotate.pool import Part, Pool

LONGEST = 8  # words of a term
START = 0  # the node of the tree of terms before the first word


def features_of(term: str, word: str) -> Iterator[str]:
    """The features of a term, one for each of its words."""
    parts = term.split()
    for place in range(len(parts)):
        names = " | ".join(f"{word}[{offset}]" for offset in range(-place, len(parts) - place))
        yield f"{names}={'|'.join(parts)}"


def known_terms(pool: Pool, terms: Iterable[str]) -> list[str]:
    """Those of some terms that stand in the pool, each once, with one blank between words."""
    wanted = dict.fromkeys(" ".join(words) for term in terms if 0 < len(words := term.split()) <= LONGEST)
    steps: dict[tuple[int, str], int] = {}
    ends: dict[int, str] = {}
    for term in wanted:
        node = START
        for word in term.split():
            node = steps.setdefault((node, word), len(steps) + 1)
        ends[node] = term
    found = {ends[node] for part in pool.parts for node in _nodes(part, steps) if node in ends}
    return [term for term in wanted if term in found]


def _nodes(part: Part, steps: dict[tuple[int, str], int]) -> set[int]:
    """The nodes of the tree that some place of a part leads to."""
    corpus = part.corpus
    values, codes = corpus.values[corpus.word_column], corpus.codes[corpus.word_column]
    words = {word for _, word in steps}
    number = {word: code for code, word in enumerate(values) if word in words}
    keys = sorted((node * len(values) + number[word], to) for (node, word), to in steps.items() if word in number)
    if not keys:
        return set()
    table: Longs = np.array(keys, np.int64)  # (steps, 2): node and word as one number, and the node after it
    begins = np.zeros(len(values), bool)
    begins[table[table[:, 0] < len(values), 0]] = True
    place: Longs = np.flatnonzero(begins[codes])
    stop = corpus.offsets[sentences_of(corpus.offsets, place) + 1]
    node: Longs = np.zeros(len(place), np.int64)
    reached = set[int]()
    while len(place):
        key = node * len(values) + codes[place]
        at = np.minimum(np.searchsorted(table[:, 0], key), len(table) - 1)
        goes_on = table[at, 0] == key
        node, place, stop = table[at[goes_on], 1], place[goes_on] + 1, stop[goes_on]
        reached.update(np.unique(node).tolist())
        inside = place < stop
        node, place, stop = node[inside], place[inside], stop[inside]
    return reached
