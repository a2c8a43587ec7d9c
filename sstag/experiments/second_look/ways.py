"""Trials: a tagger that looks once and one that looks twice, on the same draw; and other uses of the same raw text."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory

from sstag.corpus.corpus import Corpus
from sstag.evaluation.scoring import Column, evaluation
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.representations import eyes
from sstag.experiments.representations.tasks import Task
from sstag.experiments.second_look.texts import TASKS, Drawn, drawn
from sstag.experiments.trials import Row
from sstag.features.template import Template
from sstag.foundation.parallel import one_by_one
from sstag.model.model import Model
from sstag.model.model_file import save
from sstag.model.second_look import in_own_context
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS
from sstag.training.methods.completion import completed
from sstag.training.run import Task as Training
from sstag.training.run import trained

ONE, RAW_TEXT, AT_HAND = "one look", "two looks at raw text", "two looks, text at hand"
STRONGER = "one look, l2 = 1"
SELF_TRAINING, REGULARISED, BOTH = "self-training", "label regularisation", "two looks and label regularisation"
MEBIBYTE = 2**20


def template_of(corpora: Corpora, task: Task, lines: Sequence[str]) -> Template:
    """The template of a task with more lines; attributes are left out by how often they occur as it says itself."""
    seen = eyes.template_of(corpora, task, lines)
    return replace(seen, minimum_count=shipped_template(task.template).minimum_count)


def looked(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    on: str,
    lines: Sequence[str],
    looks: Sequence[str],
    sentences: int,
    raw: int,
    draw: int,
    l2: float,
) -> list[Row]:
    """The figures of one look and of two, without and with the text that is judged among what is counted.

    Each has the processor's seconds of training and tagging, and the size of its model. What is made or read once for
    all trainings, as clusters and vectors are, is none of these seconds.
    """
    of = TASKS[task]
    data = drawn(corpora, of, on, sentences, raw, draw)
    once, twice = template_of(corpora, of, lines), template_of(corpora, of, [*lines, *looks])
    eyes.looked_up(once, of.word, data.labelled, data.raw, data.judged)
    return [
        *_measured(of, data, once, (ONE,), draw, l2),
        *_measured(of, data, twice, (RAW_TEXT, AT_HAND), draw, l2),
    ]


def _measured(task: Task, data: Drawn, how: Template, ways: Sequence[str], draw: int, l2: float) -> Iterator[Row]:
    """A row for each way to tag with a model of a template."""
    began = time.process_time()
    model = _trained(how, data.labelled, data.raw if how.predicted else None, "crf", l2, draw)
    seconds, size = time.process_time() - began, _mebibytes(model)
    for way in ways:
        began = time.process_time()
        knowing = in_own_context(model, data.judged, one_by_one) if way == AT_HAND else model
        figure = _figure(knowing, data.judged, task)
        tagging = time.process_time() - began
        yield {"way": way, "figure": figure, "seconds": round(seconds, 2), "tagging": round(tagging, 2), "size": size}


def _trained(how: Template, labelled: Corpus, raw: Corpus | None, method: str, l2: float, draw: int) -> Model:
    """A model as `sstag train` makes it, where whatever else could be set is as usual."""
    inputs = Inputs(how, labelled, raw)
    return trained(Training(inputs, method, completed(method, {"l2": l2}), draw), Run(one_by_one))


def _figure(model: Model, text: Corpus, task: Task) -> float:
    """The figure of a model on a text, per hundred."""
    place = text.column(task.label)
    gold = Column(text.values[place], text.codes[place])
    found = Column(model.labels, model.tagged(model.dataset(text), one_by_one))
    return round(100 * evaluation(gold, found, text.offsets).figures[task.measure], 4)


def _mebibytes(model: Model) -> float:
    """The size of the file of a model."""
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        save(model, path)
        return round(os.path.getsize(path) / MEBIBYTE, 3)


@dataclass(frozen=True)
class Way:
    """A method, whether it looks twice, and a prior of its own if it has one."""

    method: str
    twice: bool = False
    l2: float | None = None


OTHERS: Mapping[str, Way] = {
    STRONGER: Way("crf", l2=1.0),
    SELF_TRAINING: Way("self-training"),
    REGULARISED: Way("label-regularization"),
    BOTH: Way("label-regularization", twice=True),
}


def learned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    on: str,
    looks: Sequence[str],
    sentences: int,
    raw: int,
    draw: int,
    l2: float,
    way: str,
) -> list[Row]:
    """The figure of another use of the same raw text, and the processor's seconds that the training took."""
    of = TASKS[task]
    data = drawn(corpora, of, on, sentences, raw, draw)
    other = OTHERS[way]
    how = template_of(corpora, of, looks if other.twice else ())
    others = data.raw if METHODS[other.method].unlabelled or other.twice else None
    began = time.process_time()
    model = _trained(how, data.labelled, others, other.method, l2 if other.l2 is None else other.l2, draw)
    seconds = time.process_time() - began
    knowing = in_own_context(model, data.judged, one_by_one)  # also after one look, which needs no context
    return [{"figure": _figure(knowing, data.judged, of), "seconds": round(seconds, 2)}]
