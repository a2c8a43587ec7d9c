"""What every method needs to train: inputs, the run around them, and the climb to the best weights."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.evaluation.gold import f_score, gold_labels
from sstag.features.template import Template
from sstag.foundation.arrays import Floats, Ints
from sstag.foundation.errors import ConfigError, DataError, Interrupted
from sstag.foundation.parallel import Over
from sstag.labels.label_sets import LabelSets
from sstag.labels.marks import Marks
from sstag.model.dataset import Compiled, Dataset, annotated, compiled
from sstag.model.model import Model, carried_over, model
from sstag.model.weight_map import parameters
from sstag.training.criterion import Criterion, Part
from sstag.training.objectives import objective
from sstag.training.optimiser.lbfgs import REQUESTED, Step, maximised
from sstag.training.tied_weights import tied

R = TypeVar("R")


@dataclass(frozen=True)
class Inputs:
    """What a method learns from."""

    template: Template
    labelled: Corpus | None
    unlabelled: Corpus | None = None
    development: Corpus | None = None
    init: Model | None = None
    marks: Marks = field(default_factory=Marks)
    named: tuple[str, ...] = ()  # labels that there are besides those of the labelled sentences

    @property
    def known(self) -> tuple[str, ...]:
        """The labels of the earlier model, and those that are named."""
        earlier = self.init.labels if self.init else ()
        return (*earlier, *(label for label in self.named if label not in earlier))


@dataclass(frozen=True)
class Progress:
    """One iteration, as a progress line shows it."""

    iteration: int
    objective: float
    gradient_norm: float
    seconds: float
    score: float | None  # on development data: F₁ of chunks, or accuracy of plain labels
    phase: str = ""  # what is trained before the rest: `start`, `argmax`


class Once(Protocol):
    """`once(name, of, make)`: what `make` makes of some things, or what it made of the same things before."""

    def __call__(self, name: str, of: Sequence[object], make: Callable[[], R], /) -> R: ...


def anew(name: str, of: Sequence[object], make: Callable[[], R], /) -> R:
    """`once` of a training that stands alone."""
    return make()


@dataclass(frozen=True)
class Run:
    """How a method runs, none of which changes what it finds: threads, who is told of what, and who may stop it; and
    what it need not make because a training before it made the same.
    """

    over: Over
    tell: Callable[[Progress], None] = lambda progress: None
    stop: Callable[[], bool] = lambda: False
    phase: str = ""
    warn: Callable[[str], None] = lambda text: None
    once: Once = anew


@dataclass(frozen=True)
class _Best:
    """The weights with the best score on development data so far."""

    score: float
    theta: Floats
    iteration: int


def label_sets_of(inputs: Inputs, who: str) -> tuple[Corpus, LabelSets, Ints]:
    """The labelled sentences, their label sets, and for each token which of them it has; without labels an error."""
    corpus, label = inputs.labelled, inputs.template.label
    if corpus is None:
        raise ConfigError(f"{who} needs labelled sentences: train (--train FILE)")
    if label not in corpus.columns:
        names = ", ".join(corpus.columns)
        raise DataError(f"no column '{label}': {who} needs labels (columns: {names})", corpus.path)
    return corpus, *annotated(corpus, label, inputs.marks, inputs.known)


def raw_text_of(inputs: Inputs, who: str) -> Corpus:
    """The raw text; without any an error."""
    if inputs.unlabelled is None:
        raise ConfigError(f"{who} needs raw text: unlabeled (--unlabeled FILE)")
    return inputs.unlabelled


def with_named_labels(inputs: Inputs, named: Iterable[str], known: Sequence[str], path: str) -> Inputs:
    """Inputs that have the labels which a file names, besides the known ones."""
    marks = inputs.marks.completed()
    if wrong := next((label for label in sorted(named) if label not in known and marks.within(label)), None):
        raise DataError(f"'{wrong}' is not one label: it contains a mark (--mark NAME=TEXT changes marks)", path)
    return replace(inputs, named=tuple(sorted({*known, *named})))


def compiled_texts(inputs: Inputs, run: Run, raw: Corpus | None = None) -> Compiled:
    """The template applied to the labelled sentences, and to raw text."""
    known = label_sets_of(inputs, "training")[1].labels if inputs.labelled else inputs.known
    texts = inputs.labelled, raw
    return run.once(
        "compiled",
        (inputs.template, *texts, inputs.marks, known),
        lambda: compiled(inputs.template, *texts, inputs.marks, inputs.known),
    )


def likeliest(
    inputs: Inputs, compiled: Compiled, data: Dataset, params: Mapping[str, Any], run: Run, start: Floats
) -> tuple[Floats, dict[str, Any]]:
    """The weights at which the labels of `data` are most likely, under the prior; and how it went."""
    return climbed(inputs, compiled, [Part(data, (objective("likelihood"),))], params, run, start)


def climbed(
    inputs: Inputs, compiled: Compiled, parts: Sequence[Part], params: Mapping[str, Any], run: Run, start: Floats
) -> tuple[Floats, dict[str, Any]]:
    """The weights at which the objectives are highest, or best on development data; and how it went."""
    every = parameters(compiled)
    ties = tied(every, [part.data for part in parts])
    criterion = Criterion(ties.parameters, parts, params["l2"], run.over, ties.shares)

    def value(theta: Floats) -> float:
        found, _ = Criterion(every, parts, params["l2"], run.over)(theta)
        return found - float(params["l1"] * np.abs(theta).sum())

    hill = Hill(criterion, ties.sums, ties.spread, value, criterion.curvature)
    return highest(inputs, compiled, hill, params, run, start)


@dataclass(frozen=True)
class Hill:
    """What is climbed: a function of numbers that stand for the weights, and what these have to do with each other."""

    function: Callable[[Floats], tuple[float, Floats]]  # its value and gradient, without l1
    standing_for: Callable[[Floats], Floats]  # weights → numbers
    weights: Callable[[Floats], Floats]  # numbers → weights
    value: Callable[[Floats], float]  # of weights, with l1
    metric: Callable[[Floats], Floats] | None = None


def highest(
    inputs: Inputs, compiled: Compiled, hill: Hill, params: Mapping[str, Any], run: Run, start: Floats
) -> tuple[Floats, dict[str, Any]]:
    """The weights at which a function is highest, or best on development data; and how it went.

    A start counts among the best only if it has weights at all. `Interrupted` if it was stopped before an iteration.
    """
    judge = scorer(inputs, model(compiled, np.zeros(0), {}), run) if inputs.development else None
    began = time.monotonic()
    best = _Best(judge(start), start, 0) if judge and start.any() else None
    patience: int = params["patience"]
    lost_patience = False

    def told(step: Step) -> bool:
        nonlocal best, lost_patience
        score, theta = None, start
        if judge:
            theta = hill.weights(step.theta)
            score = judge(theta)
        seconds = time.monotonic() - began
        run.tell(Progress(step.iteration, step.value, step.gradient_norm, seconds, score, run.phase))
        if score is None:
            return False
        if best is None or score > best.score or score == best.score == 0:  # where nothing is right, the last is best
            best = _Best(score, theta, step.iteration)
        lost_patience = 0 < patience <= step.iteration - best.iteration
        return lost_patience

    optimum = maximised(
        hill.function,
        hill.standing_for(start),
        metric=hill.metric,
        l1=params["l1"],
        value_tolerance=params["tolerance"],
        max_iterations=params["max_iterations"],
        callback=told,
        stop=run.stop,
        over=run.over,
    )
    if optimum.reason == REQUESTED and not optimum.iterations:
        raise Interrupted
    about = {"iterations": optimum.iterations, "converged": optimum.converged, "reason": optimum.reason}
    if lost_patience:
        about["reason"] = f"stopped: no better score on the development data in {patience} iterations"
    if best is None and optimum.iterations:
        return hill.weights(optimum.theta), about | {"objective": optimum.value}
    theta = best.theta if best else start  # which need not have equal shares
    about["objective"] = hill.value(theta)
    if best:
        about |= {"development score": best.score, "best iteration": best.iteration}
    return theta, about


def start_weights(inputs: Inputs, compiled: Compiled) -> Floats:
    """Those of the earlier model where the two have weights in common, else 0."""
    zero = np.zeros(parameters(compiled).size)
    return carried_over(inputs.init, model(compiled, zero, {})) if inputs.init else zero


def scorer(inputs: Inputs, tagger: Model, run: Run) -> Callable[[Floats], float]:
    """The score of a tagger with other weights on the development data, as `eval` has it."""
    corpus = inputs.development
    assert corpus is not None
    column, labels = corpus.column(inputs.template.label), tagger.labels
    gold = gold_labels(
        corpus.values[column],
        corpus.codes[column],
        corpus.offsets,
        inputs.marks,
        tagger.about["scheme"],
        labels,
        partial(corpus.first_place, column),
    )
    if not gold.can_be(labels):
        raise DataError(
            f"none of its labels is one of the training data ({', '.join(map(repr, labels[:5]))}"
            f"{', …' if len(labels) > 5 else ''}): nothing to judge by",
            corpus.path,
        )
    numbers = gold.numbers(labels)
    data = tagger.dataset(corpus)

    def score(theta: Floats) -> float:
        guess = numbers[replace(tagger, theta=theta).tagged(data, run.over)]  # the layout of θ is worked out once
        return f_score(gold.tags, gold.against(guess), guess, corpus.offsets)

    return score
