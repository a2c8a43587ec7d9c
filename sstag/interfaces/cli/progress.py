"""One line on the terminal that says how far a long run is."""

import sys
import time

import click

from sstag.interfaces.cli.plain import as_message
from sstag.interfaces.cli.terminal import over_line
from sstag.interfaces.cli.width import WIDTH, cut, terminal_width

PATIENCE = 2.0  # seconds without a word
PAUSE = 0.1  # seconds between two texts that follow one another


class ProgressLine:
    """A line on stderr that is written over again and again; without a terminal, nothing is written."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._shown = False
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + patience

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """Puts a text there, unless it is too early for one or the last one is too new."""
        if self.terminal and time.monotonic() >= self._next:
            width = terminal_width(sys.stderr) or WIDTH  # a line that does not fit cannot be written over
            over_line(cut(text, width - 1))
            self._shown = True
            self._next = time.monotonic() + PAUSE

    def say(self, text: str) -> None:
        """Prints a text that stays."""
        self.clear()
        click.echo(as_message(text), err=True)

    def clear(self) -> None:
        """Takes the line away, for what is printed next."""
        if self._shown:
            over_line("")
            self._shown = False
