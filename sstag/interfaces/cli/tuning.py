"""What `train --tune` shows: how good each combination of values was."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sstag.evaluation.report.display import aligned
from sstag.evaluation.report.tables import percent

if TYPE_CHECKING:
    from sstag.training.tuning.runs import Tried, Tuned

LONGEST = 30  # bar


def table(tuned: "Tuned") -> Iterator[str]:
    """A line for each combination of values, with a bar as long as its score is above the lowest."""
    folds = bool(tuned.tried[0].folds)
    figure = "accuracy" if tuned.model.scheme == "plain" else "F"
    scores = [one.score for one in tuned.tried]
    low, high = min(scores), max(scores)
    head = [*tuned.best, figure, *(["±"] if folds else []), ""]
    rows = [_row(one, folds, _bar(one.score, low, high), one.values == tuned.best) for one in tuned.tried]
    yield f"{figure} by {tuned.by}"
    yield from aligned([head, *rows], left=(len(head) - 1,))


def _row(one: "Tried", folds: bool, bar: str, best: bool) -> Sequence[str]:
    spread = [percent(one.deviation) if one.deviation is not None else ""] if folds else []
    values = [f"{value:g}" if isinstance(value, int | float) else str(value) for value in one.values.values()]
    return [*values, percent(one.score), *spread, f"{bar} best" if best else bar]


def _bar(score: float, low: float, high: float) -> str:
    return "#" * (1 + round((LONGEST - 1) * (score - low) / (high - low)) if high > low else LONGEST)


def told(tuned: "Tuned") -> Mapping[str, Any]:
    """A tuning, for the report."""
    tried = [
        {
            "values": dict(one.values),
            "score": one.score,
            "folds": list(one.folds),
            "deviation": one.deviation,
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
