"""Calibration as tables and as JSON: a summary, bins of probability, and risk against coverage."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain

from sstag.evaluation.calibration import BINS, Calibration, area, least_area
from sstag.evaluation.figure_tables import NONE, percent
from sstag.foundation.json_values import Json
from sstag.foundation.tables import Table

COVERAGES = 10  # in tables
POINTS = 100  # in JSON and plots


def calibration_tables(
    calibrations: Mapping[str, Calibration], fits: Callable[[Table], bool] = lambda table: True
) -> Iterator[Table]:
    """The tables of some calibrations, for a terminal and for Markdown.

    Where a table does not fit, rows and columns of the summary change places, and the others come one for each unit.
    """
    if not calibrations:
        return
    figures = Table(
        ("calibration, %", "of", "right", "sure", "ECE", "risk area", "by chance", "at best"),
        [(unit, f"{len(one.right):,}", *map(percent, summary(one).values())) for unit, one in calibrations.items()],
        (0,),
    )
    yield figures if fits(figures) else _turned(figures)
    for table in (_bins, _risks):
        if fits(joint := table(calibrations)):
            yield joint
        else:
            yield from (table({unit: one}) for unit, one in calibrations.items())


def _turned(table: Table) -> Table:
    head, *rows = zip(table.head, *table.rows, strict=True)
    return Table(head, rows, (0,))


def _bins(calibrations: Mapping[str, Calibration]) -> Table:
    """By bins of probability: how many labels there are, how sure, and how often right."""
    return Table(
        ("probability, %", *chain.from_iterable((unit, "sure", "right") for unit in calibrations)),
        [
            (
                f"{100 * b // BINS} to {100 * (b + 1) // BINS}",
                *chain.from_iterable(_bin(one, b) for one in calibrations.values()),
            )
            for b in range(BINS)
        ],
        (0,),
    )


def _risks(calibrations: Mapping[str, Calibration]) -> Table:
    """By coverage: how many of the surest are wrong, and from which probability on they are among these."""
    curves = [one.curve(COVERAGES) for one in calibrations.values()]
    return Table(
        ("surest, %", *chain.from_iterable((f"wrong {unit}", "from") for unit in calibrations)),
        [
            (
                f"{100 * (k + 1) // COVERAGES}",
                *chain.from_iterable((percent(c[k].risk), percent(c[k].confidence)) for c in curves),
            )
            for k in range(COVERAGES)
        ],
        (0,),
    )


def summary(one: Calibration) -> dict[str, float]:
    """The figures of a calibration."""
    return {
        "right": float(one.right.mean()),
        "confidence": float(one.confidence.mean()),
        "expected calibration error": one.error,
        "risk area": area(one.confidence, ~one.right),
        "risk area by chance": float((~one.right).mean()),
        "least risk area": least_area(~one.right),
    }


def _bin(one: Calibration, number: int) -> tuple[str, str, str]:
    found = next((each for each in one.bins if each.low == number / BINS), None)
    return (f"{found.count:,}", percent(found.confidence), percent(found.right)) if found else ("0", NONE, NONE)


def calibration_json(one: Calibration) -> dict[str, Json]:
    """The summary, the bins and the curve of a calibration, in full precision."""
    return {
        "count": len(one.right),
        **summary(one),
        "bins": [asdict(each) for each in one.bins],
        "curve": [asdict(point) for point in one.curve(POINTS)],
    }
