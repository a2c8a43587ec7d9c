"""One draw of the data of J06 §5: disjoint random sets of whole sentences, by their words, from genes or from ads.

A is labelled, B, C and D take their turn as raw text, and E is all the rest. Where γ is to be chosen, B decides, or C
if B is the raw text: it is labelled too, and learned from by nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, selected
from sstag.experiments.corpora import Corpora
from sstag.experiments.samples.ads import ads
from sstag.foundation.arrays import Longs

FILE = "bc1gm/train.txt"
COLUMNS = ("word", "tag")
SEED = 2006
FIELD = "contact"  # of ads, which takes the place of gene mentions
ADS = "generated ads"


@dataclass(frozen=True)
class Draw:
    """A, the raw text, what chooses γ, and E with the places of its sentences in the corpus."""

    labelled: Corpus
    raw: Corpus
    choosing: Corpus
    rest: Corpus
    places: Longs


def drawn(corpora: Corpora, corpus: str, sizes: Mapping[str, int], made: int, raw: str, draw: int) -> Draw:
    """A draw with one of the sets as raw text; of so many ads, if it is of generated ones."""
    text = _generated(made) if corpus == ADS else corpora.read(FILE, COLUMNS)
    order = np.random.default_rng([SEED, draw]).permutation(text.sentences)
    words = np.cumsum(np.diff(text.offsets)[order])
    found, start = {}, 0
    for name, size in sizes.items():
        before = int(words[start - 1]) if start else 0
        stop = int(np.searchsorted(words, before + size)) + 1  # until the number of words is passed
        found[name] = selected(text, np.isin(np.arange(text.sentences), order[start:stop]))
        start = stop
    places = np.sort(order[start:])
    rest = selected(text, np.isin(np.arange(text.sentences), places))
    return Draw(found["A"], found[raw], found["C" if raw == "B" else "B"], rest, places)


def _generated(count: int) -> Corpus:
    """Ads in which one field is a chunk and the others are nothing."""
    sentences = []
    for ad in ads(count, np.random.default_rng(SEED)):
        before = ["", *(field for _, field in ad)]
        sentences.append(
            [
                (word, "O" if field != FIELD else "I" if last == FIELD else "B")
                for (word, field), last in zip(ad, before, strict=False)
            ]
        )
    return corpus_of(sentences, COLUMNS)
