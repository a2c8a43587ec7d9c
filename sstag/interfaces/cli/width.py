"""Lines that fit a terminal: what is wider continues in the next line, and no number is cut in half."""

import os
import re
import sys
from typing import TextIO

import click

from sstag.foundation.display import display_width

WIDTH = 80  # of a terminal that does not say its own
PART = re.compile(r" {2,}| ")
FURTHER = 4  # blanks before what continues a line


def terminal_width(stream: TextIO | None) -> int | None:
    """The columns of the terminal that a stream writes to; None if it writes to none."""
    if stream is None or not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or WIDTH
    except (OSError, ValueError):
        return WIDTH


def say(text: str) -> None:
    """Prints a text, with lines that fit if it goes to a terminal."""
    click.echo(for_stdout(text))


def for_stdout(text: str) -> str:
    """A text as standard output may have it."""
    width = terminal_width(sys.stdout)
    return text if width is None else "\n".join(continued(line, width) for line in text.split("\n"))


def continued(line: str, width: int) -> str:
    """A line in several ones of at most this width, broken at blanks; a word that is wider stays whole."""
    if display_width(line) <= width:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")) + FURTHER)
    lines: list[str] = []
    start = end = 0  # of the part that is being filled, and of the words that fit into it
    for gap in [*PART.finditer(line, len(indent) - FURTHER), None]:
        stop = gap.start() if gap else len(line)
        before = indent if lines else ""
        if end > start and display_width(before + line[start:stop]) > width:
            lines.append(before + line[start:end])
            start = _next_word(line, end)
        end = stop
    return "\n".join([*lines, (indent if lines else "") + line[start:end]])


def _next_word(line: str, place: int) -> int:
    return len(line) - len(line[place:].lstrip(" "))


def cut(line: str, width: int) -> str:
    """As many parts of a line as fit, parts with three blanks between them, or else words."""
    if display_width(line) <= width:
        return line
    parts = line.split("   ")
    between, parts = ("   ", parts) if display_width(parts[0]) <= width else (" ", line.split(" "))
    while len(parts) > 1 and display_width(between.join(parts)) > width:
        parts = parts[:-1]
    return between.join(parts)[:width]
