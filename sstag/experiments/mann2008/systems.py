"""The systems that M08 compares, as data, and a trial: one of them, trained on a draw and judged.

What a system leaves open, the prior and the strength of what it makes of raw text, is chosen on the development set
with 25 labelled sentences, or with words alone if it has no other way, once for all rows that have it (`tuned`).
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.evaluation.gold import f1
from sstag.evaluation.scoring import Column, Evaluation, evaluation
from sstag.experiments.corpora import Corpora, shipped_template, shipped_text
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.mann2008.labelled_words import HEURISTIC, Words, own, with_kinds, with_similar, word_list, words
from sstag.experiments.mann2008.system_list import RULES, SYSTEMS, TUNED, System
from sstag.experiments.mann2008.texts import LABELLED, RAW, SEMINARS, Texts, some, texts
from sstag.experiments.trials import Row
from sstag.features.template import Template
from sstag.model.model import Model


def run(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: Sequence[int],
    system: str,
    raw: int,
    instances: int,
    sets: int,
    punctuation: bool,
    targets: str,
    draw: int,
) -> list[Row]:
    """The figures of a system on the test, with a number of labelled sentences, of raw ones, and of sets of words.

    One that labels under rules is judged without them, too.
    """
    data = texts(corpora, corpus, made)
    own = {name: best(needed, what) for name, what in SYSTEMS[system].chosen.items()}
    made_of = _Learned(data, raw, instances, sets, punctuation, targets, draw)
    model, looked_at = made_of.by(system, own)
    tokens = made_of.labelled.tokens if made_of.labelled else 0
    rows: list[Row] = [{**_counted(model, data.test), "tokens": tokens + looked_at, "chosen": own}]
    if freed := SYSTEMS[system].freed:
        rows.append({**rows[0], **_counted(replace(model, rules=None), data.test), "system": freed})
    return rows


def usual(corpora: Corpora, needed: Sequence[Sequence[Row]], *, corpus: str, made: Sequence[int]) -> list[Row]:
    """The figures of a tagger that always gives the most frequent label."""
    data = texts(corpora, corpus, made)
    column = data.train.column("field")
    most = data.train.values[column][int(np.bincount(data.train.codes[column]).argmax())]
    found = Column([most], np.zeros(data.test.tokens, np.int32))
    column = data.test.column("field")
    gold = Column(data.test.values[column], data.test.codes[column])
    return [{**_figures(evaluation(gold, found, data.test.offsets)), "label": most}]


def tuned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    corpus: str,
    made: Sequence[int],
    what: str,
    values: Sequence[float],
    raw: int,
    draws: Sequence[int],
) -> list[Row]:
    """How good each value of a parameter is on the development set."""
    system, parameter = TUNED[what]
    data = texts(corpora, corpus, made)
    own = {name: best(needed, one) for name, one in SYSTEMS[system].chosen.items() if one != what}
    rows: list[Row] = []
    for draw in draws:
        learned = _Learned(data, raw, FEW if SYSTEMS[system].instances else 0, 1, True, HEURISTIC, draw)
        for value in values:
            model, _ = learned.by(system, {**own, parameter: value})
            figure = _counted(model, data.development)[FIGURES.get(corpus, "accuracy")]
            rows.append({"value": value, "figure": figure, "draw": draw})
    return rows


def best(needed: Sequence[Sequence[Row]], what: str) -> float:
    """The value with the highest mean, the first of equals; of l2 the largest within a standard error of that."""
    rows = [row for one in needed for row in one if row["what"] == what]
    values: dict[float, None] = dict.fromkeys(row["value"] for row in rows)
    figures = {value: [row["figure"] for row in rows if row["value"] == value] for value in values}
    found = max(values, key=lambda value: fmean(figures[value]))
    if what != "l2" or len(figures[found]) == 1:
        return found
    least = fmean(figures[found]) - stdev(figures[found]) / sqrt(len(figures[found]))
    return max(value for value in values if fmean(figures[value]) >= least)


@dataclass(frozen=True)
class _Learned:
    """The texts and words that one draw learns from."""

    data: Texts
    raw: int
    instances: int
    sets: int
    punctuation: bool
    targets: str
    draw: int

    @property
    def labelled(self) -> Corpus | None:
        return some(self.data.train, self.instances, self.draw, LABELLED) if self.instances else None

    def by(self, name: str, chosen: Mapping[str, float]) -> tuple[Model, int]:
        """A model, and how many occurrences of words were looked at for it."""
        system = SYSTEMS[name]
        template = shipped_template(f"mann2008/{system.template}")
        template = with_kinds(template) if system.kinds else template
        parameters = {**system.parameters, **chosen}
        raw = some(self.data.raw, self.raw, self.draw, RAW) if system.raw else None
        looked_at = 0
        with TemporaryDirectory() as folder:
            if system.words:
                of = self._words(system, template, raw)
                if system.similar:
                    template = with_similar(template, self.data.raw, of)
                if system.listed:
                    listed, more = word_list(of, self.targets, self.draw)
                    looked_at = 0 if system.own else more
                    Path(folder, "words.tsv").write_text(listed, encoding="utf-8")
                    parameters["expectations"] = os.path.join(folder, "words.tsv")
            if system.rules:
                Path(folder, "rules.yaml").write_text(
                    shipped_text(f"rules/{RULES[self.data.corpus]}"), encoding="utf-8"
                )
                parameters["rules"] = os.path.join(folder, "rules.yaml")
            model = tagger(template, self.labelled, system.method, None, 1, raw, **parameters)
        return model, looked_at

    def _words(self, system: System, template: Template, raw: Corpus | None) -> Words:
        if not system.own:
            return words(template, self.data, self.sets, self.punctuation, system.kinds)
        assert self.labelled
        assert raw
        return own(template, self.labelled, raw)


def _counted(model: Model, text: Corpus) -> dict[str, float]:
    return _figures(judged(model, text))


def _figures(found: Evaluation) -> dict[str, float]:
    """Accuracy; F of the fields, each counting as much; accuracy where there is a field."""
    fields = np.array([counts for label, counts in found.by_kind.items() if label != OTHERS and counts[0]])
    inside = found.scored
    if OTHERS in found.labels:
        inside = inside & (found.gold != found.labels.index(OTHERS))
    return {
        "accuracy": percent(found.figures["accuracy"]),
        "f1": percent(f1(*fields.T).mean()),
        "inside": percent((~found.wrong[inside]).mean()),
    }


OTHERS = "others"  # the label of what belongs to no field


FEW = 25  # labelled sentences with which parameters are chosen


FIGURES = {SEMINARS: "f1"}  # what decides there; elsewhere accuracy
