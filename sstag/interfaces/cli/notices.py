"""Messages that the library logs while it works, as lines on stderr."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from sstag.interfaces.cli.plain import as_message
from sstag.interfaces.cli.terminal import over_line


@contextmanager
def notices() -> Iterator[None]:
    """Prints, as long as it lasts, what is said to the logger `sstag`."""
    logger, handler = logging.getLogger("sstag"), _Lines()
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._warned: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = as_message(record.getMessage())
        if record.levelno >= logging.WARNING:  # a file that is read twice has the same faults twice
            if message in self._warned:
                return
            self._warned.add(message)
        if sys.stderr is not None and sys.stderr.isatty():
            over_line("")  # in the place of the line that says how far a run is, which comes again
        click.echo(message, err=True)


def say(text: str) -> None:
    """Says something about a run, which may quote a file."""
    click.echo(as_message(text), err=True)
