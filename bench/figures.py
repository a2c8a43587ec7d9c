"""Figures: of the runs of each side the best and the worst, how they compare, and whether that is what was aimed at."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.scale import Scale

CRFSUITE, ONE, TWO = "CRFsuite", "sstag, 1 thread", "sstag, 2 threads"
THREADS = {ONE: 1, TWO: 2}


@dataclass(frozen=True)
class Target:
    """What one side is to reach: `times` better than the peer, `share` of what the peer takes, or a number."""

    side: str
    kind: str  # times, share, most, least
    bound: float


@dataclass(frozen=True)
class Figure:
    """A number of every run; None where a run did not get so far."""

    what: str
    unit: str
    runs: Mapping[str, Sequence[float | None]]  # by side
    targets: Sequence[Target] = ()
    peer: str = CRFSUITE
    rising: bool = False  # more is better

    def best(self, side: str) -> float | None:
        known = [number for number in self.runs.get(side, ()) if number is not None]
        return (max if self.rising else min)(known, default=None)

    def worst(self, side: str) -> float | None:
        numbers = self.runs.get(side, ())
        return None if None in numbers else (min if self.rising else max)(numbers, default=None)

    def ratio(self, side: str) -> float | None:
        """How many times better than the peer, the best against the best; of shares nobody says that."""
        ours, theirs = self.best(side), self.best(self.peer)
        if side == self.peer or self.unit == "%" or not ours or not theirs:
            return None
        return ours / theirs if self.rising else theirs / ours

    def met(self) -> bool | None:
        """Whether all targets are; None without any."""
        return all(map(self._is_met, self.targets)) if self.targets else None

    def _is_met(self, target: Target) -> bool:
        best, ratio = self.best(target.side), self.ratio(target.side)
        match target.kind:
            case "times":
                return ratio is not None and ratio >= target.bound
            case "share":
                return ratio is not None and 1 / ratio <= target.bound
            case "most":
                return best is not None and best <= target.bound
            case "least":
                return best is not None and best >= target.bound
        raise ValueError(target.kind)

    def summary(self) -> dict[str, Any]:
        """The figure as it is written down."""
        return {
            "what": self.what,
            "unit": self.unit,
            "peer": self.peer,
            "runs": {side: list(numbers) for side, numbers in self.runs.items()},
            "best": {side: self.best(side) for side in self.runs},
            "worst": {side: self.worst(side) for side in self.runs},
            "ratio": {side: ratio for side in self.runs if (ratio := self.ratio(side)) is not None},
            "targets": [[target.side, target.kind, target.bound] for target in self.targets],
            "met": self.met(),
        }


def figure(
    what: str, unit: str, runs: Mapping[str, Sequence[Mapping[str, Any]]], key: str, *targets: Target, **more: Any
) -> Figure:
    """What every run says under a key."""
    return Figure(what, unit, {side: [run[key] for run in each] for side, each in runs.items()}, targets, **more)


@dataclass(frozen=True)
class Measured:
    """What a case gives: what it was measured on and with, the runs of each side, and the figures they make."""

    on: Mapping[str, Any]
    runs: Mapping[str, Sequence[Mapping[str, Any]]]
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Bench:
    """What a case needs: how much to measure, a folder for files, one for plots, and who is told how far it is."""

    scale: Scale
    scratch: Path
    results: Path
    tell: Callable[[str], None]


@dataclass(frozen=True)
class Case:
    """One thing to measure."""

    name: str
    measured: Callable[[Bench], Measured]
    quick: bool = True  # among what takes a minute
    needs: tuple[str, ...] = field(default=("pycrfsuite",))
