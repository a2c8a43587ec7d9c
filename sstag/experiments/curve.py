"""Learning curves on anybody's files: strategies against a labelled pool, a trial for each draw."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NotRequired, TypedDict, Unpack

from sstag.corpus.contexts import FILE, NONE, OF_FILE, Context
from sstag.corpus.corpus import Corpus
from sstag.corpus.formats import Asked
from sstag.corpus.reading import read
from sstag.experiments.corpora import Corpora
from sstag.experiments.curves import PoolRows, blocks, starts
from sstag.experiments.page import Block
from sstag.experiments.readings import reading_asked, reading_said
from sstag.experiments.simulated import curve, labelled_so_far, scored, warm_and_cold
from sstag.experiments.trials import Experiment, Row, Section, Trial
from sstag.experiments.workbench.rounds import rounds
from sstag.features.adapted import fitted_to_file
from sstag.features.lexicon import read_lexicon
from sstag.features.meaning import meaning_in
from sstag.features.reading import load_template
from sstag.features.shipped import shipped_names
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.json_values import Json
from sstag.model.second_look import in_own_context
from sstag.selection.density.file import density_of_text
from sstag.selection.density.file import load as load_density
from sstag.selection.simulation.annotator import Annotator
from sstag.selection.simulation.rounds import Scene
from sstag.selection.simulation.rounds import rounds as rounds_of
from sstag.selection.simulation.variant import Variant, variant
from sstag.selection.strategies import STRATEGIES
from sstag.training.methods.completion import completed

TITLE = "Learning curves"
ANYWHERE = Corpora([""])  # files by their paths
METHOD = "partial"
# The marks, and characters that stand for them where they are none: a simulation needs `?` for what is not asked yet.
PLAIN = {ord(mark): 0xE000 + number for number, mark in enumerate("|?!")}


@dataclass(frozen=True)
class Files:
    """The files that curves are made of."""

    pool: str
    test: str
    template: str
    reading: Asked = field(default_factory=Asked)
    no_marks: bool = False  # that A|B, ? and !A are plain labels
    context: Context | None = None  # what models of two stages read before they tag the test: it, or nothing


@dataclass(frozen=True)
class Plan:
    """The strategies to simulate, and how far."""

    strategies: Sequence[str]
    totals: Sequence[int]
    unit: str
    draws: int
    first: str
    parameters: Mapping[str, Json]
    workbench: bool = False  # that asks, instead of the strategy itself


class How(TypedDict):
    """The settings of a trial that say what is learned from, and how."""

    pool: str
    test: str
    template: str
    first: str
    parameters: Mapping[str, Json]
    reading: Mapping[str, Json]
    no_marks: NotRequired[bool]


def experiment(files: Files, plan: Plan) -> Experiment:
    """A trial for each strategy and draw, and one that compares warm starts with cold ones."""
    made = {text: variant(text) for text in plan.strategies}
    if len(made) < len(plan.strategies):
        raise ConfigError("a strategy is given twice")
    if STRATEGIES[variant(plan.first).wish.strategy].model:
        raise ConfigError(f"{plan.first} asks a model, and at first there is none")
    completed(METHOD, plan.parameters)  # an error before anything is run
    if plan.workbench and (other := next((text for text in made if text not in STRATEGIES), None)):
        raise ConfigError(f"'{other}': the workbench asks about whole sentences, and knows no options of a strategy")
    pool, test = (_labelled(path, files) for path in (files.pool, files.test))
    folder, asked = os.path.dirname(files.template), load_template(files.template)
    read = [os.path.join(folder, name) for name in asked.files]
    if files.context and not asked.predicted:
        raise ConfigError("--context is for templates with predicted(…), and this one has no such line")
    cost = pool.tokens * len(plan.totals) / 20_000
    same: dict[str, Json] = {
        "pool": files.pool, "test": files.test, "template": files.template, "totals": list(plan.totals),
        "unit": plan.unit, "first": plan.first, "parameters": dict(plan.parameters),
        "reading": reading_said(files.reading), **({"no_marks": True} if files.no_marks else {}),
        **({"context": str(files.context or OF_FILE)} if asked.predicted else {}),
    }  # fmt: skip

    def trial(function: str, text: str, draw: int, alone: bool = False) -> Trial:
        data = [files.pool, files.test, files.template, *read, *made[text].files]
        return Trial(f"{__name__}:{function}", {"strategy": text, "draw": draw, **same}, data, cost=cost, alone=alone)

    learner = "answered" if plan.workbench else "learned"
    trials = [trial(learner, text, draw) for draw in range(1, plan.draws + 1) for text in plan.strategies]
    told = Section(trials, partial(_report, pool, test, plan))
    if plan.workbench:
        return Experiment(TITLE, [told])
    asking = next((text for text, one in made.items() if STRATEGIES[one.wish.strategy].model), plan.strategies[0])
    timed = trial("compared", asking, 1, alone=True)
    return Experiment(TITLE, [told, Section([timed], _report_of_starts)])


def learned(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, strategy: str, draw: int, totals: Sequence[int], unit: str,
    context: str = NONE, **how: Unpack[How],
) -> list[Row]:  # fmt: skip
    """The rounds of one strategy."""
    scene, made, test = _scene(corpora, strategy, draw, **how)
    if context == NONE:
        return curve(scene, made.wish, totals, unit, test)
    rows: list[Row] = []
    for number, one in enumerate(rounds_of(scene, made.wish, totals, unit), 1):
        so_far: Row = {"round": number, **labelled_so_far(scene, one)}
        rows.append({**so_far, **scored(in_own_context(one.model, test, scene.over), test)})
        rows.append({**so_far, **scored(one.model, test), "strategy": f"{strategy}, test not counted"})
    return rows


def answered(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, strategy: str, draw: int, totals: Sequence[int], unit: str,
    context: str = NONE, **how: Unpack[How],
) -> list[Row]:  # fmt: skip
    """The rounds of one strategy in a running workbench."""
    scene, _, test = _scene(corpora, strategy, draw, **how)
    template = corpora.path(how["template"])
    return rounds(scene.annotator, test, template, strategy, draw, totals, unit, how["parameters"])


def compared(
    corpora: Corpora, needed: Sequence[Sequence[Row]], *, strategy: str, draw: int, totals: Sequence[int], unit: str,
    context: str = NONE, **how: Unpack[How],
) -> list[Row]:  # fmt: skip
    """The rounds of one strategy, each trained from the last model (warm) and from nothing (cold)."""
    scene, made, test = _scene(corpora, strategy, draw, **how)
    return warm_and_cold(scene, made.wish, totals, unit, test)


def _scene(
    corpora: Corpora, strategy: str, draw: int, *, pool: str, test: str, template: str, first: str,
    parameters: Mapping[str, Json], reading: Mapping[str, Json], no_marks: bool = False,
) -> tuple[Scene, Variant, Corpus]:  # fmt: skip
    paths = corpora.path(pool), corpora.path(test)
    asked = reading_asked(reading).among(paths)
    how = _fitted(template if template in shipped_names() else corpora.path(template), paths[0], asked)
    labelled, other = (read(path, how.layout(path, asked)) for path in paths)
    made = variant(strategy, draw)
    label = how.named(labelled.columns).label
    if no_marks:
        labelled, other = (_without_marks(one, label) for one in (labelled, other))
    annotator = Annotator(labelled, label)
    density = load_density(corpora.path(made.density)) if made.density else density_of_text([annotator.text])
    terms = read_lexicon(corpora.path(made.terms)) if made.terms else None
    word = labelled.columns[labelled.word_column]
    meaning = meaning_in(corpora.path(made.meaning), word) if made.meaning else None
    learning = completed(METHOD, parameters)
    scene = Scene(how, annotator, METHOD, learning, first=first, density=density, terms=terms, meaning=meaning)
    return scene, made, other


def _fitted(template: str, pool: str, reading: Asked) -> Template:
    """A template, one that comes with sstag for the columns of the pool."""
    return fitted_to_file(load_template(template), pool, reading, labelled=True)


def _without_marks(corpus: Corpus, label: str) -> Corpus:
    """The corpus with labels that are plain whatever they contain."""
    column = corpus.column(label)
    values = [value.translate(PLAIN) for value in corpus.values[column]]
    return replace(corpus, values=(*corpus.values[:column], values, *corpus.values[column + 1 :]))


def _labelled(path: str, files: Files) -> Corpus:
    """The sentences of a file, which must have labels."""
    how = _fitted(files.template, files.pool, files.reading)
    found = read(path, how.layout(path, files.reading))
    if how.label not in found.columns:
        raise DataError(
            f"no column '{how.label}': the simulation needs labels (columns: {', '.join(found.columns)})", path
        )
    return found


def _report(pool: Corpus, test: Corpus, plan: Plan, rows: list[Row]) -> list[Block]:
    begins = (
        "a running workbench asks, ten sentences at a time, the first thirty or so of them random"
        if plan.workbench
        else f"those that need a model begin with what {plan.first} chooses"
    )
    said = (
        f"A pool of {pool.sentences:,} labelled sentences ({pool.tokens:,} tokens) stands in for the annotator, who "
        f"tells the labels that are asked for and no others. {plan.draws} draws; {begins}. "
        f"Judged by {test.sentences:,} other sentences. Of spans and of what a model labels "
        "itself, only the tokens that were asked for count; their sentences count as looked at."
    )
    if read := next((row["context"] for row in rows if "context" in row), None):
        where = "and, before they are tagged, in the test sentences, unless a name says otherwise"
        said += f" Labels are counted in the pool {where if read == FILE else 'alone'} (--context {read})."
    return [said, *blocks(PoolRows(rows, "Pool"))]


def _report_of_starts(rows: list[Row]) -> list[Block]:
    return list(starts(rows, rows[0]["strategy"] if rows else ""))
