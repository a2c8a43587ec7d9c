"""The corpora of this experiment: names in three languages, legal names, genes, or else generated ads."""

from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus, selected
from sstag.experiments.corpora import Corpora
from sstag.experiments.representations.tasks import ADS, GENES, NAMES, Task, text

SEED = 2007
RAW = 3000  # raw sentences beside the labelled ones


def _names(name: str, title: str) -> Task:
    """Names of the folder `names`, with the template of names as it is where there are words alone."""
    train, test = (f"names/{name}.{part}.txt" for part in ("train", "test"))
    return Task(name, title, ("word", "tag"), NAMES.template, NAMES.left_out, train, test)


TASKS = {
    task.name: task
    for task in (
        replace(NAMES, title="CoNLL-2003, English names"),
        _names("fr", "French names (WikiANN)"),
        _names("de", "German names (WikiANN)"),
        _names("lener", "legal names in Portuguese (LeNER-Br)"),
        replace(GENES, title="genes (BioCreAtIvE)"),
        ADS,
    )
}


@dataclass(frozen=True)
class Drawn:
    """The sentences of a draw: labelled ones, raw ones with their labels, all of the file, and those for the test."""

    labelled: Corpus
    raw: Corpus
    known: Corpus
    test: Corpus


def drawn(corpora: Corpora, task: Task, sentences: int, raw: int, draw: int) -> Drawn:
    """So many labelled sentences, and as many raw ones that are none of these; larger draws have the smaller ones."""
    every = text(corpora, task, "train")
    order = np.random.default_rng([SEED, draw]).permutation(every.sentences)
    places = np.arange(every.sentences)
    first, last = (selected(every, np.isin(places, some)) for some in (order[:sentences], order[sentences:][-raw:]))
    return Drawn(first, last, every, text(corpora, task, "test"))
