"""Text in columns of a terminal, whatever the width of its characters."""

import unicodedata
from collections.abc import Iterator, Sequence

WIDEST = 32  # a wider cell moves the cells after it


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int]) -> Iterator[str]:
    """Rows of cells as lines, the columns two blanks apart; those not in `left` are numbers."""
    widths = [min(WIDEST, max(display_width(cell) for cell in column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(padded(cell, widths[i], i in left) for i, cell in enumerate(row)).rstrip(" ")


def first_of(names: Sequence[str], most: int) -> str:
    """The first names with commas between them, and … in place of the others."""
    return ", ".join([*names[:most], *(["…"] if len(names) > most else [])])


def wrapped(words: Sequence[str], between: str, width: int) -> Iterator[str]:
    """The words in lines of at most this width; a word that is wider has a line of its own."""
    line: list[str] = []
    used = 0
    for word in words:
        size = display_width(word) + len(between)
        if line and used + size > width + len(between):
            yield between.join(line)
            line, used = [], 0
        line.append(word)
        used += size
    yield between.join(line)


def padded(cell: str, width: int, left: bool) -> str:
    blanks = " " * (width - display_width(cell))
    return cell + blanks if left else blanks + cell


def display_width(text: str) -> int:
    """The number of columns that a text takes on a terminal, by the tables of Unicode."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
