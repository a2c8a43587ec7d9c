"""Everything that a training depends on, by name, so that two trainings can be told apart."""

from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

import sstag
from sstag.corpus.corpus import Corpus
from sstag.features.reading import CHOICES
from sstag.foundation.arrays import Array
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import pieces
from sstag.foundation.json_values import Json
from sstag.training.inputs import Inputs
from sstag.training.methods import METHODS
from sstag.training.methods.parameters import Composed
from sstag.training.parameter_specs import Parameters, paths, told

if TYPE_CHECKING:
    from sstag.training.run import Task

CARRYING = "posterior"  # each evaluation of it begins where the last one ended, which no checkpoint has


def identity(task: "Task", origin: Mapping[str, Json]) -> dict[str, Json]:
    """All that decides what a training finds; `origin` is its report of the texts. Of files it has the digests."""
    if METHODS[task.method].counts:
        raise ConfigError(f"{task.method} counts, and climbs nothing that a checkpoint could have")
    parameters = _told(task.parameters)
    if parameters.get("epochs"):
        raise ConfigError("epochs: passes of stochastic gradient are few and short: there is no checkpoint of them")
    if isinstance(task.parameters, Composed):
        if any(one.name == CARRYING for one in task.parameters.objectives):
            raise ConfigError(f"{CARRYING} goes on from its last evaluation: there is no checkpoint of it")
        parameters["objectives"] = [
            {one.name: {"data": one.data, **_told(one.parameters)}} for one in task.parameters.objectives
        ]
    template = task.inputs.template
    return {
        "sstag": sstag.__version__,
        "method": task.method,
        "seed": task.seed,
        "parameters": parameters,
        "choices": {name: getattr(template, name) for name in CHOICES},
        "ambiguous": task.ambiguous,
        "labelled features": task.features.digest if task.features else None,
        "sentence weights": _digest(task.weights.omega) if task.weights else None,
        "spans": task.spans.digest if task.spans else None,
        "rules": _of_file(task.rules) if task.rules else None,
        **origin,
        "texts": _texts(task.inputs),
    }


def _told(parameters: Parameters) -> dict[str, Json]:
    """The parameters, with the digests of the files that they name."""
    files = {name: _of_file(path) for name in paths(type(parameters)) if (path := getattr(parameters, name))}
    return {**told(parameters), **files}


def _texts(inputs: Inputs) -> dict[str, Json]:
    """The digests of texts that come from no file."""
    texts = {"train": inputs.labelled, "dev": inputs.development, "unlabeled": inputs.unlabelled}
    return {name: _of_text(text) for name, text in texts.items() if text and not text.digest}


def _of_text(text: Corpus) -> str:
    words = "\0".join("\1".join(values) for values in (text.columns, *text.values))
    return sha256((words + _digest(text.offsets, *text.codes)).encode()).hexdigest()


def _digest(*arrays: Array) -> str:
    return sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def _of_file(path: str) -> str:
    digest = sha256()
    for piece in pieces(path):
        digest.update(piece)
    return digest.hexdigest()
