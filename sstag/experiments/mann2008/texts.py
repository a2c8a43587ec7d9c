"""The texts of M08's experiment: to train on, to choose parameters by, to test on, and raw; words and fields alone.

Citations come in these parts. Of seminar announcements `labeled25` and some of `rest` are to train on, some of `rest`
choose, and the others are raw; the split is one for all draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, selected, together
from sstag.experiments.corpora import Corpora
from sstag.experiments.samples.ads import ads
from sstag.selection.simulation.annotator import without

CITATIONS, SEMINARS, ADS = "citations", "seminars", "generated ads"
FILES = {
    CITATIONS: tuple(f"citations/{name}.txt" for name in ("train", "dev", "test", "unlabeled")),
    SEMINARS: tuple(f"seminars/{name}.txt" for name in ("labeled25", "rest", "test")),
}
ALL_FILES = tuple(name for names in FILES.values() for name in names)
COLUMNS = ("word", "pos", "field")
SEED = 2008
LABELLED, RAW, OCCURRENCES = range(3)  # what is drawn
MORE, CHOOSING = 174, 40  # announcements of `rest` that are to train on, and to choose by


@dataclass(frozen=True)
class Texts:
    """A corpus in its parts; the raw one has no labels."""

    corpus: str
    train: Corpus
    development: Corpus
    test: Corpus
    raw: Corpus


def texts(corpora: Corpora, corpus: str, made: Sequence[int]) -> Texts:
    """A corpus by its name; of generated ads so many to train on, to choose by, to test on, and raw."""
    if corpus == ADS:
        train, choosing, test, raw = (_generated(count, part) for part, count in enumerate(made))
        return Texts(corpus, train, choosing, test, without(raw, "field"))
    read = [without(corpora.read(name, COLUMNS), "pos") for name in FILES[corpus]]
    if corpus == CITATIONS:
        train, choosing, test, raw = read
        return Texts(corpus, train, choosing, test, raw)
    few, rest, test = read
    order = np.random.default_rng(SEED).permutation(rest.sentences)
    more, choosing, raw = (
        selected(rest, np.isin(np.arange(rest.sentences), part)) for part in np.split(order, [MORE, MORE + CHOOSING])
    )
    return Texts(corpus, together(few, more), choosing, test, without(raw, "field"))


def _generated(count: int, part: int) -> Corpus:
    return corpus_of(list(ads(count, np.random.default_rng([SEED, part]))), ("word", "field"))


def some(corpus: Corpus, count: int, draw: int, what: int) -> Corpus:
    """So many sentences, drawn at random, or all if there are no more; larger choices have those of smaller ones."""
    order = np.random.default_rng([SEED, draw, what]).permutation(corpus.sentences)
    return selected(corpus, np.isin(np.arange(corpus.sentences), order[:count]))
