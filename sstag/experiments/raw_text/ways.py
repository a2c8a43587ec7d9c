"""The ways to learn from raw text, each as somebody who sets nothing uses it; and a trial: one of them on a draw."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import ALONE, judged, percent, settings
from sstag.experiments.mann2008.labelled_words import HEURISTIC, Words, with_similar, word_list
from sstag.experiments.over_sentences import gain_of
from sstag.experiments.raw_text.texts import TASKS, drawn
from sstag.experiments.representations.eyes import template_of
from sstag.experiments.representations.tasks import Task
from sstag.experiments.trials import Row
from sstag.features.grammar import features
from sstag.features.template import Template
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.knowledge.known_shares import KnownShares
from sstag.knowledge.labelled_features import read_features
from sstag.knowledge.proposals import chosen_proposals, every_proposal, with_features
from sstag.knowledge.target_shares import counted_shares, shares_text
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.selection.simulation.annotator import without
from sstag.training.inputs import Inputs
from sstag.training.run import Task as Training
from sstag.training.run import trained
from sstag.training.share_matching import matched

PLAIN = "labels alone"
REGULARISED = "label regularisation"
LISTS = SIMILAR, EXPECTATION, BOTH, PARTIAL = (
    "similar words, a person's list",
    "expectation, a person's list",
    "similar words and expectation, a person's list",
    "partial labels, a person's list",
)
OF_EACH, LEAST = 3, 2  # words of a label in a list, and occurrences in raw text: what `sstag expectations` takes
OF_A_PERSON = 10  # words of a label in the list of somebody who knows them
SMOOTHING = 0.1  # of shares, as label regularisation has it
COSTS = (
    "drifts to one label",
    "gains little here",
    "without holding their shares",
    "takes every label that it finds for true",
    "are left out",
)  # in the warnings that say that a method may cost


@dataclass(frozen=True)
class Given:
    """All that a way has."""

    template: Template
    labelled: Corpus
    raw: Corpus  # without labels
    known: Corpus  # all labelled sentences of the corpus, of which a person's list is made
    shares: Mapping[str, float]  # of the labels in the raw text
    draw: int
    folder: str
    warn: Callable[[str], None]

    def by(self, method: str, **parameters: Json) -> Model:
        """A model as `sstag train` makes it."""
        inputs = Inputs(self.template, self.labelled, None if method in ("crf", "hmm") else self.raw)
        task = Training(inputs, method, settings(method, **parameters), self.draw)
        return trained(task, replace(ALONE, warn=self.warn))

    def saved(self, lines: str) -> str:
        """The path of a list."""
        path = os.path.join(self.folder, "list.tsv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(lines)
        return path

    @property
    def truth(self) -> str:
        """The path of a list of the labels' true shares, for the labels that the labelled sentences have."""
        text = labelled_text(self.labelled, self.template.label, Marks(), ())
        shares = np.array([max(self.shares.get(label, 0.0), 1e-6) for label in text.sets.labels])
        return self.saved(f"*\t{shares_text(text.sets.labels, shares / shares.sum())}\n")

    def words(self, of: Corpus, count: int) -> Words:
        """So many words of each label, as some labelled sentences have them."""
        columns, label = self.template.columns or (), self.template.label
        how = with_features(self.template, features(f"{columns[0]}[0]", columns, label))
        found = every_proposal(how, of, self.raw, Marks())
        return Words(found, found, tuple(chosen_proposals(found, "prototypes", count, LEAST, SMOOTHING)), 1)

    @property
    def unread(self) -> str:
        """The path of a list of words that the labelled sentences make, which nobody has read."""
        return self.saved(word_list(self.words(self.labelled, OF_EACH), HEURISTIC, self.draw)[0])

    @property
    def listed(self) -> str:
        """The path of a list of words that a person makes, each with one label."""
        of = self.words(self.known, OF_A_PERSON)
        return self.saved("".join(f"{text}\t{of.majority(place)[0]}\n" for place, text in enumerate(of.texts)))

    @property
    def seeing_similar(self) -> "Given":
        """A copy whose template also looks at the words of the person's list to which a word is similar."""
        return replace(self, template=with_similar(self.template, self.raw, self.words(self.known, OF_A_PERSON)))


def _biased(given: Given) -> Model:
    """The CRF with biases by which the labels of the raw text have the labelled sentences' shares."""
    model = given.by("crf")
    found = shares_of(given.labelled, given.template.label)
    counts = np.array([found.get(label, 0.0) * given.labelled.tokens for label in model.labels])
    shares = dict(zip(model.labels, counted_shares(counts, SMOOTHING).tolist(), strict=True))
    made = matched(model, given.raw, KnownShares("", "", shares), one_by_one, lambda step, away: None)
    if made.warning:
        given.warn(made.warning)
    return made.model


def _partial(given: Given) -> Model:
    """Raw sentences in which the words of the person's list have their labels, and all others are open."""
    inputs = Inputs(given.template, given.labelled, given.raw)
    listed = read_features(given.listed, given.template)
    task = Training(inputs, "partial", settings("partial"), given.draw, features=listed)
    return trained(task, replace(ALONE, warn=given.warn))


WAYS: Mapping[str, Callable[[Given], Model]] = {
    PLAIN: lambda given: given.by("crf"),
    REGULARISED: lambda given: given.by("label-regularization"),
    "label regularisation, shares held exactly": lambda given: given.by("label-regularization", errors=0.0),
    "label regularisation, known shares": lambda given: given.by("label-regularization", expectations=given.truth),
    "biases, tag --match-shares": _biased,
    "expectation, words of these sentences": lambda given: given.by("expectation", expectations=given.unread),
    "entropy": lambda given: given.by("entropy"),
    "entropy, γ = 0.1": lambda given: given.by("entropy", gamma=0.1),
    "self-training": lambda given: given.by("self-training"),
    "hmm (no raw text)": lambda given: given.by("hmm"),
    SIMILAR: lambda given: given.seeing_similar.by("crf"),
    EXPECTATION: lambda given: given.by("expectation", expectations=given.listed),
    BOTH: lambda given: given.seeing_similar.by("expectation", expectations=given.listed),
    PARTIAL: _partial,
}


def shares_of(corpus: Corpus, label: str) -> dict[str, float]:
    """The shares of the labels of a text."""
    place = corpus.column(label)
    counts = np.bincount(corpus.codes[place], minlength=len(corpus.values[place])) / corpus.tokens
    return {text: float(share) for text, share in zip(corpus.values[place], counts, strict=True) if share > 0}


def given(
    corpora: Corpora, task: Task, sentences: int, raw: int, draw: int, folder: str, warn: Callable[[str], None]
) -> tuple[Given, Corpus]:
    """All that the ways have on a draw, and the text to judge them by."""
    data = drawn(corpora, task, sentences, raw, draw)
    shares, words = shares_of(data.raw, task.label), without(data.raw, task.label)
    how = template_of(corpora, task, ())
    return Given(how, data.labelled, words, data.known, shares, draw, folder, warn), data.test


def learned(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, task: str, sentences: int, raw: int, draw: int, way: str
) -> list[Row]:
    """The figures of a way, the processor's seconds, and whether it was warned that it may cost."""
    of: Task = TASKS[task]
    warned: list[str] = []
    with TemporaryDirectory() as folder:
        has, test = given(corpora, of, sentences, raw, draw, folder, warned.append)
        began = time.process_time()
        model = WAYS[way](has)
        seconds = time.process_time() - began
    figures = judged(model, test).figures
    beside = model.about.get("shares")
    return [
        {
            "figure": percent(figures[of.measure]),
            "seconds": round(seconds, 2),
            "warned": float(any(cost in text for text in warned for cost in COSTS)),
            "ratio": beside["ratio"] if isinstance(beside, Mapping) else None,
        }
    ]


def compared(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, task: str, sentences: int, raw: int, draw: int, way: str
) -> list[Row]:
    """The gain of a way over labels alone on one draw, and its interval over the sentences of the test."""
    of: Task = TASKS[task]
    with TemporaryDirectory() as folder:
        has, test = given(corpora, of, sentences, raw, draw, folder, lambda text: None)
        ours, theirs = (judged(WAYS[one](has), test) for one in (way, PLAIN))
    return [{"over test": gain_of(ours, theirs, of.measure)}]
