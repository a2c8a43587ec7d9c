"""A training of the workbench in a process of its own: `python -m sstag.interfaces.annotate.child`.

It is told on standard input what to do, and writes a model and, as JSON, all that the server needs to know of it: which
texts to ask about next, the spans that the model doubts, the effects of listed features, and how good the model is.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path

import click
import numpy as np

from sstag.corpus.reading import read
from sstag.evaluation.scoring import evaluated
from sstag.foundation.errors import SstagError
from sstag.foundation.files import output
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import Over, one_by_one
from sstag.interfaces.annotate.effects import effects, means
from sstag.interfaces.annotate.lesson import Lesson
from sstag.interfaces.annotate.pool import Pool, opened
from sstag.interfaces.annotate.ranking import DRAWN, Sample, ranked, sample
from sstag.interfaces.annotate.suggester import DIGITS, Work, shown_by, work_of
from sstag.interfaces.cli.train import command as train
from sstag.interfaces.web.child import behind_the_server
from sstag.model.model import Model
from sstag.model.model_file import load
from sstag.model.tagging import sure_labels

MOST_DOUBTS = 300  # spans of a label
HALF = 0.5


def main() -> None:
    """Trains what the first line asks for; a line on standard error says what is wrong, if something is."""
    lesson = Lesson(**json.loads(behind_the_server()))
    try:
        train.main(lesson.options, prog_name="sstag train", standalone_mode=False)
        _tell(lesson)
    except (SstagError, click.ClickException) as error:
        sys.stderr.write(f"{error.format_message() if isinstance(error, click.ClickException) else error}\n")
        sys.exit(1)


def _tell(lesson: Lesson) -> None:
    """Writes all that the server needs to know of a new model."""
    model = load(lesson.target)
    work, pool = work_of(model, 0), opened(lesson.pool)
    known = set(Path(lesson.known).read_text(encoding="ascii").split())
    rng = np.random.default_rng(lesson.seed)
    drawn = sample(pool, DRAWN, rng, known)
    order = ranked(drawn, lesson.strategy, lesson.seed, one_by_one, model)
    any_text = sample(pool, DRAWN, rng)
    said: dict[str, Json] = {
        "ranking": [pool.hash(number) for number in order.tolist()],
        "doubts": _doubts(work, pool, drawn),
        "effects": _effects(lesson, model, any_text),
        "figures": _figures(model, lesson.dev, one_by_one),
    }
    with output(lesson.result) as out:
        out.write(json.dumps(said).encode())


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


def _effects(lesson: Lesson, model: Model, drawn: Sample) -> Json:
    """The shares of labels at the occurrences of each listed feature, under the model of before and the new one."""
    if not lesson.listed:
        return {}
    before = means(load(lesson.init), drawn.corpus) if lesson.init else None
    return effects(lesson.listed, model.template, drawn.corpus, before, means(model, drawn.corpus))


def _figures(model: Model, paths: list[str], over: Over) -> Json:
    """How good the labels of a model are on development data; null without any."""
    if not paths:
        return None
    gold: list[list[str]] = []
    found: list[list[str]] = []
    for path in paths:
        corpus = read(path, model.template.layout(path))
        labels = sure_labels(model, corpus, over)[0].tolist()
        bounds = corpus.offsets.tolist()
        for sentence, (first, stop) in enumerate(pairwise(bounds)):
            gold.append(corpus.words(model.template.label, sentence))
            found.append([model.labels[label] for label in labels[first:stop]])
    figures = evaluated(gold, found, model.scheme).figures
    return {name: round(figures[name], DIGITS) for name in ("f1", "precision", "recall", "accuracy") if name in figures}


if __name__ == "__main__":
    main()
