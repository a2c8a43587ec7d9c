"""A log of finished trials, a line of JSON for each, so that a trial that was run need not be run again.

A line is whole or it does not count, so a log survives any end; it is put in order when everything is done.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from sstag.experiments.trials import Row, Trial
from sstag.foundation.errors import DataError
from sstag.foundation.files import output, translated_errors


@dataclass(frozen=True)
class Log:
    """A file of finished trials."""

    path: str

    def found(self) -> dict[str, list[Row]]:
        """The rows that each trial found, by its key."""
        if not os.path.exists(self.path):
            return {}
        with translated_errors(self.path), open(self.path, "rb") as file:
            lines = file.read().split(b"\n")
        return dict(_entry(line, self.path, number) for number, line in enumerate(lines[:-1], 1))

    def add(self, key: str, trial: Trial, rows: Sequence[Row]) -> None:
        """Writes the rows of a trial to the disk, so that no later failure loses them."""
        with translated_errors(self.path), open(self.path, "ab+") as file:
            file.seek(0)
            whole = file.read().rfind(b"\n") + 1
            file.truncate(whole)  # what another process left half written
            file.write(_line(key, trial, rows))
            file.flush()
            os.fsync(file.fileno())

    def put_in_order(self, entries: Sequence[tuple[str, Trial, Sequence[Row]]]) -> None:
        """Rewrites the log so that it has these trials in this order and no others."""
        with output(self.path) as file:
            file.write(b"".join(_line(*entry) for entry in entries))


def _line(key: str, trial: Trial, rows: Sequence[Row]) -> bytes:
    said = {"key": key, "function": trial.function, "settings": trial.settings, "rows": rows}
    return json.dumps(said, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _entry(line: bytes, path: str, number: int) -> tuple[str, list[Row]]:
    try:
        entry = json.loads(line)
        key, rows = entry["key"], entry["rows"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError("is no finished run (delete the line)", path, number) from error
    if not (isinstance(key, str) and isinstance(rows, list) and all(isinstance(row, dict) for row in rows)):
        raise DataError("is no finished run (delete the line)", path, number)
    return key, rows
