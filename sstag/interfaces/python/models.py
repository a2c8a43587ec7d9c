"""Models in files, and how good labels are."""

import os
from collections.abc import Sequence

from sstag.evaluation.scoring import Evaluation, evaluated
from sstag.foundation.errors import ConfigError
from sstag.interfaces.python.templates import Path
from sstag.labels.marks import Marks
from sstag.model import model_file
from sstag.model.model import Model


def save(model: Model, path: Path) -> None:
    """Writes a model, whole or not at all."""
    model_file.save(model, os.fspath(path))


def load(path: Path) -> Model:
    """The model in a file."""
    return model_file.load(os.fspath(path))


def loaded(given: Model | Path) -> Model:
    """A model as it is given, or the one in the file whose path is given."""
    if isinstance(given, str | os.PathLike):
        return load(given)
    if not isinstance(given, Model):
        raise ConfigError(f"a model, or the path of one, is wanted, not {given!r:.50}")
    return given


def evaluate(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    *,
    scheme: str | None = None,
    marks: Marks = Marks(),
) -> Evaluation:
    """How good predicted labels are: `.figures`, `.totals`, and more."""
    return evaluated(gold, predicted, scheme, marks)
