"""An encoder fine-tuned, beside its frozen vectors in a tagger: figures, seconds and memory."""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec

import numpy as np

from sstag.evaluation.scoring import Column, evaluation
from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import percent
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.representations.eyes import HERE, PARTS, WEIGHTS, lines_of, template_of
from sstag.experiments.representations.tasks import TASKS, Task, labelled, text
from sstag.experiments.spread import by_draw, comparison, gain_and_p, spread
from sstag.experiments.trials import Row, Trial
from sstag.features.encoders.encoding import encoded
from sstag.features.encoders.token_vectors import EncoderVectors
from sstag.foundation.child_python import child_environment, module_command
from sstag.foundation.errors import ConfigError, SstagError, installing

NEEDED = ("torch", "transformers")
PROGRAM = "sstag.experiments.representations.fine_tuning"
OUTSIDE = "O"
RATE = 1e-4
EPOCHS = {100: 20, 500: 10}  # by labelled sentences
TUNED = "MiniLM, fine-tuned"


def learned(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    encoder: str,
    sentences: int,
    draw: int,
    rate: float,
    epochs: int,
    on: str,
) -> list[Row]:
    """The figure of an encoder that was fine-tuned, the processor's seconds, and MiB of memory."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise ConfigError(f"fine-tuning needs {' and '.join(missing)}: {installing('transformers')}")
    of = TASKS[task]
    train, test = labelled(text(corpora, of, "train"), sentences, draw), text(corpora, of, on)
    column = train.column(of.label)
    labels = sorted(train.values[column], key=lambda label: label != OUTSIDE)  # what is cut off is outside
    number = {label: place for place, label in enumerate(labels)}
    codes = np.array([number[label] for label in train.values[column]])[train.codes[column]]
    said = {
        "labels": labels,
        "train": [train.words(of.word, sentence) for sentence in range(train.sentences)],
        "gold": [part.tolist() for part in np.split(codes, train.offsets[1:-1])],
        "test": [test.words(of.word, sentence) for sentence in range(test.sentences)],
        "threads": 1,
    }
    folder = os.path.dirname(corpora.path(f"{HERE}/{encoder}/{WEIGHTS}"))
    done = subprocess.run(
        module_command(PROGRAM, folder, repr(rate), epochs, draw),
        input=json.dumps(said), capture_output=True, text=True, check=False, env=child_environment(),
    )  # fmt: skip
    if done.returncode:
        raise SstagError(f"fine-tuning failed: {done.stderr.strip()[-500:]}")
    back = json.loads(done.stdout)
    place = test.column(of.label)
    found = Column(labels, np.concatenate([np.array(one, np.int32) for one in back["found"]]))
    gold = Column(test.values[place], test.codes[place])
    figures = evaluation(gold, found, test.offsets, line_of=partial(test.first_place, place)).figures
    return [
        {
            "figure": percent(figures[of.measure]),
            "seconds": round(back["seconds"], 2),
            "tagging": round(back["tagging"], 2),
            "memory": round(back["memory"]),
        }
    ]


def encoded_anew(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    lines: Sequence[str],
    sentences: int,
    draw: int,
) -> list[Row]:
    """The processor's seconds that the vectors of the labelled sentences take where none were kept."""
    of = TASKS[task]
    train = labelled(text(corpora, of, "train"), sentences, draw)
    (vectors,) = template_of(corpora, of, lines).encoders.values()
    assert isinstance(vectors, EncoderVectors)
    encoded(train.part(slice(0, 1)), of.word, vectors.encoder, None)  # it is loaded
    began = time.process_time()
    encoded(train, of.word, vectors.encoder, None)
    return [{"encoding": round(time.process_time() - began, 2)}]


def trials(task: Task, system: str, encoder: str, draws: Mapping[int, int]) -> list[Trial]:
    """An encoder fine-tuned at some sizes, and the time that its frozen vectors take."""
    weights = [f"{HERE}/{encoder}/{part}" for part in PARTS]
    found = []
    for size, epochs in EPOCHS.items():
        for draw in range(1, draws[size] + 1):
            same: Row = {"task": task.name, "sentences": size, "draw": draw}
            tuned = {**same, "encoder": encoder, "rate": RATE, "epochs": epochs, "on": "test"}
            found.append(Trial(f"{__name__}:learned", tuned, [*task.files, *weights], cost=1.0 * size))
            made = {**same, "lines": lines_of(system)}
            found.append(Trial(f"{__name__}:encoded_anew", made, [task.train, *weights], cost=0.02 * size))
    return found


def report(task: Task, systems: Sequence[str], rows: list[Row]) -> Iterator[Block]:
    """The fine-tuned encoder beside taggers that see its frozen vectors, some of them and other things."""
    for size in EPOCHS:
        here = [row for row in rows if row["sentences"] == size]
        tuned = [row for row in here if "encoder" in row]
        other = by_draw(tuned, "figure")
        table: list[list[Cell]] = [
            [TUNED, spread([*other.values()]), None, None, None, *_means(tuned, "seconds", "tagging", "memory")]
        ]
        for system in systems:
            frozen = [row for row in here if row.get("lines") == lines_of(system) and "figure" in row]
            made = [row for row in here if row.get("lines") == lines_of(system) and "encoding" in row]
            against = comparison(by_draw(frozen, "figure"), other)
            table.append(
                [
                    system,
                    spread([*by_draw(frozen, "figure").values()]),
                    *gain_and_p(against),
                    *_means(made, "encoding"),
                    *_means(frozen, "seconds", "tagging"),
                    None,
                ]
            )
        head = ("", "F₁", "over fine-tuned", "p", "encoding, s", "training, s", "tagging, s", "memory, MiB")
        yield Table(f"{task.title}, {size} labelled sentences, beside the same encoder fine-tuned", head, table)


def _means(rows: Sequence[Mapping[str, float]], *names: str) -> list[Cell]:
    return [spread([row[name] for row in rows]) for name in names]
