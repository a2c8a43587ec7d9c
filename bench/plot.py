"""Plots of growth, as PNG and as SVG files."""

from collections.abc import Mapping, Sequence

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "sstag"  # so that the same picture has the same bytes
from matplotlib import pyplot, ticker  # noqa: E402

TITLES = {"seconds": "seconds", "MiB": "peak memory in MiB"}


def growth(axis: str, sizes: Sequence[int], lines: Mapping[str, Mapping[str, Sequence[float]]], path: str) -> None:
    """Writes a plot with a panel for each unit and a line for each kind; both axes are logarithmic."""
    figure, panels = pyplot.subplots(1, len(lines), figsize=(10, 4), layout="constrained")
    for panel, (unit, kinds) in zip(panels, lines.items(), strict=True):
        for name, values in kinds.items():
            panel.plot(sizes, values, marker="o", markersize=4, label=name)
        low, high = (one(map(one, kinds.values())) for one in (min, max))
        panel.set(xscale="log", yscale="log", xlabel=axis, title=TITLES[unit], ylim=(low / 2, high * 2))
        for scale in (panel.xaxis, panel.yaxis):
            scale.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if high < 30 * low else (1.0,)))
            scale.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
            scale.set_minor_formatter(ticker.NullFormatter())
        panel.xaxis.set_major_locator(ticker.FixedLocator(sizes[:: 1 if len(sizes) < 6 else 2]))
        panel.grid(alpha=0.3)
        panel.legend(title="exponent of growth")
    for ending in ("png", "svg"):
        figure.savefig(f"{path}.{ending}", metadata={"Date": None} if ending == "svg" else None, dpi=120)
