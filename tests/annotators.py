"""Annotators for tests: sources of labels that are texts, and simulated ones of known reliability."""

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from sstag.corpus.corpus import corpus_of
from sstag.corpus.formats import document_output
from sstag.corpus.text.documents import Document
from sstag.corpus.text.options import TextOptions
from sstag.foundation.errors import SstagError
from sstag.interfaces import cli
from sstag.knowledge.annotators.votes import Source


def sources(*columns, lengths=None):
    """Sources whose labels are texts with a blank between them; each of one sentence, or of several."""
    made = []
    for number, column in enumerate(columns):
        labels = column.split()
        cut = np.cumsum([0, *(lengths or [len(labels)])])
        text = [[(f"w{t}", labels[t]) for t in range(a, b)] for a, b in pairwise(cut)]
        made.append(Source(f"source {number}", corpus_of(text, ("word", "label")), "label"))
    return made


def simulated(accuracies, seed, sentences=400, length=8):
    """True labels of sentences, and those of annotators who are right as often as is said."""
    rng = np.random.default_rng(seed)
    labels = np.array(["O", "B-A", "I-A", "B-B", "I-B"])
    after = {"O": ["O", "O", "O", "B-A", "B-B"], "A": ["I-A", "O", "B-B"], "B": ["I-B", "O", "O"]}
    truth = []
    for _ in range(sentences):
        state = "O"
        for _ in range(length):
            label = str(rng.choice(after[state]))
            state = label[-1] if label != "O" else "O"
            truth.append(label)
    columns = []
    for right in accuracies:
        wrong = rng.random(len(truth)) >= right
        columns.append(np.where(wrong, rng.choice(labels, len(truth)), np.array(truth)))
    return truth, [" ".join(column) for column in columns], [length] * sentences


NAMING = ("prodigy", "label-studio", "columns", "doccano")  # formats whose files can name annotators


def annotated_file(folder: Path, name: str, some: Sequence[Document]) -> Path:
    """A file in a format that names who annotated each text; in columns each annotator has one of them."""
    path = folder / f"annotated.{name}"
    if name == "doccano":
        lines = [
            {
                "id": one.id,
                "text": one.text,
                "entities": [
                    {"start": span.start, "end": span.stop, "label": span.labels[0], "user": said.by}
                    for said in one.said
                    for span in said.spans
                ],
            }
            for one in some
        ]
        path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        return path
    if name != "columns":
        path.write_bytes(b"".join(document_output(name, TextOptions()).written(some, Counter())))
        return path
    every = ",".join(dict.fromkeys(said.by for one in some for said in one.said))
    run = ran("convert", annotated_file(folder, "prodigy", some), "--annotators", every, "-o", path)
    assert run.returncode == 0, run.stderr
    return path


def ran(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The output and the exit code of a command, run in this process; a bug is raised."""
    made = CliRunner().invoke(cli.sstag, [*map(str, arguments)], standalone_mode=True)
    if isinstance(made.exception, SstagError):
        return subprocess.CompletedProcess(arguments, 1, made.stdout, f"{made.stderr}{made.exception}\n")
    if made.exception is not None and not isinstance(made.exception, SystemExit):
        raise made.exception
    return subprocess.CompletedProcess(arguments, made.exit_code, made.stdout, made.stderr)
