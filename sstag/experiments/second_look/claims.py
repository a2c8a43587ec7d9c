"""The claims of this page, written down before its runs: bounds that must hold, aims, and tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from sstag.experiments.claims import Claim, claimed
from sstag.experiments.page import Block, Cell, Table
from sstag.experiments.representations.eyes import MINILM, OWN_BOTH, SPELLINGS
from sstag.experiments.representations.tasks import Task
from sstag.experiments.second_look.report import figures_of
from sstag.experiments.second_look.ways import AT_HAND, ONE, RAW_TEXT
from sstag.experiments.spread import Comparison, comparison
from sstag.experiments.trials import Row

MUST = (  # what is seen besides spellings, and the least mean gains with few labelled sentences and with more
    (SPELLINGS, (4.0, 2.0)),
    (OWN_BOTH, (2.5, 1.5)),
    (MINILM, (2.0, 1.0)),
)


@dataclass(frozen=True)
class Aim:
    """A figure that two looks should reach, and the figure that the page on representations has for one look."""

    seen: str
    sentences: int
    draws: int
    least: float
    before: float


def _error(found: Comparison) -> float:
    """The standard error of a mean gain."""
    return found.gain.deviation / sqrt(found.gain.count)


def _gains(tasks: Sequence[Task], size: int, seen: str, way: str, rows: Sequence[Row]) -> Mapping[str, Comparison]:
    """The gains of two looks over one, by the titles of corpora."""
    found = {}
    for task in tasks:
        ours, theirs = (figures_of(rows, task.name, size, seen, one) for one in (way, ONE))
        gain = comparison(ours, theirs)
        if gain:
            found[task.title] = gain
    return found


def bounds(tasks: Sequence[Task], sizes: Sequence[int], rows: Sequence[Row]) -> Iterator[Block]:
    """Bounds that must hold on the development corpora, and whether they do."""
    table: list[list[Cell]] = []
    for seen, leasts in MUST:
        for size, least in zip(sizes, leasts, strict=True):
            hand = _gains(tasks, size, seen, AT_HAND, rows)
            if hand:
                mean = fmean(one.gain.mean for one in hand.values())
                name = f"{seen}, {size} labelled, {AT_HAND}: mean gain"
                table.append([name, len(hand), f"{least:+.1f} or more", mean, _kept(mean >= least)])
        for way in (RAW_TEXT, AT_HAND):
            gains = _gains(tasks, sizes[0], seen, way, rows)
            if gains:
                worst = min(gains, key=lambda title: gains[title].gain.mean + _error(gains[title]))
                mean, error = gains[worst].gain.mean, _error(gains[worst])
                name = f"{seen}, {sizes[0]} labelled, {way}: least gain ({worst})"
                must = f"−{error:.2f} or more, its standard error"
                table.append([name, len(gains), must, mean, _kept(mean >= -error)])
    head = ("seen, labelled sentences, and what is counted", "corpora", "must be", "is", "holds")
    yield Table("What must hold on the development corpora", head, table)


def aims(task: Task, wanted: Sequence[Aim], rows: Sequence[Row]) -> Iterator[Block]:
    """Figures that two looks should reach on names, beside what they reach."""
    table: list[list[Cell]] = []
    for aim in wanted:
        one, hand = (figures_of(rows, task.name, aim.sentences, aim.seen, way) for way in (ONE, AT_HAND))
        if hand:
            found = fmean(hand.values())
            name = f"{aim.seen}, {aim.sentences} labelled"
            table.append(
                [name, len(hand), aim.before, fmean(one.values()), found, aim.least, _kept(found >= aim.least)]
            )
    head = ("sees spellings, and", "draws", "one look, template `ner`", "one look here", "two looks", "aim", "reached")
    if table:
        yield Table(f"Aims: {task.title}, test B", head, table)


def _kept(holds: bool) -> str:
    return "yes" if holds else "**no**"


def apart(tasks: Sequence[Task], sizes: Sequence[int], rows: Sequence[Row]) -> Iterator[Block]:
    """Two looks against one on the corpora that chose nothing, at each number of sentences with several draws."""
    found = []
    for task in tasks:
        for size in sizes:
            one, hand = (figures_of(rows, task.name, size, SPELLINGS, way) for way in (ONE, AT_HAND))
            if len(one) > 1:
                found.append(Claim(f"{task.title}, {size} labelled: two looks over one", hand, one))
    yield claimed(found)
