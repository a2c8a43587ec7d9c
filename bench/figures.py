"""Figures: the best and the worst run of each side, how they compare, and whether targets are met."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.scale import Scale

CRFSUITE, ONE, TWO = "CRFsuite", "sstag, 1 thread", "sstag, 2 threads"
THREADS = {ONE: 1, TWO: 2}


@dataclass(frozen=True)
class Target:
    """A bound for one side: so many `times` better than the peer, a `share` of what the peer takes, or a number."""

    side: str
    kind: str  # times, share, most, least
    bound: float


@dataclass(frozen=True)
class Figure:
    """A number of every run, None where a run did not reach it."""

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
        """How many times better the best run is than the peer's best; None for shares, where that says little."""
        ours, theirs = self.best(side), self.best(self.peer)
        if side == self.peer or self.unit == "%" or not ours or not theirs:
            return None
        return ours / theirs if self.rising else theirs / ours

    def met(self) -> bool | None:
        """Whether all targets are met; None without any."""
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
        """The figure as the results keep it."""
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
    """The figure of the value that every run has under a key."""
    return Figure(what, unit, {side: [run[key] for run in each] for side, each in runs.items()}, targets, **more)


@dataclass(frozen=True)
class Measured:
    """The result of a case: its corpus and settings, the runs of each side, and the figures made of them."""

    on: Mapping[str, Any]
    runs: Mapping[str, Sequence[Mapping[str, Any]]]
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Bench:
    """The surroundings of a case: how much to measure, folders for files and for results, and a display of progress."""

    scale: Scale
    scratch: Path
    results: Path
    tell: Callable[[str], None]


@dataclass(frozen=True)
class Case:
    """One measurement on one corpus."""

    name: str
    measured: Callable[[Bench], Measured]
    quick: bool = True  # whether it is among the cases that take a minute in all
    needs: tuple[str, ...] = field(default=("pycrfsuite",))
