"""Tables of text: rows under a head, for a terminal, Markdown and notebooks."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

MOST_ROWS = 100  # that a notebook shows


@dataclass(frozen=True)
class Table:
    """Rows of text under a head, which may be empty; `left` tells which columns are words."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left: tuple[int, ...]


def html(title: str, tables: Sequence[Table]) -> str:
    """Tables under a title, as a notebook shows them: of many rows the first."""
    return "\n".join([f"<div><strong>{escape(title)}</strong></div>", *map(_html, tables)])


def _html(table: Table) -> str:
    more = len(table.rows) - MOST_ROWS
    rows = [*table.rows[:MOST_ROWS], *([(f"… {more:,} more",)] if more > 0 else [])]
    head = f"<thead>\n{_row(table.head, 'th', table.left)}\n</thead>\n" if table.head else ""
    body = "\n".join(_row(cells, "td", table.left) for cells in rows)
    return f"<table>\n{head}<tbody>\n{body}\n</tbody>\n</table>"


def _row(cells: Sequence[str], kind: str, left: Sequence[int]) -> str:
    shown = []
    for place, cell in enumerate(cells):
        style = f"text-align: {'left' if place in left else 'right'}; white-space: pre-wrap"
        shown.append(f'<{kind} style="{style}">{escape(cell)}</{kind}>')
    return f"<tr>{''.join(shown)}</tr>"
