"""The corpora of this experiment: what is labelled, what is raw, and the template that representations are added to."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, selected
from sstag.experiments.corpora import Corpora
from sstag.experiments.samples.ads import ads
from sstag.selection.simulation.annotator import without

SEED = 2026
RAW = 1000  # raw sentences beside the labelled ones


@dataclass(frozen=True)
class Task:
    """A corpus and how it is used. Files of generated text have no name."""

    name: str
    title: str
    columns: tuple[str, ...]
    template: str  # in `configs`
    left_out: tuple[str, ...]  # columns of other taggers, which are not looked at
    train: str = ""
    test: str = ""
    development: str = ""
    unlabelled: str = ""  # raw sentences beside the labelled ones; without a file, some of `train`
    raw: tuple[str, ...] = ()  # files, besides the words of `train`, of which own clusters and vectors are made
    measure: str = "f1"

    @property
    def word(self) -> str:
        return self.columns[0]

    @property
    def label(self) -> str:
        return self.columns[-1]

    @property
    def files(self) -> tuple[str, ...]:
        """The files that a tagger learns from and is judged by."""
        return tuple(filter(None, (self.train, self.test)))

    @property
    def raw_files(self) -> tuple[str, ...]:
        """The files that own clusters and vectors are made of."""
        return tuple(filter(None, (self.train, *self.raw)))


NEWS = ("reuters/reuters21578.raw.txt.gz", "raw/news.txt.gz")
NAMES = Task(
    "conll2003", "CoNLL-2003, names in news", ("word", "pos", "chunk", "ner"), "templates/ner", ("pos", "chunk"),
    "conll2003/eng.train.gz", "conll2003/eng.testb", "conll2003/eng.testa", raw=NEWS,
)  # fmt: skip
GENES = Task(
    "bc1gm", "BioCreAtIvE, genes in abstracts", ("word", "tag"), "templates/genes", (),
    "bc1gm/train.txt", "bc1gm/test.txt", raw=("raw/medline.txt.gz",),
)  # fmt: skip
CITATIONS = Task(
    "citations", "Fields of citations", ("word", "pos", "field"), "mann2008/fields", ("pos",),
    "citations/train.txt", "citations/test.txt", unlabelled="citations/unlabeled.txt",
    raw=("citations/unlabeled.txt",), measure="accuracy",
)  # fmt: skip
JAPANESE = Task(
    "jws", "Japanese words", ("char", "class", "tag"), "templates/segmentation", (),
    "jws/kwdlc.train.txt.gz", "jws/kwdlc.test.txt", raw=("jws/wiki.train.txt.gz",),
)  # fmt: skip
WEB = Task(
    "ewt", "English Web Treebank, parts of speech", ("word", "upos", "xpos"), "templates/pos", ("upos",),
    "ewt/train.txt", "ewt/test.txt", raw=NEWS, measure="accuracy",
)  # fmt: skip
ADS = Task("ads", "Generated ads", ("word", "field"), "templates/ads", (), measure="accuracy")
TASKS = {task.name: task for task in (NAMES, GENES, CITATIONS, JAPANESE, WEB, ADS)}
GENERATED = {"train": (40, 1), "test": (20, 2), "development": (10, 3), "unlabelled": (40, 4)}  # ads, and their seeds


@lru_cache(maxsize=8)
def _read(folders: tuple[str, ...], file: str, columns: tuple[str, ...]) -> Corpus:
    return Corpora(folders).read(file, columns)


def text(corpora: Corpora, task: Task, part: str) -> Corpus:
    """A part of a corpus, with its labels."""
    file = getattr(task, part)
    if not file:
        count, seed = GENERATED[part]
        return corpus_of(list(ads(count, np.random.default_rng([SEED, seed]))), task.columns)
    return _read(tuple(corpora.folders), file, task.columns)


def labelled(train: Corpus, sentences: int, draw: int) -> Corpus:
    """So many sentences, drawn at random; larger draws have those of smaller ones, and 0 is all."""
    return _some(train, slice(0, sentences or None), draw)


def raw_sentences(corpora: Corpora, task: Task, count: int, draw: int) -> Corpus:
    """Raw sentences for the methods that learn from such: some that small draws of labelled ones do not reach."""
    if task.unlabelled or not task.train:
        return without(text(corpora, task, "unlabelled"), task.label)
    return without(_some(text(corpora, task, "train"), slice(-count, None), draw), task.label)


def _some(train: Corpus, which: slice, draw: int) -> Corpus:
    order = np.random.default_rng([SEED, draw]).permutation(train.sentences)
    return selected(train, np.isin(np.arange(train.sentences), order[which]))
