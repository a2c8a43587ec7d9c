"""The table of `train --tune`: how good each combination of values was."""

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sstag.foundation.display import aligned, display_width
from sstag.foundation.json_values import Json

if TYPE_CHECKING:
    from sstag.training.tuning.runs import Tuned

LONGEST = 30  # bar


def table(tuned: "Tuned", width: int | None = None) -> Iterator[str]:
    """A line for each combination of values, with a bar as long as its score is above the lowest, where it fits."""
    scores = [one.score for one in tuned.tried]
    low, high = min(scores), max(scores)
    shown = tuned.table
    lines = [*aligned([shown.head, *shown.rows], shown.left)]
    left = (width or sys.maxsize) - max(map(display_width, lines)) - len("   best")
    longest = max(1, min(LONGEST, left))
    yield f"{tuned.figure} by {tuned.by}"
    yield lines[0]
    for line, one in zip(lines[1:], tuned.tried, strict=True):
        yield f"{line}  {_bar(one.score, low, high, longest)} {tuned.verdict(one)}".rstrip()


def _bar(score: float, low: float, high: float, longest: int) -> str:
    return "#" * (1 + round((longest - 1) * (score - low) / (high - low)) if high > low else longest)


def tuning_report(tuned: "Tuned") -> Mapping[str, Json]:
    """A tuning, for the report."""
    tried = [
        {
            "values": dict(one.values),
            "score": one.score,
            "folds": list(one.folds),
            "deviation": one.deviation,
            **({} if one.first is None else {"first look": one.first}),
            "iterations": one.iterations,
            "seconds": one.seconds,
            "best": one.values == tuned.best,
        }
        for one in tuned.tried
    ]
    return {
        "by": tuned.by,
        "best": dict(tuned.best),
        "complete": tuned.complete,
        "tried": tried,
    }
