"""The tables on the pages of experiments, in full precision, for parts of documents that are drawn from them."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

RESULTS = Path(__file__).parent.parent.parent / "results"
SIZES = (10, 25, 100)  # labelled sentences
UNKNOWN = "·"

Cells: TypeAlias = Mapping[str, Any]  # a row by its heads
Figures: TypeAlias = Mapping[int, float]  # by labelled sentences


@cache
def tables(experiment: str) -> list[dict[str, Any]]:
    """The tables of a page; none of an experiment without results."""
    page = RESULTS / experiment / "page.json"
    blocks = json.loads(page.read_text(encoding="utf-8"))["blocks"] if page.exists() else []
    return [block for block in blocks if block["kind"] == "table"]


def row(experiment: str, title: str, name: str) -> Cells:
    """The cells of a row of the first table whose title begins so, by their heads, the first of equal heads; nothing
    where there is no such row.
    """
    for one in tables(experiment):
        for cells in one["rows"]:
            if one["title"].startswith(title) and cells[0] == name:
                return dict(reversed([*zip(one["head"], cells, strict=True)]))
    return {}


def by_size(cells: Cells, head: str) -> Figures:
    """The means of a row by labelled sentences, where the head of a column says how many they are."""
    found = {size: cells.get(head.format(size)) for size in SIZES}
    return {size: cell["mean"] for size, cell in found.items() if isinstance(cell, dict)}


def number(value: float, form: str = "{:.1f}") -> str:
    """A number, with a minus that is one."""
    return form.format(value).replace("-", "−")


def each_size(found: Figures, form: str = "{:.1f}") -> str:
    """The figures of all sizes in one cell."""
    each = [number(found[size], form) if size in found else UNKNOWN for size in SIZES]
    return " / ".join(each) if found else UNKNOWN
