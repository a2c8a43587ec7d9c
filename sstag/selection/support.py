"""Doubts about labels that other labels support: those of the same words in other sentences.

A model that has never seen a word says what most words are, and so contradicts every name that occurs once. A
place is supported if what is given has at most the probability `IMPROBABLE`, and if each of its tokens whose best label
is not the one given is a word that other sentences have with a label of the best one's type: at least `LEAST` times,
and `FACTOR` times as often as with a label of the given type. Where the types are the same, and only the bounds of a
chunk differ, labels are counted themselves.
"""

import numpy as np

from sstag.foundation.arrays import Longs
from sstag.foundation.ranges import sentences_of
from sstag.selection.suspects import OutOfFold

IMPROBABLE, LEAST, FACTOR = 0.1, 2, 4


def supported_places(doubts: OutOfFold, types: Longs) -> Longs:
    """The doubted places that labels of other sentences support, in their order; `types` has the type of each label."""
    text = doubts.text
    corpus, sets = text.corpus, text.sets
    words = _folded(corpus.values[corpus.word_column])[corpus.codes[corpus.word_column]]
    label = text.single
    sentence = sentences_of(corpus.offsets, np.arange(corpus.tokens))
    order = np.argsort(words, kind="stable")
    begins = np.searchsorted(words[order], np.arange(words.max(initial=-1) + 2))

    def is_supported(token: int) -> bool:
        same = order[begins[words[token]] : begins[words[token] + 1]]
        others = label[same[(sentence[same] != sentence[token]) & (label[same] >= 0)]]
        best, mine = int(doubts.found[token]), np.flatnonzero(sets.allowed[text.codes[token]])
        if best < 0:
            return False
        kinds = np.arange(len(types)) if types[best] in types[mine] else types
        against = np.isin(kinds[others], kinds[mine]).sum()
        return bool((kinds[others] == kinds[best]).sum() >= max(LEAST, FACTOR * against))

    result = []
    for number in np.flatnonzero(doubts.of_given <= IMPROBABLE).tolist():
        first, last = doubts.places[number]
        tokens = np.arange(first, last + 1)
        wrong = ~sets.allowed[text.codes[tokens], doubts.found[tokens]] & ~sets.unknown[text.codes[tokens]]
        if all(is_supported(token) for token in tokens[wrong].tolist()):
            result.append(number)
    return np.array(result, np.int64)


def _folded(words: list[str]) -> Longs:
    """A number for each word, the same for words that differ in case only."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(word.casefold(), len(numbers)) for word in words], np.int64)
