"""Runs of a tuning: what is tried, what was found, and what runs share."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import stdev
from typing import TypeVar, cast

from sstag.evaluation.figure_tables import percent
from sstag.features.reading import CHOICES
from sstag.features.template import Template
from sstag.foundation.json_values import Json
from sstag.foundation.tables import Table, html
from sstag.labels.marks import Marks
from sstag.model.model import Model
from sstag.training.configuration import TEMPLATE
from sstag.training.inputs import Once, Progress, Run
from sstag.training.methods.parameters import Training
from sstag.training.parameter_specs import specs
from sstag.training.run import Task, trained

R = TypeVar("R")
Values = Mapping[str, Json]  # of the parameters that are tuned


@dataclass(frozen=True)
class Tried:
    """Values, and how good a model they make: F₁ of chunks, or accuracy of plain labels."""

    values: Values
    score: float  # on the development data, or on the held-out sentences of all folds
    folds: tuple[float, ...]  # on those of each fold
    iterations: int
    seconds: float
    first: float | None = None  # the score of the first look alone, of a template with predicted(…)

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the folds."""
        return stdev(self.folds) if len(self.folds) > 1 else None

    @property
    def cells(self) -> tuple[str, ...]:
        """The values, the score and the deviation as a table shows them."""
        values = [f"{value:g}" if isinstance(value, int | float) else str(value) for value in self.values.values()]
        spread = [percent(self.deviation) if self.deviation is not None else ""] if self.folds else []
        return (*values, percent(self.score), *spread)


@dataclass(frozen=True)
class Trying:
    """The run that a tuning is at."""

    name: str
    number: int
    total: int
    seconds_left: float | None  # None before the first run is done


@dataclass(frozen=True, eq=False)
class Tuned:
    """A model, the values that it was trained with, and all that were tried, and how these were judged; `complete` if
    nobody ended it early. `whole` says that the model learned from all sentences, not from those of a fold.
    """

    by: str
    model: Model
    best: Values
    tried: Sequence[Tried]
    complete: bool
    whole: bool = True

    def __repr__(self) -> str:
        score = next(percent(one.score) for one in self.tried if one.values == self.best)
        return (
            f"<Tuned {described(self.best)}: {self.figure} {score} by {self.by}, the best of {len(self.tried):,} tried>"
        )

    def _repr_html_(self) -> str:
        head, rows = self.table.head, self.table.rows
        marked = [(*row, self.verdict(one)) for row, one in zip(rows, self.tried, strict=True)]
        return html(f"{self.figure} by {self.by}", [Table((*head, ""), marked, left=(len(head),))])

    @property
    def decided(self) -> bool:
        """Whether anything tells which of several values are best."""
        return len(self.tried) == 1 or any(one.score != 0 for one in self.tried)

    def verdict(self, one: Tried) -> str:
        """A word about values that were tried: `best`, or `kept` if nothing tells; nothing about the others."""
        return ("best" if self.decided else "kept") if one.values == self.best else ""

    @property
    def figure(self) -> str:
        """The name of the score."""
        return "accuracy" if self.model.scheme == "plain" else "F"

    @property
    def table(self) -> Table:
        """A row for each combination of values, with its score and, if there are folds, the deviation over them.

        Where there are two looks, the score of the first one alone stands beside.
        """
        spread = ("±",) if self.tried[0].folds else ()
        rows = [one.cells for one in self.tried]
        firsts = [None if one.first is None else percent(one.first) for one in self.tried]
        if not any(firsts):
            return Table((*self.best, self.figure, *spread), rows, left=())
        rows = [(*row, first or "") for row, first in zip(rows, firsts, strict=True)]
        return Table((*self.best, self.figure, *spread, "first look"), rows, left=())


@dataclass
class Session:
    """Runs one after another."""

    tasks: Sequence[Task]
    points: Sequence[Values]  # of each task
    run: Run
    tell: Callable[[Trying], None]
    total: int
    done: int = 0
    warned: set[str] = field(default_factory=set)
    began: float = field(default_factory=time.monotonic)

    def model(self, name: str, task: Task, once: Once) -> tuple[Model, float]:
        """One run, and the seconds it took."""
        start = time.monotonic()
        left = (start - self.began) / self.done * (self.total - self.done) if self.done else None
        self.done += 1
        self.tell(Trying(name, self.done, self.total, left))

        def told(progress: Progress) -> None:
            self.run.tell(replace(progress, phase=": ".join(filter(None, [name, progress.phase]))))

        def warned(text: str) -> None:
            if text not in self.warned:
                self.run.warn(f"{name}: {text}")
            self.warned.add(text)

        run = replace(self.run, tell=told, warn=warned, once=once)
        return trained(task, run), time.monotonic() - start


def described(values: Values) -> str:
    """Values as --set has them."""
    return ", ".join(f"{name}={value}" for name, value in values.items())


def by_start(points: Sequence[Values]) -> list[int]:
    """Points that can begin at the same supervised optimum one after another."""
    starts = [{name: value for name, value in point.items() if name in specs(Training)} for point in points]
    return sorted(range(len(points)), key=lambda i: starts.index(starts[i]))


def in_groups(points: Sequence[Values], order: Sequence[int]) -> Iterator[tuple[int, Once]]:
    """The points by what they choose of the template, and what those of a group have in common."""
    choices = [{name: value for name, value in point.items() if name in (*CHOICES, TEMPLATE)} for point in points]
    for group in [one for place, one in enumerate(choices) if choices.index(one) == place]:
        once = latest()
        for index in order:
            if choices[index] == group:
                yield index, once


def latest() -> Once:
    """`once` that remembers what it has made last, by name."""
    kept: dict[str, tuple[tuple[object, ...], object]] = {}

    def once(name: str, of: Sequence[object], make: Callable[[], R], /) -> R:
        if name not in kept or not _are_the_same(kept[name][0], of):
            kept.pop(name, None)  # not two at a time
            kept[name] = tuple(of), make()
        return cast(R, kept[name][1])

    return once


def _are_the_same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether things are equal as far as that is cheap to tell, else whether they are the same objects."""
    cheap = (str, int, float, bytes, tuple, Marks, Template)
    return len(some) == len(others) and all(
        a is b or (isinstance(a, cheap) and a == b) for a, b in zip(some, others, strict=True)
    )
