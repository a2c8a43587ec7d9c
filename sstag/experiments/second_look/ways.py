"""Trials: a tagger that looks once and one that looks twice, on the same draw; and other uses of the same raw text."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory

from sstag.corpus.corpus import Corpus
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import judged, percent, tagger
from sstag.experiments.representations import eyes
from sstag.experiments.representations.tasks import Task
from sstag.experiments.second_look.texts import TASKS, Drawn, drawn
from sstag.experiments.trials import Row
from sstag.features.template import Template
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.model.model import Model
from sstag.model.model_file import save
from sstag.model.second_look import in_own_context

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
) -> list[Row]:
    """The figures of one look and of two, without and with the text that is judged among what is counted.

    Each has the processor's seconds of training and tagging, and the size of its model. What is made or read once for
    all trainings, as clusters and vectors are, is none of these seconds.
    """
    of = TASKS[task]
    data = drawn(corpora, of, on, sentences, raw, draw)
    once, twice = template_of(corpora, of, lines), template_of(corpora, of, [*lines, *looks])
    eyes.looked_up(once, of.word, data.labelled, data.raw, data.judged)
    return [*_measured(of, data, once, (ONE,), draw), *_measured(of, data, twice, (RAW_TEXT, AT_HAND), draw)]


def _measured(task: Task, data: Drawn, how: Template, ways: Sequence[str], draw: int) -> Iterator[Row]:
    """A row for each way to tag with a model of a template."""
    began = time.process_time()
    model = tagger(how, data.labelled, "crf", None, draw, data.raw if how.predicted else None)
    seconds, size = time.process_time() - began, _mebibytes(model)
    for way in ways:
        began = time.process_time()
        knowing = in_own_context(model, data.judged, one_by_one) if way == AT_HAND else model
        figure = percent(judged(knowing, data.judged).figures[task.measure])
        tagging = time.process_time() - began
        yield {"way": way, "figure": figure, "seconds": round(seconds, 2), "tagging": round(tagging, 2), "size": size}


def _mebibytes(model: Model) -> float:
    """The size of the file of a model."""
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        save(model, path)
        return round(os.path.getsize(path) / MEBIBYTE, 3)


def _by(method: str, twice: bool = False, **parameters: Json) -> Callable[[Drawn, Template, Template, int], Model]:
    """A way to train, with the same settings in both stages if there are two."""

    def made(data: Drawn, once: Template, both: Template, draw: int) -> Model:
        return tagger(
            both if twice else once,
            data.labelled,
            method,
            None,
            draw,
            data.raw if method != "crf" else None,
            **parameters,
        )

    return made


OTHERS: Mapping[str, Callable[[Drawn, Template, Template, int], Model]] = {
    STRONGER: _by("crf", l2=1.0),
    SELF_TRAINING: _by("self-training"),
    REGULARISED: _by("label-regularization"),
    BOTH: _by("label-regularization", twice=True),
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
    way: str,
) -> list[Row]:
    """The figure of another use of the same raw text, and the processor's seconds that the training took."""
    of = TASKS[task]
    data = drawn(corpora, of, on, sentences, raw, draw)
    began = time.process_time()
    model = OTHERS[way](data, template_of(corpora, of, ()), template_of(corpora, of, looks), draw)
    seconds = time.process_time() - began
    return [{"figure": _figure(model, data.judged, of), "seconds": round(seconds, 2)}]


def _figure(model: Model, text: Corpus, task: Task) -> float:
    """The figure of a model, which counts the text at hand if it looks twice."""
    return percent(judged(in_own_context(model, text, one_by_one), text).figures[task.measure])
