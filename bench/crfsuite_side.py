"""Runs of CRFsuite: passes, L-BFGS and the averaged perceptron, with the attributes that sstag extracts."""

import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pycrfsuite

import sstag
from bench.crfsuite_script import appended
from bench.sstag_side import prepared
from sstag.corpus.corpus import Corpus
from sstag.corpus.reading import read
from sstag.features.term_values import View
from sstag.foundation.grouping import ABSENT
from sstag.labels.marks import PLAIN
from sstag.model.compiled import Compiled

TIGHT = {"max_iterations": 2000, "delta": 1e-6, "epsilon": 1e-6}


def extraction(path: str) -> dict[str, Any]:
    """Seconds to read a file, make attributes as strings, and append them to CRFsuite."""
    began = time.perf_counter()
    appended(path)
    return {"seconds": time.perf_counter() - began}


def passes(problem: dict[str, Any], l2: float, iterations: int) -> dict[str, Any]:
    """Seconds for an evaluation in the first iterations of L-BFGS."""
    trainer, _ = _trainer(problem, "lbfgs", {"c2": l2 / 2, "max_iterations": iterations})
    with tempfile.TemporaryDirectory() as scratch:
        log = _trained(trainer, Path(scratch) / "model")
    evaluations = 1 + sum(one["linesearch_trials"] for one in log)  # one at the start
    seconds = log[-1]["seconds"] / evaluations
    weights = trainer.logparser.featgen_num_features
    return {"seconds": seconds, "iteration": seconds, "weights": weights}  # CRFsuite does not tell the two apart


def climb(problem: dict[str, Any], l2: float, test: str) -> dict[str, Any]:
    """L-BFGS: the objective of every iterate, its seconds since the first pass, and the score of the last."""
    return _climb(problem, "lbfgs", {"c2": l2 / 2, **TIGHT}, test)


def perceptron(problem: dict[str, Any], test: str) -> dict[str, Any]:
    """The averaged perceptron with its default settings."""
    return _climb(problem, "ap", {}, test)


def _climb(problem: dict[str, Any], algorithm: str, settings: dict[str, Any], test: str) -> dict[str, Any]:
    trainer, made = _trainer(problem, algorithm, settings)
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "model"
        log = _trained(trainer, model)
        tagger = pycrfsuite.Tagger()
        tagger.open(str(model))
        corpus = read(test, made.template.layout(test))
        tagged = [tagger.tag(rows) for rows in _attributes(made, corpus)]
    found = sstag.evaluate(list(_labels(made, corpus)), tagged, marks=PLAIN).figures
    return {
        "objective": [-one["loss"] for one in log],
        "seconds": [one["seconds"] for one in log],
        "score": found.get("f1", found["accuracy"]),
    }


def _trainer(problem: dict[str, Any], algorithm: str, settings: dict[str, Any]) -> tuple[pycrfsuite.Trainer, Compiled]:
    corpus, made = prepared(**problem)
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    own = {
        "feature.possible_states": problem.get("pairs") == "all",
        "feature.possible_transitions": problem["transitions"] == "all",
    }
    trainer.set_params(own | settings)
    for rows, labels in zip(_attributes(made, corpus), _labels(made, corpus), strict=True):
        trainer.append(rows, labels)
    return trainer, made


def _attributes(made: Compiled, corpus: Corpus) -> Iterator[list[list[str]]]:
    """The texts of the attributes of each token, by sentence."""
    ids, texts = made.unary.ids(View(corpus, made.template)).T, made.unary.texts()
    for begin, end in pairwise(corpus.offsets.tolist()):
        yield [[texts[number] for number in row if number != ABSENT] for row in ids[begin:end].tolist()]


def _labels(made: Compiled, corpus: Corpus) -> Iterator[list[str]]:
    return (corpus.words(made.template.label, sentence) for sentence in range(corpus.sentences))


def _trained(trainer: pycrfsuite.Trainer, model: Path) -> list[dict[str, Any]]:
    """The log of every iteration, with the seconds since the first began by the clock that sstag uses."""
    began, seconds = 0.0, []

    def message(text: str) -> None:
        nonlocal began
        if trainer.logparser.feed(text) == "iteration":
            seconds.append(time.perf_counter() - began)
        elif not trainer.logparser.iterations:
            began = time.perf_counter()  # the last message before the end of the first iteration counts

    trainer.message = message
    trainer.train(str(model))
    return [one | {"seconds": each} for one, each in zip(trainer.logparser.iterations, seconds, strict=True)]
