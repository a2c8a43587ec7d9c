"""One training, from corpora to a model that says where it comes from: what the command and the Python API share."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from typing import Any

import numpy as np

import sstag
from sstag.conll import Corpus
from sstag.errors import ConfigError, nearest
from sstag.methods import METHODS, completed
from sstag.model import Model
from sstag.training import Inputs, Run


@dataclass(frozen=True)
class Task:
    """What is to be trained, and how."""

    inputs: Inputs
    method: str = "crf"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1


def trained(task: Task, run: Run) -> Model:
    """The model; its `about` says everything that the training depended on."""
    if task.method not in METHODS:
        raise ConfigError(f"there is no method '{task.method}'{nearest(task.method, METHODS)}")
    module, _, function = METHODS[task.method].where.partition(":")
    train = getattr(import_module(module), function)
    parameters = completed(task.method, task.parameters)
    model: Model = train(task.inputs, parameters, np.random.default_rng(task.seed), run)
    return replace(model, about=model.about | {"sstag": sstag.__version__, "seed": task.seed} | _origin(task.inputs))


def _origin(inputs: Inputs) -> dict[str, Any]:
    """What goes in, by content."""
    data = {"train": inputs.labelled, "dev": inputs.development, "unlabeled": inputs.unlabelled}
    return {
        "data": {name: _of(corpus) for name, corpus in data.items() if corpus},
        "template": sha256(inputs.template.text.encode()).hexdigest(),
        "marks": asdict(inputs.marks),
    }


def _of(corpus: Corpus) -> dict[str, Any]:
    return {"sha256": corpus.digest, "sentences": corpus.sentences, "tokens": corpus.tokens}
