"""The figures of an evaluation, and those by type or label, as tables for a terminal, Markdown and notebooks."""

from collections.abc import Mapping

from sstag.foundation.tables import Table

NONE = "–"
TITLES = {
    "accuracy": "accuracy",
    "sentence accuracy": "whole sentences",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}


def figure_table(
    figures: Mapping[str, float],
    totals: Mapping[str, int],
    unit: str,
    intervals: Mapping[str, tuple[float, float]] | None = None,
) -> Table:
    """A row for each figure, with the counts that it is made of, and its interval if there are any."""
    of = {
        "accuracy": (totals["tokens right"], totals["tokens"], "tokens"),
        "sentence accuracy": (totals["sentences right"], totals["sentences"], "sentences"),
        "precision": (totals["right"], totals["found"], f"{unit} found"),
        "recall": (totals["right"], totals["gold"], f"{unit} in gold"),
    }
    rows = []
    for name, figure in figures.items():
        right, count, what = of.get(name, ("", "", ""))
        row = [TITLES[name], percent(figure) if count != 0 else NONE]
        if name == "f1" and not totals["gold"] + totals["found"]:
            row[1] = NONE
        if intervals is not None:
            low, high = intervals[name]
            row.append(f"{percent(low)} to {percent(high)}" if row[1] != NONE else "")
        rows.append((*row, *(f"{n:,}" if n != "" else "" for n in (right, count)), what))
    head = ("", "%", *(("95 % interval",) if intervals is not None else ()), "right", "of", "")
    return Table(head, rows, (0, len(head) - 1))


def kind_table(by_kind: Mapping[str, tuple[int, int, int]], kind: str) -> Table:
    """A row for each type of chunk, or label, with its counts and figures; `kind` is the word for it."""
    rows = []
    for name, (gold, found, right) in by_kind.items():
        shares = (right, found), (right, gold), (2 * right, gold + found)
        numbers = [percent(part / whole) if whole else NONE for part, whole in shares]
        rows.append((name or "(no type)", f"{gold:,}", f"{found:,}", f"{right:,}", *numbers))
    return Table((kind, "gold", "found", "right", "precision", "recall", "F1"), rows, (0,))


def in_a_line(figures: Mapping[str, float]) -> str:
    """The figures one after another, in percent, the last first: that is F₁ where there are chunks."""
    return ", ".join(f"{TITLES[name]} {percent(figure)}" for name, figure in [*figures.items()][::-1])


def percent(share: float) -> str:
    """A share as a table shows it, in percent."""
    return f"{100 * share:.2f}"
