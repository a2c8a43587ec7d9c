"""Clusters and vectors of the words of raw text, made as `sstag clusters` and `sstag vectors` make them.

They are kept in `build/representations` of the working folder, under a name that depends on the bytes of the text, so
that the trials which look at them need not make them again.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from hashlib import sha256
from itertools import chain
from tempfile import TemporaryDirectory

from sstag.corpus.corpus import Corpus, together, without_columns
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read
from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.representations.tasks import TASKS, Task, text
from sstag.experiments.trials import Row, Section, Trial
from sstag.features.clusters import write_clusters
from sstag.features.words.bigrams import read_bigrams
from sstag.features.words.context_vectors import Contexts, context_vectors
from sstag.features.words.exchange import paths_of
from sstag.features.words.vector_files.own import save
from sstag.foundation.parallel import one_by_one

FOLDER = os.path.join("build", "representations")
VERSION = 1
WORD = "word"
DIMENSIONS, LEAST = 100, 3  # as `sstag vectors` and `sstag clusters` have them


@dataclass(frozen=True)
class Made:
    """The files that were made."""

    clusters: str
    vectors: str


def made(corpora: Corpora, task: Task, count: int) -> Made:
    """So many clusters, and vectors, of the words of a task's raw text; made if they are not there."""
    return _made(tuple(corpora.folders), task, count)


@lru_cache(maxsize=8)
def _made(folders: tuple[str, ...], task: Task, count: int) -> Made:
    corpora = Corpora(folders)
    said = [VERSION, task.name, [corpora.digest(file) for file in task.raw_files]]
    folder = os.path.join(FOLDER, sha256(repr(said).encode()).hexdigest()[:16])
    files = Made(os.path.join(folder, f"{count}.clusters"), os.path.join(folder, "own.vectors"))
    if not (os.path.exists(files.clusters) and os.path.exists(files.vectors)):
        os.makedirs(folder, exist_ok=True)
        words = _words(corpora, task)
        if not os.path.exists(files.clusters):
            _write_clusters(words, count, files.clusters)
        if not os.path.exists(files.vectors):
            save(context_vectors(words, WORD, DIMENSIONS, Contexts(), LEAST), files.vectors)
    return files


def measured(corpora: Corpora, needed: Sequence[Sequence[Row]], *, task: str, clusters: int) -> list[Row]:
    """The seconds that both take, and how much text they are made of."""
    words = _words(corpora, TASKS[task])
    with TemporaryDirectory() as folder:
        began = time.process_time()
        _write_clusters(words, clusters, os.path.join(folder, "clusters"))
        then = time.process_time()
        save(context_vectors(words, WORD, DIMENSIONS, Contexts(), LEAST), os.path.join(folder, "vectors"))
        seconds = {
            "clusters seconds": round(then - began, 1),
            "vectors seconds": round(time.process_time() - then, 1),
        }
    return [{"tokens": words.tokens, **seconds}]


def _words(corpora: Corpora, task: Task) -> Corpus:
    """The words of the raw text, in one column."""
    parts = [_column(text(corpora, task, "train"), task.word)]
    if not task.train:
        parts.append(_column(text(corpora, task, "unlabelled"), task.word))
    for file in task.raw:
        path = corpora.path(file)
        raw = read(path, layout_for(path, unlabelled=True))
        parts.append(_column(raw, raw.columns[0]))
    return reduce(together, parts)


def _column(corpus: Corpus, name: str) -> Corpus:
    """One column of a text, under the name that all have."""
    alone = without_columns(corpus, [other for other in corpus.columns if other != name])
    return replace(alone, columns=(WORD,))


def _write_clusters(words: Corpus, count: int, path: str) -> None:
    """Clusters of the words of a text, in a file."""
    with TemporaryDirectory() as folder:
        raw = os.path.join(folder, "raw.txt")
        sentences = (words.words(WORD, sentence) for sentence in range(words.sentences))
        with open(raw, "w", encoding="utf-8") as file:
            file.writelines(chain.from_iterable((*(f"{word}\n" for word in one), "\n") for one in sentences))
        bigrams = read_bigrams([raw], lambda each: layout_for(each, [WORD], unlabelled=True), WORD, LEAST, _quiet)
        paths = paths_of(bigrams, count, one_by_one, _quiet)
        write_clusters(path, zip(paths, bigrams.words, bigrams.times.tolist(), strict=True))


def _quiet(said: str) -> None:
    """Progress is told of trials, not within them."""


def making(tasks: Sequence[Task], count: int) -> Section:
    """The trials that measure it, and their table."""
    trials = [
        Trial(f"{__name__}:measured", {"task": task.name, "clusters": count}, task.raw_files, cost=60.0)
        for task in tasks
    ]

    def report(rows: list[Row]) -> Iterator[Block]:
        head = ("", "tokens of raw text", f"{count} clusters, s", "vectors, s")
        table: list[list[Cell]] = [
            [TASKS[row["task"]].title, row["tokens"], row["clusters seconds"], row["vectors seconds"]] for row in rows
        ]
        yield "## What is made of raw text"
        yield Table("Seconds of one core to make own clusters and vectors", head, table)

    return Section(trials, report)
