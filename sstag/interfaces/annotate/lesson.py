"""A training as the child is asked for it: paths of what it reads and writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

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
    template: str  # this path and what follows are as the server has them, which knows what its command names
    train: Sequence[str]
    dev: Sequence[str]
