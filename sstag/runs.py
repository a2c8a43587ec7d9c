"""One training, from corpora to a model that says where it comes from: what the command and the Python API share."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np

import sstag
from sstag.corpus import Corpus
from sstag.disambiguation.preparations import disambiguated
from sstag.errors import ConfigError, nearest
from sstag.lexicon import written
from sstag.methods import METHODS, completed
from sstag.model import Model, carried_over
from sstag.registry import registered
from sstag.training import Inputs, Run


@dataclass(frozen=True)
class Task:
    """What is to be trained, and how."""

    inputs: Inputs
    method: str = "crf"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    ambiguous: str | None = None  # how undecided labels are decided beforehand, of `AMBIGUOUS`


def trained(task: Task, run: Run) -> Model:
    """The model; its `about` says everything that the training depended on."""
    if task.seed < 0:
        raise ConfigError(f"'seed' must be a whole number from 0 up, not {task.seed}")
    if task.method not in METHODS:
        raise ConfigError(f"there is no method '{task.method}'{nearest(task.method, METHODS)}")
    parameters = completed(task.method, task.parameters)
    rng = np.random.default_rng(task.seed)
    inputs, origin = task.inputs, _origin(task.inputs)
    if task.ambiguous:
        inputs = replace(inputs, labelled=disambiguated(task.ambiguous, inputs, parameters, rng, run))
        origin["ambiguous"] = task.ambiguous
        origin["data"]["decided"] = _of(inputs.labelled)
    model: Model = registered(METHODS[task.method].where)(inputs, parameters, rng, run)
    if inputs.init:
        origin["carried over"] = int((carried_over(inputs.init, model) != 0).sum())
    return replace(model, about=model.about | {"sstag": sstag.__version__, "seed": task.seed, **origin})


def _origin(inputs: Inputs) -> dict[str, Any]:
    """What goes in, by content."""
    data = {"train": inputs.labelled, "dev": inputs.development, "unlabeled": inputs.unlabelled}
    origin: dict[str, Any] = {
        "data": {name: _of(corpus) for name, corpus in data.items() if corpus},
        "template": sha256(inputs.template.text.encode()).hexdigest(),
        "lexica": {name: sha256(written(entries)).hexdigest() for name, entries in inputs.template.lexica.items()},
        "marks": asdict(inputs.marks),
    }
    return origin | ({"init": sha256(inputs.init.theta.tobytes()).hexdigest()} if inputs.init else {})


def _of(corpus: Corpus | None) -> dict[str, Any]:
    return {} if corpus is None else {"sha256": corpus.digest, "sentences": corpus.sentences, "tokens": corpus.tokens}
