"""A training of the workbench in a process of its own: `python -m sstag.interfaces.annotate.child`.

It is told on standard input what to do, reads the answers by itself, and writes a model and, as JSON, all that the
server needs to know of it: which texts to ask about next, the spans that the model doubts, the effects of listed
features, and how good the model is. So nothing that takes longer the more is answered goes on in the server.
"""

import json
import os
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise

import click
import numpy as np

from sstag.corpus.contexts import READ_WHOLE
from sstag.corpus.reading import read
from sstag.evaluation.scoring import evaluated
from sstag.foundation.errors import SstagError
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import Over, one_by_one
from sstag.interfaces.annotate.connecting import connected, told_plainly
from sstag.interfaces.annotate.effects import effects, means
from sstag.interfaces.annotate.inside import DATABASE, POOL
from sstag.interfaces.annotate.knowledge import Knowledge, knowledge
from sstag.interfaces.annotate.label_changes import LabelHistory, label_history
from sstag.interfaces.annotate.lesson import NOTHING, Lesson
from sstag.interfaces.annotate.lessons import LIST, Files, written
from sstag.interfaces.annotate.pool import Pool, opened
from sstag.interfaces.annotate.ranking import BEGINNING, DRAWN, Sample, ranked, sample
from sstag.interfaces.annotate.rows import stored_settings
from sstag.interfaces.annotate.settings import Settings, settings_in
from sstag.interfaces.annotate.suggester import DIGITS, Work, shown_by, tag_of_now, work_of
from sstag.interfaces.cli.train import command as train
from sstag.interfaces.web.child import behind_the_server
from sstag.model.model import Model
from sstag.model.model_file import load
from sstag.model.tagging import sure_labels
from sstag.selection.strategies import CHANCE, STRATEGIES

MOST_DOUBTS = 300  # spans of a label
HALF = 0.5


@dataclass(frozen=True)
class Snapshot:
    """A project as it is at one moment."""

    settings: Settings
    pool: Pool
    known: Knowledge
    asked: set[str]  # the hashes of texts that somebody was asked about
    labels: LabelHistory


def main() -> None:
    """Trains what the first line asks for; a line on standard error says what is wrong, if something is."""
    lesson = Lesson(**json.loads(behind_the_server()))
    try:
        project = _snapshot(lesson)
        said: dict[str, Json] = {NOTHING: True}
        if not project.known.is_empty:
            files = written(project, project.known, lesson.work)
            options = [*files.options, "--model", lesson.target, *(["--init", lesson.init] if lesson.init else [])]
            train.main(options, prog_name="sstag train", standalone_mode=False)
            said = _told(lesson, project, files)
        with output(lesson.result) as out:
            out.write(json.dumps(said).encode())
    except (SstagError, click.ClickException) as error:
        sys.stderr.write(f"{error.format_message() if isinstance(error, click.ClickException) else error}\n")
        sys.exit(1)


def _snapshot(lesson: Lesson) -> Snapshot:
    """The project of a lesson, which goes on being open elsewhere."""
    path = os.path.join(lesson.folder, DATABASE)
    with told_plainly(path), closing(connected(path, read_only=True)) as file:
        file.execute("begin")
        stored = settings_in(stored_settings(file))
        known, labels = knowledge(file), label_history(file)
        asked = {row["hash"] for row in file.execute("select hash from text where id in (select text from question)")}
    settings = replace(stored, template=lesson.template, train=tuple(lesson.train), dev=tuple(lesson.dev))
    return Snapshot(settings, opened(os.path.join(lesson.folder, POOL)), known, asked | {*known.texts}, labels)


def _told(lesson: Lesson, project: Snapshot, files: Files) -> dict[str, Json]:
    """All that the server needs to know of a new model."""
    model, pool, known, settings = load(lesson.target), project.pool, project.known, project.settings
    rng = np.random.default_rng(known.last)
    drawn = sample(pool, DRAWN, rng, project.asked)
    strategy = settings.strategy if settings.strategy in STRATEGIES else CHANCE
    is_beginning = sum(bool(one.whole()) for one in known.texts.values()) < BEGINNING
    order = [] if is_beginning else ranked(drawn, strategy, known.last, one_by_one, model).tolist()
    any_text = sample(pool, DRAWN, rng)
    return {
        "event": known.last,
        "answers": known.answers,
        "lost": files.lost,
        "ranking": [pool.hash(number) for number in order],
        "doubts": _doubts(work_of(model, 0), pool, drawn),
        "effects": _effects(lesson, project, model, any_text),
        "figures": _figures(model, settings, project.labels, one_by_one),
    }


def _doubts(work: Work, pool: Pool, drawn: Sample) -> list[Json]:
    """The spans that the model finds and doubts, of each label the most doubtful ones."""
    if not len(drawn.numbers):
        return []
    found: list[tuple[float, dict[str, Json]]] = []
    for number, shown in zip(drawn.numbers.tolist(), shown_by(work, drawn.corpus), strict=True):
        spans = shown["suggested"]
        assert isinstance(spans, list)
        for span in spans:
            found.append((abs(float(span["probability"]) - HALF), {"text": number, **span}))
    kept: list[Json] = []
    counts: dict[str, int] = {}
    for _, span in sorted(found, key=lambda one: one[0]):
        label = str(span["labels"])
        counts[label] = counts.get(label, 0) + 1
        if counts[label] <= MOST_DOUBTS:
            kept.append({**span, "text": pool.hash(int(str(span["text"])))})
    return kept


def _effects(lesson: Lesson, project: Snapshot, model: Model, drawn: Sample) -> Json:
    """The shares of labels at the places of each listed feature, under the last model without it and the new one."""
    if not project.known.lines:
        return {}
    before = means(load(lesson.init), drawn.corpus) if lesson.init else None
    path = os.path.join(lesson.work, LIST)
    found = effects(path, model.template, drawn.corpus, before, means(model, drawn.corpus))
    if lesson.init:
        with open(f"{os.path.splitext(lesson.init)[0]}.json", encoding="utf-8") as text:
            listed = json.load(text)["effects"]
        for feature in found.keys() & listed.keys():  # the model of before had learned from these already
            found[feature]["before"] = listed[feature]["before"]
    return {**found}


def _figures(model: Model, settings: Settings, history: LabelHistory, over: Over) -> Json:
    """How good the labels of a model are on development data; null without any.

    They are read under the scheme of the project: a model that knows of nothing but O yet has no scheme of its own. The
    files keep the labels that the project was begun with, which are compared under the names of now.
    """
    if not settings.dev:
        return None
    fates = history.late(settings.labels)
    gold: list[list[str]] = []
    found: list[list[str]] = []
    for path in settings.dev:
        corpus = read(path, model.template.layout(path))
        labels = sure_labels(model, corpus, over, read=READ_WHOLE)[0].tolist()
        bounds = corpus.offsets.tolist()
        for sentence, (first, stop) in enumerate(pairwise(bounds)):
            tags = corpus.words(model.template.label, sentence)
            gold.append([tag_of_now(tag, settings.scheme, fates) for tag in tags])
            found.append([model.labels[label] for label in labels[first:stop]])
    figures = evaluated(gold, found, settings.scheme).figures
    return {name: round(figures[name], DIGITS) for name in ("f1", "precision", "recall", "accuracy") if name in figures}


if __name__ == "__main__":
    main()
