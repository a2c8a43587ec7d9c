"""Messages that the library logs while it works, as lines on stderr."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from sstag.interfaces.cli.progress import CLEAR


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
        if record.levelno >= logging.WARNING:  # a file that is read twice has the same faults twice
            if record.getMessage() in self._warned:
                return
            self._warned.add(record.getMessage())
        # In the place of the line that says how far a run is, which comes again.
        on_line = sys.stderr is not None and sys.stderr.isatty()
        click.echo(f"{CLEAR if on_line else ''}{record.getMessage()}", err=True)
