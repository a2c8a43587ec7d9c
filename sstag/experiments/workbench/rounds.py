"""The rounds of a learning curve in a running workbench: it asks for whole sentences, which its API is told."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.experiments.fitting import percent
from sstag.experiments.trials import Row
from sstag.experiments.workbench.desk import running
from sstag.experiments.workbench.gold import PLAIN, gold_of, write_labelled, write_pool
from sstag.experiments.workbench.person import Person
from sstag.foundation.json_values import Json
from sstag.labels.schemes.guess import guessed_scheme
from sstag.selection.simulation.annotator import Annotator
from sstag.selection.simulation.rounds import SENTENCES

POOL, TEST = "pool.txt", "test.txt"


def rounds(
    annotator: Annotator, test: Corpus, template: str, strategy: str, draw: int, totals: Sequence[int], unit: str,
    parameters: Mapping[str, Json],
) -> list[Row]:  # fmt: skip
    """A row for each total: what had been answered, and the figure on a test set of a model that knows all of it."""
    labelled, label = annotator.labelled, annotator.label
    column = labelled.column(label)
    scheme = guessed_scheme(labelled.values[column], labelled.codes[column], labelled.offsets)
    gold = gold_of(labelled, label, scheme)
    options = shlex.join(word for name, value in parameters.items() for word in ("--set", f"{name}={value}"))
    rows: list[Row] = []
    with TemporaryDirectory(prefix="sstag-curve-") as name:
        pool, dev = Path(name) / POOL, Path(name) / TEST
        write_pool(labelled, label, pool, np.random.default_rng(draw))
        write_labelled(test, label, scheme, scheme, dev)
        arguments = [str(pool), "--template", template, "--labels", ",".join(gold.labels), "--scheme", scheme,
                     "--strategy", strategy, "--dev", str(dev), *(["--train", options] if options else [])]  # fmt: skip
        with running(Path(name), arguments) as desk:
            person = Person(desk, gold)
            for number, total in enumerate(totals, 1):
                while (person.sentences if unit == SENTENCES else person.tokens) < total and (
                    questions := desk.questions()
                ):
                    person.sentence(questions[0], helped=True)
                model = desk.learned()["model"]
                measure = "accuracy" if scheme == PLAIN else "f1"
                said = {"sentences": person.sentences, "tokens": person.tokens, "own": 0, "own wrong": 0}
                rows.append({"round": number, **said, "measure": measure, "score": percent(model["f1"])})
    return rows
