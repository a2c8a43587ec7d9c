"""A tagger trained and judged in a line each, as most experiments need it."""

from collections.abc import Sequence

from sstag.corpus.corpus import Corpus
from sstag.evaluation.scoring import Column, Evaluation, evaluation
from sstag.features.template import Template
from sstag.foundation.arrays import Floats
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model
from sstag.training.climb import climbed
from sstag.training.inputs import Inputs, Run
from sstag.training.looks import Part
from sstag.training.methods import METHODS
from sstag.training.methods.completion import RULES, completed, keeps_rules
from sstag.training.methods.parameters import Training
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.parameter_specs import Parameters
from sstag.training.run import Task, trained

ALONE = Run(one_by_one)  # a trial has one thread
CLIMBED = Training(l2=1.0, tolerance=1e-5)  # of every trial that does not say: the usual ones may change


def settings(method: str, **parameters: Json) -> Parameters:
    """The parameters of a method in a trial: prior and tolerance are those of `CLIMBED` unless they are given."""
    if not issubclass(METHODS[method].parameters, Training):
        return completed(method, parameters)
    return completed(method, {"l2": CLIMBED.l2, "tolerance": CLIMBED.tolerance, **parameters})


def tagger(
    template: Template,
    corpus: Corpus | None,
    method: str,
    ambiguous: str | None = None,
    seed: int = 1,
    unlabelled: Corpus | None = None,
    **parameters: Json,
) -> Model:
    """A model as `sstag train` makes it; `rules` are a parameter of its method, or such that it keeps."""
    inputs = Inputs(template, corpus, unlabelled)
    rules = str(parameters.pop(RULES)) if RULES in parameters and keeps_rules(method) else None
    return trained(Task(inputs, method, settings(method, **parameters), seed, ambiguous, rules=rules), ALONE)


def fitted(compiled: Compiled, data: Sequence[Dataset], start: Floats, params: Training) -> Floats:
    """The weights at which the labels of several datasets are most likely."""
    parts = [Part(one, (Likelihood(),)) for one in data]
    return climbed(Inputs(compiled.template, None), compiled, parts, params, ALONE, start).theta


def judged(model: Model, corpus: Corpus) -> Evaluation:
    """The evaluation of the labels that a model gives to a labelled corpus."""
    column = corpus.column(model.template.label)
    gold = Column(corpus.values[column], corpus.codes[column])
    found = Column(model.labels, model.tagged(model.dataset(corpus), one_by_one))
    return evaluation(gold, found, corpus.offsets, line_of=lambda code: corpus.first_place(column, code))


def percent(share: float) -> float:
    """A share as runs keep it: per hundred, with four digits."""
    return round(100 * float(share), 4)
