"""Expectations of steps: which labels follow one another, and how often, as a list.

    *<TAB>same:0.9                       nine of ten steps keep the label
    *<TAB>author>title:0.02              two of a hundred lead from author to title
    title<TAB>length:8                   a title has about 8 tokens: 7 of 8 steps from it keep the label
    title<TAB>same:0.8-0.95 date:0.01    of the steps from title these shares; the rest goes to any other label
    title<TAB>length:8<TAB>5             and five times as strong as other lines

A share is a number or a range. What a line does not name has the rest, shared in whatever way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.corpus.volumes import Text
from sstag.features.template import Template
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json
from sstag.foundation.tab_lists import read_rows, repeated, words_of
from sstag.knowledge.expectation_list import EVERYWHERE, strength_of
from sstag.knowledge.labelled_features import without_example
from sstag.knowledge.share_ranges import EXACT, Range, range_of, refuse_impossible

SAME, LENGTH, TO = "same", "length", ">"


@dataclass(frozen=True)
class StepLine:
    """A line of a list: the label that its steps lead from, or EVERYWHERE, and the shares of what it names."""

    line: int
    origin: str
    shares: Mapping[str, Range]  # of SAME, of labels, or of pairs A>B
    strength: float

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that it names."""
        named = [part for name in self.shares if name != SAME for part in name.split(TO)]
        return tuple(dict.fromkeys([*([] if self.origin == EVERYWHERE else [self.origin]), *named]))


@dataclass(frozen=True)
class StepList:
    """The lines of a list."""

    path: str
    digest: str
    lines: tuple[StepLine, ...]

    @property
    def labels(self) -> set[str]:
        return {label for line in self.lines for label in line.labels}

    @property
    def tells_apart(self) -> bool:
        """No: nothing in it says which tokens have which label."""
        return False

    @property
    def about(self) -> dict[str, Json]:
        return {"lines": len(self.lines)}

    def odd(self, known: Sequence[str]) -> list[str]:
        """Warnings of labels that no labelled sentence has."""
        return without_example(((one.line, one.labels) for one in self.lines), self.path, known) if known else []


def read_steps(path: str, template: Template, text: Text) -> StepList | None:
    """The list in a file; None without a file."""
    if not path:
        return None
    rows = read_rows(path)
    return StepList(rows.path, rows.digest, rows.entries(step_line))


def step_line(number: int, cells: Sequence[str]) -> StepLine:
    """The line in some cells: an origin, shares, and perhaps a strength."""
    if len(cells) not in (2, 3) or not all(cells):
        raise ConfigError("a line is a label or *, a tab, shares such as same:0.9, and perhaps a tab and a strength")
    origin, said = cells[0], words_of(cells[1])
    parts = [_share(text, origin) for text in said]
    if twice := repeated(name for name, _ in parts):
        raise ConfigError(f"'{twice}' stands here twice")
    refuse_impossible([share for _, share in parts], rest=True)
    return StepLine(number, origin, dict(parts), strength_of(cells[2] if len(cells) == 3 else "1"))


def _share(text: str, origin: str) -> tuple[str, Range]:
    name, found, share = text.rpartition(":")
    if not found or not name:
        raise ConfigError(f"'{text}' is no share: write {SAME}:0.9, LABEL:0.1 or A{TO}B:0.02")
    if name == LENGTH:
        low, high = range_of(share, most=1e6)
        if low < 1:
            raise ConfigError(f"a length is at least 1, not {share}")
        return SAME, (1 - 1 / low, 1 - 1 / high)
    if (TO in name) != (origin == EVERYWHERE) and name != SAME:
        raise ConfigError(
            f"'{name}': after {EVERYWHERE} write pairs, A{TO}B:0.02"
            if origin == EVERYWHERE
            else f"'{name}': after a label write the labels that follow it"
        )
    if name.count(TO) > 1 or not all(name.split(TO)):
        raise ConfigError(f"'{name}' is no pair of labels A{TO}B")
    return name, range_of(share)


def stay(share: float) -> StepList:
    """The list whose only line says how many of all steps keep the label."""
    return StepList("stay", "", (StepLine(1, EVERYWHERE, {SAME: (share, share)}, 1.0),))


@dataclass(frozen=True, eq=False)
class StepClasses:
    """The steps of a line by what it names: a class for each name, the last one for the rest, -1 for other origins."""

    cells: Longs  # (L, L) [from, to]
    low: Floats  # (C,)
    high: Floats

    @property
    def exact(self) -> bool:
        return bool((self.high - self.low <= EXACT)[:-1].all())


def classes(line: StepLine, labels: Sequence[str]) -> StepClasses:
    """The classes of a line for these labels, which must have all that are named."""
    number = {label: place for place, label in enumerate(labels)}
    rest = len(line.shares)
    cells = np.full((len(labels), len(labels)), rest)
    for place, name in enumerate(line.shares):
        if name == SAME:
            np.fill_diagonal(cells, place)
    for place, name in enumerate(line.shares):
        if name != SAME:
            first, _, last = name.rpartition(TO)
            rows = slice(None) if not first else number[first]
            cells[rows, number[last]] = place
    if line.origin != EVERYWHERE:
        others = np.arange(len(labels)) != number[line.origin]
        cells[others] = -1
    low, high = np.array([*line.shares.values()], np.float64).reshape(-1, 2).T
    return StepClasses(cells, np.append(low, max(0.0, 1 - high.sum())), np.append(high, max(0.0, 1 - low.sum())))
