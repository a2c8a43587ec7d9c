"""A table of the gains of a second look, drawn from the page of `make second-look` in `results`."""

from collections.abc import Iterator

from docs.tools.registries import table
from docs.tools.result_pages import UNKNOWN, Cells, number, tables

ONE, TWO = "one look", "two looks, text at hand"
SIZES = ("100", "500")  # labelled sentences
MEASURES = {"F₁": "F", "accuracy": "accuracy"}


def text() -> str:
    """One look and two on every corpus, with 100 and with 500 labelled sentences; those that chose nothing are last."""
    lines = [*_of_development(), *_of_others()]
    if not lines:
        return "Not measured yet."
    return table(("", *(f"{way}, {size}" for size in SIZES for way in ("one look", "two looks"))), lines)


def _of_development() -> Iterator[list[str]]:
    """The rows of a table of corpora, where a row is called by a corpus and a number of labelled sentences."""
    for one in tables("second-look"):
        if one["title"].startswith("Spellings: "):
            found = {cells[0]: dict(zip(one["head"], cells, strict=True)) for cells in one["rows"]}
            names = dict.fromkeys(name.rpartition(", ")[0] for name in found)
            yield from ([name, *_cells({size: found.get(f"{name}, {size}", {}) for size in SIZES})] for name in names)


def _of_others() -> Iterator[list[str]]:
    """Tables of one corpus each, where a row is called by a number of labelled sentences."""
    for one in tables("second-look"):
        name, _, measure = one["title"].rpartition(": ")
        if one["head"][0] == "labelled" and measure in MEASURES:
            found = {cells[0]: dict(zip(one["head"], cells, strict=True)) for cells in one["rows"]}
            yield [f"{name}, {MEASURES[measure]}", *_cells({size: found.get(size, {}) for size in SIZES})]


def _cells(found: dict[str, Cells]) -> Iterator[str]:
    """The means of one look and of two at each number of labelled sentences."""
    for size in SIZES:
        for way in (ONE, TWO):
            cell = found[size].get(way)
            yield number(cell["mean"]) if isinstance(cell, dict) else UNKNOWN
