"""Plots as files, drawn with matplotlib if it is there: PNG to look at, SVG to print."""

import textwrap
from importlib.util import find_spec

from sstag.experiments.page import Plot
from sstag.files import output

MARKS = "osD^vPX"
SETTINGS = {"svg.hashsalt": "sstag", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
DOTS = 120  # per inch
LEGEND = 84  # characters of a line of the legend, of which each name takes MARK more
MARK = 7
ROOM = 45  # characters of ticks side by side
TICKS = 12  # places that each have a tick, and points of a line that each have a mark


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw(plot: Plot, stem: str) -> None:
    """A plot as `stem.png` and `stem.svg`; the same plot gives the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.add_subplot()
        axes.set(title=textwrap.fill(plot.title, 60), xlabel=plot.across, ylabel=plot.up)
        axes.grid(alpha=0.3)
        if plot.logarithmic:
            axes.set(xscale="log", yscale="log")
        if plot.logarithmic_across:
            axes.set(xscale="log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axes.xaxis.set_minor_formatter(NullFormatter())
        for number, line in enumerate(plot.lines):
            colour, means = f"C{number}", [one.mean for one in line.y]
            if line.marked:
                mark = MARKS[number % len(MARKS)] if len(line.x) <= TICKS else None
                axes.plot(line.x, means, marker=mark, color=colour, label=line.name)
            else:
                axes.plot(line.x, means, "--", color=colour, label=line.name)
            low, high = ([one.mean + sign * one.deviation for one in line.y] for sign in (-1, 1))
            axes.fill_between(line.x, low, high, color=colour, alpha=0.12, linewidth=0)
        places = sorted({x for line in plot.lines for x in line.x})
        if plot.ticks:
            crowded = sum(map(len, plot.ticks)) > ROOM
            axes.set_xticks(range(len(plot.ticks)), plot.ticks, rotation=45 if crowded else 0)
        elif len(places) <= TICKS and not (plot.logarithmic or plot.logarithmic_across):
            axes.set_xticks(places)
        longest = max((len(line.name) for line in plot.lines), default=0)
        columns = min(max(LEGEND // (longest + MARK), 1), 4)
        figure.legend(loc="outside lower center", ncols=columns, frameon=False)
        for kind, about in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
            with output(f"{stem}.{kind}") as file:
                figure.savefig(file, format=kind, dpi=DOTS, metadata=about)
