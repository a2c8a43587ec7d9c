"""The calibration of predictions, drawn: how sure they are and how often right; and risk against coverage."""

from collections.abc import Iterator, Mapping

import click

from sstag.evaluation.calibration import Calibration
from sstag.evaluation.report.calibration_tables import POINTS
from sstag.experiments.page import Line, Plot
from sstag.experiments.plots import can_draw, draw
from sstag.experiments.spread import Spread
from sstag.foundation.errors import installing

NAMES = ("calibration", "risk")


def plot_files(stem: str) -> list[str]:
    """The files that will be written, if they can be."""
    if not can_draw():
        raise click.UsageError(f"--plot needs matplotlib: {installing('plots')}")
    return [f"{stem}-{name}.{kind}" for name in NAMES for kind in ("png", "svg")]


def drawn(calibrations: Mapping[str, Calibration], stem: str) -> None:
    """Writes both plots."""
    for plot in _plots(calibrations):
        draw(plot, f"{stem}-{plot.name}")


def _plots(calibrations: Mapping[str, Calibration]) -> Iterator[Plot]:
    bins = {unit: one.bins for unit, one in calibrations.items()}
    lines = [
        Line(unit, [each.confidence for each in some], [_exact(each.right) for each in some])
        for unit, some in bins.items()
    ]
    ideal = Line("as sure as right", [0.0, 1.0], [_exact(0.0), _exact(1.0)], marked=False)
    yield Plot(NAMES[0], "How often right", "probability, mean of each bin", "share right", [*lines, ideal])
    curves = {unit: one.curve(POINTS) for unit, one in calibrations.items()}
    lines = [
        Line(unit, [point.coverage for point in curve], [_exact(point.risk) for point in curve])
        for unit, curve in curves.items()
    ]
    yield Plot(NAMES[1], "Risk at coverage", "share kept, the surest first", "share wrong", lines)


def _exact(value: float) -> Spread:
    return Spread(value, 0.0, 1)
