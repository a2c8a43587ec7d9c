"""A training as the child is asked for it: paths of what it reads and writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sstag.foundation.json_values import Json

NOTHING = "nothing"  # what the result of a training says that found nothing to learn from


@dataclass(frozen=True)
class Lesson:
    """The project, of which all answers are learned from, and where the new model goes."""

    child: ClassVar[str] = "sstag.interfaces.annotate.child"

    folder: str  # of the project
    work: str  # a folder for files of the training
    target: str  # the model
    result: str  # all that the server needs to know of it, as JSON
    init: str | None  # the model before
    settings: Mapping[str, Json]  # as the server has them: it has checked what the project says
