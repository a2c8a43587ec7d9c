"""The corpora, templates and trained models that tests of methods and commands begin with."""

import atexit
import os
import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.experiments.samples.ads import ads
from sstag.features.reading import template
from sstag.features.template import Template
from sstag.foundation.json_values import Json
from sstag.foundation.parallel import one_by_one
from sstag.foundation.registry import registered
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.model.model_file import save
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import METHODS
from sstag.training.methods.completion import completed
from sstag.training.run import Task
from tests.datasets import corpus

TEMPLATE = "columns: [word, label]\nfeatures: [word[-1..1], shape(word[0]), suffix(word[0], 2)]\n"


def ads_template(more: str = "") -> Template:
    return template(TEMPLATE + more, "made.yaml")


def made_ads(count: int, seed: int) -> Corpus:
    return corpus(list(ads(count, np.random.default_rng(seed))))


WORDS = str(Path(__file__).parent / "data/words.tsv")
RULES = str(Path(__file__).parent / "data/rules.yaml")
NEEDED = {  # files that methods cannot do without
    "expectation": {"expectations": WORDS},
    "expected-gradient": {"expectations": WORDS},
    "prototype": {"expectations": WORDS},
    "posterior-hmm": {"expectations": WORDS},
    "constraint-driven": {"rules": RULES},
}


@cache
def teacher() -> str:
    """The path of a model that others can learn from, which is trained when it is asked for first."""
    folder = tempfile.mkdtemp(prefix="sstag-teacher-")
    atexit.register(shutil.rmtree, folder)
    path = os.path.join(folder, "teacher.model")
    save(trained(Inputs(ads_template(), made_ads(30, 7))), path)
    return path


def needed(method: str) -> dict[str, Json]:
    """The parameters that a method cannot do without."""
    return {"teacher": teacher()} if method == "distill" else {**NEEDED.get(method, {})}


TWO_LOOKS = """columns: [word, label]
features:
  - word[-1..1]
  - suffix(word[0], 2)
  - predicted(lower(word[-1..1]))
  - predicted(suffix(word[0], 2))
"""
OF_WORDS = "columns: [word, label]\nfeatures: [lower(word[0]), shape(word[0]), suffix(word[0], 2)]\n"


def trained(inputs: Inputs, run: Run | None = None, method: str = "crf", **changes) -> Model:
    params = completed(method, needed(method) | changes)
    return registered(METHODS[method].where)(inputs, params, np.random.default_rng(1), run or Run())


def task(inputs: Inputs, method: str = "crf", given: dict[str, Json] | None = None, **more) -> Task:
    """A task whose parameters are completed."""
    return Task(inputs, method, completed(method, given or {}), **more)


def accuracy(model: Model, test: Corpus) -> float:
    text = labelled_text(test, "label", Marks(), model.labels)
    return float((text.single == model.tagged(model.dataset(test), one_by_one)).mean())


def partly(count: int, seed: int, whole: int = 5, hidden: float = 0.5) -> Corpus:
    """Ads in which labels are hidden, but for the first few."""
    rng = np.random.default_rng([seed, 1])
    sentences = [
        [(word, "?" if number >= whole and rng.random() < hidden else label) for word, label in sentence]
        for number, sentence in enumerate(ads(count, np.random.default_rng(seed)))
    ]
    return corpus(sentences)


def raw(count: int, seed: int) -> Corpus:
    """Ads without labels."""
    return corpus(
        [[(word,) for word, _ in sentence] for sentence in ads(count, np.random.default_rng(seed))], path="raw"
    )


def toy(method: str, count: int) -> Inputs:
    """As much as the method can learn from: undecided labels, raw text and weights too if it says so."""
    labelled = partly(count, 1) if METHODS[method].undecided else made_ads(count, 1)
    if METHODS[method].weights:
        labelled = replace(labelled, weights=np.linspace(0.5, 1.5, count))
    how = template(OF_WORDS, "made.yaml") if method == "prototype" else ads_template()
    return Inputs(how, labelled, raw(10, 4) if METHODS[method].unlabelled else None)


def weights_by_name(model: Model) -> dict[tuple[str, ...], float]:
    """Every weight under a name."""
    part = model.weight_map.parts(model.theta)
    pairs = model.weight_map.unary.pairs
    owner = np.repeat(np.arange(model.unary.size), np.diff(pairs.indptr))
    texts = model.unary.texts()
    named = {
        (texts[a], model.labels[y]): float(w)
        for a, y, w in zip(owner.tolist(), pairs.labels.tolist(), part["unary"], strict=True)
    }
    for (i, j), w in zip(np.argwhere(model.weight_map.steps).tolist(), part["steps"], strict=True):
        named[("step", model.labels[i], model.labels[j])] = float(w)
    for name in ("begin", "end"):
        named |= {(name, label): float(w) for label, w in zip(model.labels, part[name], strict=False)}
    return named
