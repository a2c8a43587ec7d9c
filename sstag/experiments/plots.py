"""Plots as files, drawn with matplotlib if it is there: PNG to look at, SVG to print."""

import textwrap
from importlib.util import find_spec
from typing import TYPE_CHECKING

from sstag.experiments.page import Boxes, Line, Picture, Plot
from sstag.foundation.files import output

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = "osD^vPX"
SETTINGS = {"svg.hashsalt": "sstag", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
DOTS = 120  # per inch
GROUP = 0.8  # of the room between two ticks, for the boxes at one
LEGEND = 84  # characters of a line of the legend, of which each name takes MARK more
MARK = 7
ROOM = 45  # characters of ticks side by side
TICKS = 12  # places that each have a tick, and points of a line that each have a mark


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw(plot: Picture, stem: str) -> None:
    """A plot as `stem.png` and `stem.svg`; the same plot gives the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # not what a `matplotlibrc` in the working folder says, such as to run TeX
        matplotlib.rcParams.update(SETTINGS)  # type: ignore[arg-type]
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.add_subplot()
        axes.set(title=textwrap.fill(plot.title, 60), xlabel=plot.across, ylabel=plot.up)
        axes.grid(alpha=0.3)
        if isinstance(plot, Boxes):
            _draw_boxes(plot, axes)
            names = [one.name for one in plot.series]
        else:
            _draw_lines(plot, axes)
            names = [line.name for line in plot.lines]
        if not (isinstance(plot, Boxes) and len(names) == 1):
            columns = min(max(LEGEND // (max(map(len, names), default=0) + MARK), 1), 4)
            figure.legend(loc="outside lower center", ncols=columns, frameon=False)
        for kind, about in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
            with output(f"{stem}.{kind}") as file:
                figure.savefig(file, format=kind, dpi=DOTS, metadata=about)


def _draw_lines(plot: Plot, axes: "Axes") -> None:
    if plot.logarithmic:
        axes.set(xscale="log", yscale="log")
    if plot.logarithmic_across:
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

        axes.set(xscale="log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    for number, line in enumerate(plot.lines):
        if plot.joined:
            _draw_line(line, number, axes)
        else:
            _draw_points(line, number, GROUP * ((number + 0.5) / len(plot.lines) - 0.5), axes)
    places = sorted({x for line in plot.lines for x in line.x})
    if plot.ticks:
        crowded = sum(map(len, plot.ticks)) > ROOM
        axes.set_xticks(range(len(plot.ticks)), plot.ticks, rotation=45 if crowded else 0)
    elif len(places) <= TICKS and not (plot.logarithmic or plot.logarithmic_across):
        axes.set_xticks(places)


def _draw_line(line: Line, number: int, axes: "Axes") -> None:
    colour, means = f"C{number}", [one.mean for one in line.y]
    if line.marked:
        mark = MARKS[number % len(MARKS)] if len(line.x) <= TICKS else None
        axes.plot(line.x, means, marker=mark, color=colour, label=line.name)
    else:
        axes.plot(line.x, means, "--", color=colour, label=line.name)
    low, high = ([one.mean + sign * one.deviation for one in line.y] for sign in (-1, 1))
    axes.fill_between(line.x, low, high, color=colour, alpha=0.12, linewidth=0)


def _draw_points(line: Line, number: int, aside: float, axes: "Axes") -> None:
    """Beside each other at every place, with bars."""
    places, means, errors = [x + aside for x in line.x], [y.mean for y in line.y], [y.deviation for y in line.y]
    mark = MARKS[number % len(MARKS)]
    axes.errorbar(places, means, errors, fmt=mark, color=f"C{number}", label=line.name, markersize=4, elinewidth=1)


def _draw_boxes(plot: Boxes, axes: "Axes") -> None:
    """Median, quartiles, the rest within 1.5 times their distance, and what lies beyond."""
    width = GROUP / len(plot.series)
    for number, one in enumerate(plot.series):
        colour = f"C{number}"
        places = [tick + width * (number - (len(plot.series) - 1) / 2) for tick in range(len(plot.ticks))]
        axes.boxplot(
            one.values,
            positions=places,
            widths=0.8 * width,
            patch_artist=True,
            boxprops={"facecolor": colour, "alpha": 0.35, "edgecolor": colour},
            medianprops={"color": colour, "linewidth": 2},
            whiskerprops={"color": colour},
            capprops={"color": colour},
            flierprops={"marker": ".", "markersize": 4, "markerfacecolor": colour, "markeredgewidth": 0},
        )
        axes.plot([], [], color=colour, linewidth=6, alpha=0.35, label=one.name)
    values = [value for one in plot.series for some in one.values for value in some]
    if min(values, default=0) < 0 < max(values, default=0):
        axes.axhline(0, color="0.4", linewidth=1)
    axes.set_xticks(range(len(plot.ticks)), plot.ticks)
    axes.set_xlim(-0.6, len(plot.ticks) - 0.4)
