"""The log of a server: every line has the time, and a line about a request has the address that it came from."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from sstag.interfaces.cli.plain import as_message

LOGGERS = ("sstag", "uvicorn", "asyncio")
FORM, TIME = "%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S%z"
PAUSE = 1.0  # second between two lines of one kind, so that nobody fills the disk with them

log = logging.getLogger(__name__)


class _Shown(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return as_message(super().format(record))


@contextmanager
def timed_log() -> Iterator[None]:
    """As long as it lasts, what is logged is shown on standard error, with the time."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Shown(FORM, TIME))
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(logger.handlers, logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if logger.name == LOGGERS[0] else logging.ERROR)
    try:
        yield
    finally:
        for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


class Refusals:
    """Lines about requests that were refused: one a second for each status, with the number of those between."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[float, int]] = {}  # by status: when a line was written, and how many were not

    def log(self, client: tuple[str, int] | None, request: str, status: HTTPStatus, why: str) -> None:
        """Logs that a request was refused, and why."""
        now = time.monotonic()
        then, skipped = self._last.get(status, (-PAUSE, 0))
        if now - then < PAUSE:
            self._last[status] = then, skipped + 1
            return
        self._last[status] = now, 0
        more = f" (and {skipped:,} more)" if skipped else ""
        log.warning("%s %s %d: %s%s", address(client), request or "-", status, why, more)


def address(client: tuple[str, int] | None) -> str:
    """The address and port of a client as text."""
    if client is None:
        return "-"
    host, port = client
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
