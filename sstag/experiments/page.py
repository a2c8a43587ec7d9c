"""The page of an experiment as data: paragraphs, tables and plots; and its form as text, as Markdown and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

from sstag.evaluation.figure_tables import NONE
from sstag.evaluation.report.markdown import table_lines
from sstag.experiments.spread import Spread
from sstag.foundation.display import aligned
from sstag.foundation.json_values import Json
from sstag.foundation.tables import Table as Lines

Cell: TypeAlias = str | int | float | Spread | None


@dataclass(frozen=True)
class Table:
    """A table: rows under a head, the first column in words. Numbers that are not whole are shown with two digits."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Line:
    """A line of a plot. It has no marks if it is only there to compare with."""

    name: str
    x: Sequence[float]
    y: Sequence[Spread]
    marked: bool = True


@dataclass(frozen=True)
class Plot:
    """Lines over numbers, or over 0, 1, … that stand for what `ticks` says; points, if nothing is between them."""

    name: str  # of its files
    title: str
    across: str
    up: str
    lines: Sequence[Line]
    ticks: Sequence[str] = ()
    logarithmic: bool = False  # both axes
    logarithmic_across: bool = False  # that one
    joined: bool = True


@dataclass(frozen=True)
class Series:
    """The boxes of one system: its values at each tick."""

    name: str
    values: Sequence[Sequence[float]]


@dataclass(frozen=True)
class Boxes:
    """Boxplots beside each other: at each tick one for each of the series, and a line at 0 if they lie around it."""

    name: str  # of its files
    title: str
    across: str
    up: str
    ticks: Sequence[str]
    series: Sequence[Series]


@dataclass(frozen=True)
class Excerpt:
    """Lines of a corpus that may not be passed on: for the terminal, and a file of their own that is not the page."""

    name: str  # of the file, without .excerpt.txt
    title: str
    lines: Sequence[str] | None  # None: the corpus is absent, and the page is written from recorded runs


Picture: TypeAlias = Plot | Boxes
Block: TypeAlias = str | Table | Picture | Excerpt  # a text is a paragraph, or a heading in Markdown


@dataclass(frozen=True)
class Page:
    """The whole report on an experiment."""

    title: str
    blocks: Sequence[Block]
    about: Mapping[str, Json]  # the command that repeats it, and the versions of sstag and of the experiment
    data: Mapping[str, str]  # the SHA-256 of each file that was read
    made: str = ""  # by which commits, on which processors, in how many seconds


def differing(rows: Sequence[tuple[str, str, str]]) -> str:
    """A table in words of what differs between a paper and its repetition, which stands as a paragraph."""
    lines = table_lines(Lines(("", "paper", "here"), [*rows], (0, 1, 2)))
    return "\n".join(["## Where this differs from the paper", "", *lines])


def as_text(page: Page) -> str:
    """The page for a terminal; plots are left to the files."""
    parts = [page.title]
    for block in page.blocks:
        if isinstance(block, str):
            parts.append(block.lstrip("# "))
        elif isinstance(block, Table):
            lines = _lines(block)
            parts.append("\n".join([block.title, "", *aligned([lines.head, *lines.rows], lines.left)]))
        elif isinstance(block, Excerpt) and block.lines is not None:
            parts.append("\n".join([block.title, "", *block.lines]))
    return "\n\n".join(parts) + "\n"


def as_markdown(page: Page, plots: bool, notes: str) -> str:
    """The page with its plots, if they were drawn, and with what a person has to say of it."""
    parts = [f"# {page.title}"]
    for block in page.blocks:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, Table):
            parts.append("\n".join([f"**{block.title}**", "", *table_lines(_lines(block))]))
        elif isinstance(block, Excerpt):
            parts.append(f"{block.title}: in `{file_of(block)}`, which is not passed on, as the corpus may not be.")
        elif plots:
            parts.append(f"![{block.title}]({block.name}.png)")
    return "\n\n".join([*parts, *filter(None, [notes.strip()]), _repeated(page)]) + "\n"


def file_of(excerpt: Excerpt) -> str:
    """The name of the file of an excerpt."""
    return f"{excerpt.name}.excerpt.txt"


def as_json(page: Page) -> str:
    """Tables and plots in full precision, and what repeats them."""
    shown = [one for one in page.blocks if not isinstance(one, str | Excerpt)]
    blocks = [{"kind": type(one).__name__.lower(), **asdict(one)} for one in shown]
    return (
        json.dumps(
            {"title": page.title, **page.about, "data": page.data, "blocks": blocks}, ensure_ascii=False, indent=1
        )
        + "\n"
    )


def _repeated(page: Page) -> str:
    data = "".join(f"\n- `{name}`: SHA-256 {digest[:12]}…" for name, digest in page.data.items())
    return (
        f"## To repeat\n\n`{page.about['command']}` with sstag {page.about['sstag']}. Every run is in `runs.jsonl`, "
        "the tables and plots in full precision in `page.json`."
        + (f"\n\n{page.made}" if page.made else "")
        + (f"{chr(10) * 2 if page.made else ' '}Corpora:\n{data}" if data else "")
    )


def _lines(table: Table) -> Lines:
    return Lines(tuple(table.head), [tuple(map(_shown, row)) for row in table.rows], (0,))


def _shown(cell: Cell) -> str:
    match cell:
        case None:
            return NONE
        case str():
            return cell
        case int():
            return f"{cell:,}"
        case Spread():
            return f"{cell.mean:.2f}" + (f" ± {cell.deviation:.2f}" if cell.count > 1 else "")
    return f"{cell:.2f}"
