"""A training as the child is asked for it."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Lesson:
    """The options of `sstag train`, and what else the child reads and writes; all are paths but for some."""

    child: ClassVar[str] = "sstag.interfaces.annotate.child"

    options: list[str]  # no path: of `sstag train`
    target: str  # the model
    result: str
    pool: str
    known: str  # the hashes of texts that somebody was asked about
    init: str | None
    listed: str | None  # features
    dev: list[str]
    strategy: str  # no path
    seed: int
    event: int  # the last that it learns from
    answers: int  # that it learns from
    lost: int  # noes that it cannot learn from
