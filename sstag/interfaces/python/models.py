"""Models in files, and how good labels are."""

import os
from collections.abc import Sequence
from typing import cast

from sstag.evaluation.scoring import Evaluation, evaluated
from sstag.foundation.errors import ConfigError
from sstag.interfaces.python.signatures import brief
from sstag.interfaces.python.templates import Path
from sstag.interfaces.python.texts import as_list
from sstag.labels.marks import Marks
from sstag.model import model_file
from sstag.model.model import Model


@brief
def save(model: Model, path: Path) -> None:
    """Writes a model, whole or not at all.

    Example:
        sstag.save(model, "ner.model")
    """
    model_file.save(model, os.fspath(path))


@brief
def load(path: Path) -> Model:
    """The model in a file.

    Example:
        model = sstag.load("ner.model")
    """
    return model_file.load(os.fspath(path))


def loaded(given: Model | Path) -> Model:
    """A model as it is given, or the one in the file whose path is given."""
    if isinstance(given, str | os.PathLike):
        return load(given)
    if not isinstance(given, Model):
        raise ConfigError(f"a model, or the path of one, is wanted, not {given!r:.50}")
    return given


@brief
def evaluate(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    *,
    scheme: str | None = None,
    marks: Marks = Marks(),
) -> Evaluation:
    """How good predicted labels are: `.figures`, `.totals`, and more.

    Example:
        found = sstag.evaluate([["B-PER", "O"]], [["B-PER", "B-LOC"]])
        found.figures["f1"]  # 0.6666666666666666

    Both are lists of labels, one for each sentence. The labels of a scheme such as IOB2 are scored as chunks; `scheme`
    names it, and else it is guessed.
    """
    wanted = "labels are a list for each sentence"
    of_gold, of_predicted = (cast(list[list[str]], as_list(labels, wanted)) for labels in (gold, predicted))
    return evaluated(of_gold, of_predicted, scheme, marks)
