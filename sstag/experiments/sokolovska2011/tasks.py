"""The tasks of Sokolovska (2011, §6): the phonemes of letters, the names in sentences; or what is generated instead."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from itertools import islice, pairwise

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of, together
from sstag.evaluation.gold import Gold, f_score, gold_labels
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import percent
from sstag.experiments.refitting import Text
from sstag.experiments.samples.ads import ads
from sstag.features.word_functions import short_shape
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.parallel import one_by_one
from sstag.labels.marks import PLAIN
from sstag.model.compiled import compiled
from sstag.model.model import model
from sstag.model.weight_map import weight_map
from sstag.selection.density.file import density_of_text

MANY = 10**9  # ads, made as they are asked for


@dataclass(frozen=True)
class Task:
    """A corpus, and how the paper learns from it."""

    called: str
    columns: tuple[str, ...]  # the last one is the label
    template: str
    order: int  # of the n-grams of q(x)
    l2: float  # 2ρ
    sizes: tuple[int, ...]  # how many sentences are learned from
    train: tuple[str, ...] = ()
    test: Mapping[str, str] = field(default_factory=dict)  # name → file
    chunks: bool = False  # the labels are those of chunks
    words: bool = False  # a sentence is a word

    @property
    def template_name(self) -> str:
        return f"sokolovska2011/{self.template}"

    @property
    def files(self) -> tuple[str, ...]:
        return (*self.train, *self.test.values())


NETTALK, CONLL = "nettalk", "conll2003"
TASKS = {
    NETTALK: Task(
        called="NETtalk",
        columns=("letter", "phoneme"),
        template="letters",
        order=4,
        l2=0.2,
        sizes=(30, 100),
        train=tuple(f"nettalk/parts/part{number}.txt" for number in range(9)),
        test={"test": "nettalk/parts/part9.txt"},
        words=True,
    ),
    CONLL: Task(
        called="CoNLL-2003",
        columns=("word", "pos", "chunk", "tag"),
        template="names",
        order=3,
        l2=1.0,
        sizes=(10, 50),
        train=("conll2003/eng.train.gz",),
        test={"test A": "conll2003/eng.testa", "test B": "conll2003/eng.testb"},
        chunks=True,
    ),
}


@dataclass(frozen=True, eq=False)
class Test:
    """A text to be labelled."""

    text: Text
    corpus: Corpus
    labels: tuple[str, ...]
    chunks: bool

    def figures(self, theta: Floats) -> dict[str, float]:
        """The error of the best labels, per cent; and F, if they are those of chunks."""
        guess, gold = self.text.best(theta), self._gold
        numbers = gold.numbers(self.labels)[guess]
        found = {"error": percent((numbers != gold.first).mean())}
        if self.chunks:
            found["f1"] = percent(f_score(gold.tags, gold.against(numbers), numbers, self.corpus.offsets))
        return found

    def counts(self, theta: Floats) -> Longs:
        """How many of the best labels of each sentence are wrong, and of how many."""  # (S, 2)
        wrong = self._gold.numbers(self.labels)[self.text.best(theta)] != self._gold.first
        offsets = self.corpus.offsets
        return np.stack([np.add.reduceat(wrong.astype(np.int64), offsets[:-1]), np.diff(offsets)], axis=1)

    @cached_property
    def _gold(self) -> Gold:
        column, corpus = len(self.corpus.columns) - 1, self.corpus
        return gold_labels(
            corpus.values[column],
            corpus.codes[column],
            corpus.offsets,
            PLAIN,
            None if self.chunks else "plain",
            self.labels,
            partial(corpus.first_place, column),
        )


@dataclass(frozen=True, eq=False)
class Prepared:
    """A task ready to be tried: the pool as arrays, what is known of it, and the tests."""

    task: Task
    corpus: Corpus
    text: Text
    tests: Mapping[str, Test]
    log_q: Floats  # of the pool
    l2: float

    @cached_property
    def lengths(self) -> Longs:
        return np.diff(self.corpus.offsets)


def read(corpora: Corpora, name: str, made: tuple[int, int]) -> tuple[Corpus, dict[str, Corpus]]:
    """The pool and the tests; if so many sentences of each are to be made, they are generated."""
    task = TASKS[name]
    if any(made):
        texts = [_generated(task, count, part) for part, count in enumerate((made[0], *[made[1]] * len(task.test)))]
        return texts[0], dict(zip(task.test, texts[1:], strict=True))
    pool = reduce(together, (corpora.read(file, task.columns) for file in task.train))
    return pool, {test: corpora.read(file, task.columns) for test, file in task.test.items()}


def prepared(corpora: Corpora, name: str, made: tuple[int, int], stronger: float = 1.0) -> Prepared:
    """A task, whose q(x) is counted on all there is, without labels and without smoothing (S11 §6.3)."""
    task, (pool, tests) = TASKS[name], read(corpora, name, made)
    label = task.columns[-1]
    density = density_of_text([pool, *tests.values()], label=label, order=task.order, smoothing=0.0)
    found = compiled(shipped_template(task.template_name), pool, marks=PLAIN)
    assert found.labelled is not None
    weights = weight_map(found)
    tagger = model(found, np.zeros(weights.size))
    return Prepared(
        task,
        pool,
        Text(found.labelled, weights),
        {
            test: Test(Text(tagger.dataset(corpus), weights), corpus, found.labels, task.chunks)
            for test, corpus in tests.items()
        },
        density.log_q(pool, one_by_one),
        task.l2 * stronger,
    )


def _generated(task: Task, count: int, part: int) -> Corpus:
    """Ads whose fields are names (IOB1); or words of ads, whose letters sound by the one before."""
    made = ads(MANY, np.random.default_rng([2011, part]))
    if task.words:
        words = (word for ad in made for word, _ in ad if word.isalpha())
        return corpus_of([_spoken(word.lower()) for word in islice(words, count)], task.columns)
    sentences = [
        [(word, short_shape(word), word[-1], f"I-{field}") for word, field in ad] for ad in islice(made, count)
    ]
    return corpus_of(sentences, task.columns)


def _spoken(word: str) -> list[tuple[str, str]]:
    """A doubled letter is silent, as is a last e; a vowel after a vowel sounds otherwise."""
    sounds = [(word[0], word[0])]
    for last, letter in pairwise(word):
        silent = letter == last or (letter == "e" and len(sounds) == len(word) - 1)
        sounds.append((letter, "-" if silent else letter.upper() if {last, letter} <= set("aeiou") else letter))
    return sounds
