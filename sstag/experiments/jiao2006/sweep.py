"""Entropy regularisation over values of γ (J06 §5): what is found in the raw text and elsewhere, and what it changes.

All values start from the same supervised optimum, which is γ = 0. Per draw, raw text and kind of weights it is a trial.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus
from sstag.evaluation.scoring import Column, Evaluation, evaluation
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import ALONE, CLIMBED, fitted, percent, tagger
from sstag.experiments.jiao2006.draws import Draw, drawn
from sstag.experiments.trials import Row
from sstag.features.template import Template, Text
from sstag.foundation.arrays import Bools, Floats, Ints
from sstag.foundation.parallel import one_by_one
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled, compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model, model
from sstag.model.weight_map import weight_map
from sstag.training.climb import climbed
from sstag.training.inputs import Inputs
from sstag.training.looks import Part
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.likelihood import Likelihood

OUTSIDE = "O"
UNSURE = (0.1, 0.5)  # probabilities of a mention, under the supervised CRF, of tokens that it mostly leaves out
TEMPLATES = ("window", "conjunctions", "word")


def template(name: str, whole: Template | None = None) -> Template:
    """The features of configs/jiao2006, or of another template: without those of two words, with them, or of the word
    itself alone."""
    whole = whole or shipped_template("jiao2006/genes")
    features = whole.features
    if name != "conjunctions":
        features = tuple(one for one in features if len(one.terms) == 1)
    if name == "word":
        features = tuple(one for one in features if isinstance(one.terms[0], Text) and one.terms[0].offset == 0)
    return replace(whole, features=features)


def swept(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
    features: str,
    vocabulary: str | None,
    pairs: str | None,
    l2: float,
    per: str,
    iterations: int,
    gammas: Sequence[float],
) -> list[Row]:
    """The mentions that each γ finds in the raw text, in the text that may choose γ, and in the rest."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    how = replace(template(features), vocabulary=vocabulary, pairs=pairs)
    system = supervised(compiled(how, data.labelled, data.raw), data, l2, iterations)
    rows: list[Row] = []
    for gamma in gammas:
        theta = system.climbed(gamma, per)
        rows += [{"gamma": gamma, "on": name, **said} for name, said in system.figures(theta).items()]
    return rows


def self_trained(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    sizes: Mapping[str, int],
    made: int,
    raw: str,
    draw: int,
    confidence: float,
) -> list[Row]:
    """The mentions that self-training finds (J06 §5.1)."""
    data = drawn(corpora, corpus, sizes, made, raw, draw)
    found = tagger(
        template("window"), data.labelled, "self-training", unlabelled=data.raw, confidence=confidence, settled=0.0
    )
    rounds = {"rounds": len(found.about["rounds"]) - 1}
    texts = {"raw": data.raw, "rest": data.rest}
    return [
        {"on": name, **rounds, **mentions(judged_by(found, text, found.dataset(text)))} for name, text in texts.items()
    ]


@dataclass(frozen=True)
class Supervised:
    """A supervised CRF that raw text can change; the texts that it is judged by, as arrays."""

    made: Compiled
    start: Floats
    l2: float
    iterations: int
    texts: Mapping[str, tuple[Corpus, Dataset]]
    first: Ints  # the labels it finds in the rest, (T,)
    mention: Floats  # the probability of a mention there, (T,)

    def climbed(self, gamma: float, per: str) -> Floats:
        """The weights for a γ."""
        labelled, raw = self.made.labelled, self.made.unlabelled
        if gamma == 0.0 or labelled is None or raw is None:
            return self.start
        parts = [
            Part(labelled, (Likelihood(),)),
            Part(raw, (Entropy(gamma, per),)),
        ]
        params = replace(CLIMBED, l2=self.l2, max_iterations=self.iterations)
        return climbed(Inputs(self.made.template, None), self.made, parts, params, ALONE, self.start).theta

    def figures(self, theta: Floats) -> dict[str, Row]:
        """The figures of each text; for the rest also the tokens whose label changed, and those that were not sure."""
        ours = model(self.made, theta)
        scores = {name: judged_by(ours, *text) for name, text in self.texts.items()}
        figures: dict[str, Row] = {name: mentions(one) for name, one in scores.items()}
        _, raw = self.texts["raw"]
        figures["raw"]["entropy"] = float(np.mean(np.concatenate(ours.asked(raw, one_by_one, _token_entropies))))
        figures["rest"] |= self._changes(scores["rest"])
        return figures

    def _changes(self, now: Evaluation) -> dict[str, int]:
        """How many tokens have joined mentions or left them, and at how many of these that is right."""
        outside = now.labels.index(OUTSIDE)
        before, after, gold = self.first != outside, now.predicted != outside, now.gold != outside
        low, high = UNSURE
        unsure: Bools = (self.mention >= low) & (self.mention < high)
        kinds: dict[str, Bools] = {
            "joined": ~before & after,
            "joined rightly": ~before & after & gold,
            "left": before & ~after,
            "left rightly": before & ~after & ~gold,
            "unsure": unsure,
            "unsure in gold": unsure & gold,
            "unsure found": unsure & after,
        }
        return {name: int(some.sum()) for name, some in kinds.items()}


def supervised(made: Compiled, data: Draw, l2: float, iterations: int) -> Supervised:
    """The CRF of the labelled text, before raw text changes it."""
    assert made.labelled is not None
    start = fitted(made, [made.labelled], np.zeros(weight_map(made).size), replace(CLIMBED, l2=l2))
    tagger = model(made, start)
    texts = {
        name: (text, tagger.dataset(text))
        for name, text in (("raw", data.raw), ("choosing", data.choosing), ("rest", data.rest))
    }
    outside = made.labels.index(OUTSIDE)
    nodes = tagger.asked(texts["rest"][1], one_by_one, lambda _, lattice: 1.0 - lattice.nodes[:, outside])
    first = judged_by(tagger, *texts["rest"]).predicted
    return Supervised(made, start, l2, iterations, texts, first, np.concatenate(nodes))


def judged_by(tagger: Model, text: Corpus, data: Dataset) -> Evaluation:
    """The evaluation of the mentions that a tagger finds in a text."""
    column = text.column(tagger.template.label)
    found = Column(tagger.labels, tagger.tagged(data, one_by_one))
    return evaluation(Column(text.values[column], text.codes[column]), found, text.offsets, scheme="iob2")


def mentions(scores: Evaluation) -> Row:
    """How many mentions there are, were found, and are right, with the figures of these."""
    figures = {name: percent(scores.figures[name]) for name in ("precision", "recall", "f1")}
    outside = scores.predicted == scores.labels.index(OUTSIDE)
    return {
        **{name: scores.totals[name] for name in ("gold", "found", "right")},
        **figures,
        "outside": percent(outside.mean()),
    }


def _token_entropies(batch: Batch, lattice: Lattice) -> Floats:
    entropies: Floats = lattice.token_entropy
    return entropies
