"""The cost of an evaluation: the trials, and the report on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sstag.experiments.mann2007.timing import LIMIT, SUPERVISED, SYSTEMS
from sstag.experiments.page import Block, Cell, Line, Plot, Table
from sstag.experiments.slopes import slope, upper_half
from sstag.experiments.spread import Spread
from sstag.experiments.trials import Row, Section, Trial

WHERE = "sstag.experiments.mann2007.timing:timed"


@dataclass(frozen=True)
class _Series:
    """One size that grows, its values, and the value of the other size."""

    across: str
    sizes: tuple[int, ...]
    other: int

    @property
    def called(self) -> str:
        return "tokens of a sentence" if self.across == "length" else "labels"

    @property
    def held(self) -> str:
        return f"{self.other} {'labels' if self.across == 'length' else 'tokens a sentence'}"


LENGTHS = (8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096, 5793, 8192)
SERIES = {
    "full": (
        _Series("length", LENGTHS, 10),
        _Series("labels", (2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256), 30),
    ),
    "smoke": (_Series("length", (8, 16, 32), 3), _Series("labels", (2, 4, 8), 5)),
}
ATTRIBUTES = {"full": (1, 20, 50), "smoke": (1, 5)}

PROTOCOL = """## The cost of the gradient

Seconds of a value and its gradient in θ, for each sentence, in one thread: of the likelihood (supervised), and of the
entropy by the covariance recursions, by the paper's constrained entropies, and by the nested recursion of Jiao et al.
(2006). Generated sentences, random weights, all pairs of attributes and labels; 1, {other} attributes a token. The
systems take turns, nothing else runs, and the fastest of up to 15 evaluations counts; a nested one that would
take more than {limit:.0f} s is left out. Slopes are those of log seconds over the upper half of the sizes, with 95 %
intervals of the regression.

The paper: O(ns²) for n tokens and s labels, as supervised training, at about 1.5 times its time; the nested one
O(n²s³)."""


def sections(scale: str) -> Iterator[Section]:
    """One part, whose trials have the machine for themselves."""
    trials = [
        Trial(
            WHERE,
            {"across": one.across, "sizes": list(one.sizes), "other": one.other, "attributes": attributes},
            cost=60.0 if scale == "full" else 1.0,
            alone=True,
        )
        for one in SERIES[scale]
        for attributes in ATTRIBUTES[scale]
    ]

    def report(rows: list[Row]) -> Iterator[Block]:
        more = ATTRIBUTES[scale][1:]
        yield PROTOCOL.format(other=" and ".join(map(str, more)), limit=LIMIT)
        yield _slopes(SERIES[scale], ATTRIBUTES[scale], rows)
        for one in SERIES[scale]:
            yield _ratios(one, ATTRIBUTES[scale], rows)
            yield _plot(one, more[0], rows)

    yield Section(trials, report)


def _seconds(rows: Sequence[Row], one: _Series, attributes: int, system: str) -> dict[int, float]:
    """By size."""
    wanted = {"across": one.across, "attributes": attributes, "system": system}
    return {row["size"]: row["seconds"] for row in rows if all(row[name] == value for name, value in wanted.items())}


def _slopes(series: Sequence[_Series], attributes: Sequence[int], rows: Sequence[Row]) -> Table:
    table: list[list[Cell]] = []
    for one in series:
        for count in attributes:
            table.append([f"{one.called}, at {one.held}", f"{count}"])
            for system in SYSTEMS:
                found = _seconds(rows, one, count, system)
                sizes = [size for size in upper_half(one.sizes) if size in found]
                fitted = slope(sizes, [found[int(size)] for size in sizes])
                table[-1].append(f"{fitted.value:.2f} ({fitted.low:.2f} to {fitted.high:.2f})" if fitted else None)
    return Table("Slopes: seconds ∝ size to this power", ("size", "attributes", *SYSTEMS), table)


def _ratios(one: _Series, attributes: Sequence[int], rows: Sequence[Row]) -> Table:
    others = [system for system in SYSTEMS if system != SUPERVISED]
    table: list[list[Cell]] = []
    for size in one.sizes[::2]:
        table.append([f"{size:,}"])
        for count in attributes:
            base = _seconds(rows, one, count, SUPERVISED)
            for system in others:
                found = _seconds(rows, one, count, system)
                table[-1].append(_times(found[size] / base[size]) if size in found else None)
    head = [f"{system}, {count}" for count in attributes for system in others]
    return Table(
        f"Times the supervised seconds, by {one.called} ({one.held}) and attributes a token", (one.called, *head), table
    )


def _times(ratio: float) -> Cell:
    return ratio if ratio < 100 else round(ratio)


def _plot(one: _Series, attributes: int, rows: Sequence[Row]) -> Plot:
    lines = []
    for system in SYSTEMS:
        found = _seconds(rows, one, attributes, system)
        lines.append(Line(system, list(found), [Spread(value, 0.0, 1) for value in found.values()]))
    title = f"A value and gradient: {one.held}, {attributes} attributes a token"
    return Plot(f"seconds-by-{one.across}", title, one.called, "seconds a sentence", lines, logarithmic=True)
