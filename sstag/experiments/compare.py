"""Methods and templates compared by cross-validation on anybody's files: a trial for each system and fold.

All systems have the same folds, and each sentence is tagged by models that have not learned from it. So what is
compared are the counts of right labels and chunks in every sentence, with the intervals and tests of `sstag eval
--compare`.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sstag.corpus.contexts import FILE, NONE, OF_FILE, Context
from sstag.corpus.corpus import Corpus, selected
from sstag.corpus.formats import Asked
from sstag.corpus.reading import read, read_files
from sstag.evaluation.gold import gold_labels
from sstag.evaluation.scoring import COUNTS, FIGURES, Column, evaluation, figures
from sstag.evaluation.significance import bootstrap, randomisation
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import ALONE
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.readings import reading_asked, reading_said
from sstag.experiments.spread import shown
from sstag.experiments.trials import Experiment, Row, Section, Trial
from sstag.features.adapted import fitted_to_file
from sstag.features.reading import load_template
from sstag.features.shipped import shipped_names
from sstag.features.template import Template
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError, DataError, counted
from sstag.foundation.json_values import Json
from sstag.labels.marks import marks_in
from sstag.model.model import Model
from sstag.model.second_look import in_own_context
from sstag.training.inputs import Inputs
from sstag.training.methods import METHODS
from sstag.training.methods.completion import completed
from sstag.training.parameter_specs import PathSpec, specs
from sstag.training.run import Task, trained

TITLE = "Methods and templates on your files"
NOT_COUNTED = "not counted"  # the key of counts by a model that has not counted what it tags


@dataclass(frozen=True)
class System:
    """A way to make a tagger: a template, a method, and its parameters as they were written."""

    template: str
    method: str
    parameters: Mapping[str, Json]
    name: str


@dataclass(frozen=True)
class Plan:
    """The files and systems to compare, and how."""

    train: Sequence[str]
    unlabeled: str | None
    systems: Sequence[System]
    folds: int
    seed: int
    resamples: int
    reading: Asked = field(default_factory=Asked)
    said_context: Context | None = None

    @property
    def context(self) -> Context:
        """The text that models of two stages read before they tag a fold: the fold, or nothing."""
        return self.said_context or OF_FILE


def experiment(plan: Plan) -> Experiment:
    """A trial for each system and fold."""
    names = [system.name for system in plan.systems]
    if len(names) < 2 or len(set(names)) < len(names):
        raise ConfigError(
            "a comparison needs two different systems or more: methods (--method), templates (--template), or both"
        )
    for system in plan.systems:  # errors before anything is run
        completed(system.method, system.parameters)
        for path in plan.train:
            _fitted(system.template, plan.train, plan.reading).layout(path, plan.reading)
        needs = (METHODS[system.method].unlabelled and system.method) or (_looks_twice(system) and "predicted(…)")
        if needs and plan.unlabeled is None:
            raise ConfigError(f"{needs} needs raw text: --unlabeled FILE")
    if plan.said_context and not any(map(_looks_twice, plan.systems)):
        raise ConfigError("--context is for templates with predicted(…), and none of these has such a line")
    corpus = _labelled(plan)
    if corpus.sentences < plan.folds:
        raise ConfigError(f"{plan.folds} folds of {counted(corpus.sentences, 'sentence')}")
    trials = [_trial(plan, system, fold, corpus.tokens) for fold in range(plan.folds) for system in plan.systems]
    return Experiment(TITLE, [Section(trials, partial(_report, plan, corpus))])


def _looks_twice(system: System) -> bool:
    return bool(load_template(system.template).predicted)


def _trial(plan: Plan, system: System, fold: int, tokens: int) -> Trial:
    raw = METHODS[system.method].unlabelled or _looks_twice(system)
    data = [*plan.train, *([plan.unlabeled] if raw and plan.unlabeled else [])]
    settings: dict[str, Json] = {
        "train": list(plan.train),
        "reading": reading_said(plan.reading.for_files(data)),
        "unlabeled": plan.unlabeled if raw else None,
        "template": system.template,
        "method": system.method,
        "parameters": dict(system.parameters),
        "folds": plan.folds,
        "fold": fold,
        "seed": plan.seed,
        "system": system.name,
        **({"context": str(plan.context)} if _looks_twice(system) else {}),
    }
    folder = "" if system.template in shipped_names() else os.path.dirname(system.template)
    own = [os.path.join(folder, name) for name in load_template(system.template).files]
    known = specs(METHODS[system.method].parameters)
    own += [str(value) for name, value in system.parameters.items() if isinstance(known.get(name), PathSpec)]
    return Trial(
        f"{__name__}:held_out", settings, [*data, system.template, *own], cost=tokens / 10_000 * (5 if raw else 1)
    )


def held_out(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    train: Sequence[str],
    reading: Mapping[str, Json],
    unlabeled: str | None,
    template: str,
    method: str,
    parameters: Mapping[str, Json],
    folds: int,
    fold: int,
    seed: int,
    system: str,
    context: str = NONE,
) -> list[Row]:
    """The counts of right labels and chunks in each sentence of a fold, by a model of the others.

    If the model counts the fold before it tags it, there are those of the model that does not, too.
    """
    paths, text = [corpora.path(one) for one in train], None if unlabeled is None else corpora.path(unlabeled)
    asked = reading_asked(reading).among([*paths, *([] if text is None else [text])])
    how = _fitted(template if template in shipped_names() else corpora.path(template), paths, asked)
    corpus = read_files(paths, lambda path: how.layout(path, asked))
    marks = marks_in(how.layout(paths[0], asked).format)
    column = corpus.column(how.named(corpus.columns).label)
    place = partial(corpus.first_place, column)
    whole = gold_labels(corpus.values[column], corpus.codes[column], corpus.offsets, marks, None, (), place)
    chosen = _folds(corpus, folds, seed) == fold
    raw = None
    if text is not None:
        raw = read(text, how.named(corpus.columns).raw_layout(text, asked))
    inputs = Inputs(how, selected(corpus, ~chosen), raw, marks=marks)
    began = time.monotonic()
    model = trained(Task(inputs, method, completed(method, parameters), seed), ALONE)
    seconds = time.monotonic() - began
    part = selected(corpus, chosen)
    gold = Column(part.values[part.column(model.template.label)], part.codes[part.column(model.template.label)])

    def counts(tagger: Model) -> list[list[int]]:
        found = Column(model.labels, tagger.tagged(tagger.dataset(part), ALONE.over))
        rows: list[list[int]] = evaluation(gold, found, part.offsets, marks, whole.tags.scheme).rows.tolist()
        return rows

    own = in_own_context(model, part, ALONE.over) if context == FILE else model
    return [
        {
            "seconds": round(seconds, 2),
            "plain": whole.tags.scheme == "plain",
            "sentences": np.flatnonzero(chosen).tolist(),
            "counts": counts(own),
            **({NOT_COUNTED: counts(model)} if model.first and context == FILE else {}),
        }
    ]


def _fitted(template: str, train: Sequence[str], reading: Asked) -> Template:
    """A template, one that comes with sstag for the columns of the labelled sentences."""
    return fitted_to_file(load_template(template), train[0], reading, labelled=True)


def _folds(corpus: Corpus, folds: int, seed: int) -> Longs:
    """The fold of each sentence."""
    result = np.empty(corpus.sentences, np.int64)
    result[np.random.default_rng(seed).permutation(corpus.sentences)] = np.arange(corpus.sentences) % folds
    return result


def _labelled(plan: Plan) -> Corpus:
    """The sentences to compare on, which must have labels."""
    how = _fitted(plan.systems[0].template, plan.train, plan.reading)
    found = read_files(plan.train, lambda path: how.layout(path, plan.reading))
    if how.named(found.columns).label not in found.columns:
        raise DataError(f"no column '{how.label}': a comparison needs labels", found.path)
    return found


def _report(plan: Plan, corpus: Corpus, rows: list[Row]) -> Iterator[Block]:
    """How good each system is, and how much less good than the best."""
    counts = {system.name: _counts(corpus, system.name, rows) for system in plan.systems}
    plain = any(row["plain"] for row in rows)
    figure = FIGURES.index("accuracy" if plain else "f1")
    scores = {name: 100 * float(figures(one.sum(axis=0))[figure]) for name, one in counts.items()}
    best = max(scores, key=lambda name: scores[name])
    yield (
        f"{corpus.sentences:,} sentences, {corpus.tokens:,} tokens, {plan.folds} folds: every sentence is tagged by "
        "models that have not learned from it. Intervals (95 %, bootstrap) and p (paired randomisation) draw whole "
        "sentences, as `sstag eval --compare` does."
    )
    twice = [name for name in counts if any(row["system"] == name and "context" in row for row in rows)]
    beside = bool(twice) and plan.context == OF_FILE
    if twice:
        where = "and in the fold before it is tagged; the column beside is without the fold" if beside else "alone"
        yield f"{', '.join(twice)}: labels are counted in raw text {where} (--context {plan.context})."
    lines: list[Sequence[Cell]] = []
    for name in sorted(scores, key=lambda name: -scores[name]):
        low, high = _interval(counts[name], figure, plan)
        less, p = ("", "") if name == best else _less(counts[name], counts[best], figure, plan)
        seconds = [row["seconds"] for row in rows if row["system"] == name]
        alone = _counts(corpus, name, rows, NOT_COUNTED)
        without = [100 * float(figures(alone.sum(axis=0))[figure]) if name in twice else ""] if beside else []
        interval = f"{low:.2f} to {high:.2f}"
        lines.append((name, scores[name], *without, interval, less, p, sum(seconds) / max(len(seconds), 1)))
    title = "Accuracy of labels, in %" if plain else "F₁ of chunks, in %"
    heads = ("", "%", *(["%, fold not counted"] if beside else []), "95 % interval", "below the best", "p", "seconds")
    yield Table(title, heads, lines)
    second = [name for name, *_, p, _ in lines[1:] if isinstance(p, str) and p and not _is_sure(p)]
    if second:
        yield f"It may be chance that {best} is better than {', '.join(map(str, second))}: choose by what else matters."
    else:
        yield f"{best} is the best of these on this kind of text, and that is hardly chance."


def _counts(corpus: Corpus, name: str, rows: list[Row], key: str = "counts") -> Longs:
    """The counts of every sentence, (S, 7), from all folds that are done."""
    result = np.zeros((corpus.sentences, len(COUNTS)), np.int64)
    for row in rows:
        if row["system"] == name and key in row:
            result[row["sentences"]] = row[key]
    return result


def _interval(counts: Longs, figure: int, plan: Plan) -> tuple[float, float]:
    scored = counts[counts[:, 0] > 0]
    bounds = bootstrap(scored, figures, plan.resamples, np.random.default_rng(plan.seed))[:, figure]
    return 100 * float(bounds[0]), 100 * float(bounds[1])


def _less(counts: Longs, best: Longs, figure: int, plan: Plan) -> tuple[str, str]:
    """By how much a system is below the best one, with its interval, and p."""
    scored = best[:, 0] > 0
    rows, width = np.hstack([best[scored], counts[scored]]), counts.shape[1]

    def difference(sums: Floats) -> Floats:
        return figures(sums[..., :width]) - figures(sums[..., width:])

    low, high = (
        100 * bootstrap(rows, difference, plan.resamples, np.random.default_rng(plan.seed))[:, figure]
    ).tolist()
    tested = randomisation(rows[:, :width], rows[:, width:], figures, plan.resamples, np.random.default_rng(plan.seed))
    value = 100 * float(difference(rows.sum(axis=0))[figure])
    return f"{value:.2f} ({low:+.2f} to {high:+.2f})", shown(float(tested[figure]))


def _is_sure(p: str) -> bool:
    """Whether a p, as a table shows it, is below .05."""
    return p.startswith("<") or float(p) < 0.05
