"""Figures over several draws of the data: mean and standard deviation, and two systems compared draw by draw."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from scipy.special import stdtrit

from sstag.evaluation.significance import signed_rank

FEWEST = 6  # draws: with five, no two-sided p of signed ranks is below .05


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of a figure over so many draws."""

    mean: float
    deviation: float
    count: int

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the mean of further draws would lie, 95 of 100 times (Student's t); None of fewer than three."""
        if self.count < 3:
            return None
        half = float(stdtrit(self.count - 1, 0.975)) * self.deviation / sqrt(self.count)
        return self.mean - half, self.mean + half


@dataclass(frozen=True)
class Comparison:
    """How much higher one system is than another on the same draws, on how many of them, and whether by chance."""

    gain: Spread
    wins: int
    p: float | None  # of Wilcoxon's signed ranks; None if there are too few draws to tell

    @property
    def verdict(self) -> str:
        """p, as a table shows it."""
        if self.p is None:
            return "too few draws"
        return shown(self.p)


def shown(p: float) -> str:
    """p, as a table shows it."""
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def between(of: Spread) -> str | None:
    """The interval of a mean, as a table shows it."""
    wide = of.interval
    return f"{wide[0]:+.2f} to {wide[1]:+.2f}" if wide else None


def spread(values: Sequence[float]) -> Spread | None:
    """The spread of some values, or None if there is no value."""
    return Spread(fmean(values), stdev(values) if len(values) > 1 else 0.0, len(values)) if values else None


def by_draw(rows: Iterable[Mapping[str, Any]], figure: str, **wanted: object) -> dict[int, float]:
    """A figure of each draw, from rows with the wanted settings: the mean if there are several; None is left out."""
    found: dict[int, list[float]] = {}
    for row in rows:
        if all(row.get(name) == value for name, value in wanted.items()) and row[figure] is not None:
            found.setdefault(row["draw"], []).append(row[figure])
    return {draw: fmean(values) for draw, values in sorted(found.items())}


def gain_and_p(of: Comparison | None) -> tuple[Spread | None, str | None]:
    """The two cells of a table that say what a comparison found."""
    return (of.gain, of.verdict) if of else (None, None)


def comparison(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Comparison | None:
    """One system against another on the draws that both have; None without any."""
    gains = [ours[draw] - theirs[draw] for draw in ours if draw in theirs]
    gain = spread(gains)
    if gain is None:
        return None
    return Comparison(gain, sum(one > 0 for one in gains), signed_rank(gains) if len(gains) >= FEWEST else None)
