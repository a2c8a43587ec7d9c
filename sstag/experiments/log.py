"""A log of finished trials, a line of JSON for each, so that a trial that was run need not be run again.

A line is whole or it does not count, so a log survives any end. It is put in order when everything is done, and loses
no run by that: the runs of other trials stand behind. Commit, processor and seconds, which differ from run to run,
stand in a file beside it, so that a log has the same bytes again.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sstag.experiments.provenance import commit, processor
from sstag.experiments.trials import Row, Trial
from sstag.foundation.errors import DataError
from sstag.foundation.files import output, translated_errors


@dataclass(frozen=True)
class Kept:
    """The rows that a trial found, and a hash of the code that it ran; "" from before that was recorded."""

    rows: list[Row]
    code: str


@dataclass(frozen=True)
class Log:
    """A file of finished trials."""

    path: str

    @property
    def beside(self) -> str:
        """The path of what differs from run to run."""
        return os.path.join(os.path.dirname(self.path), "made.jsonl")

    def found(self) -> dict[str, Kept]:
        """The rows that each trial found, by its key."""
        return dict(_entry(line, self.path, number) for number, line in _lines(self.path))

    def keys_by_content(self) -> dict[str, list[str]]:
        """The keys of the runs of each function with each settings, whatever version and files they are of."""
        keys: dict[str, list[str]] = {}
        for number, line in _lines(self.path):
            entry = _object(line, self.path, number)
            keys.setdefault(_content(entry.get("function"), entry.get("settings")), []).append(entry["key"])
        return keys

    def content(self, trial: Trial) -> str:
        """A trial as `keys_by_content` names it."""
        return _content(trial.function, dict(trial.settings))

    def made(self) -> dict[str, tuple[str, str, float]]:
        """The commit, the processor and the seconds of each trial, by its key, as far as they are known."""
        return dict(_origin(line, self.beside, number) for number, line in _lines(self.beside))

    def add(self, key: str, trial: Trial, kept: Kept, seconds: float) -> None:
        """Writes what a trial found to the disk, so that no later failure loses it."""
        _appended(self.beside, {"key": key, "commit": commit(), "processor": processor(), "seconds": round(seconds, 2)})
        _appended(self.path, _said(key, trial, kept))

    def put_in_order(self, entries: Sequence[tuple[str, Trial, Kept]]) -> None:
        """Rewrites the log so that it begins with these trials in this order; runs of others stay behind them."""
        ordered = {key for key, _, _ in entries}
        others = {
            entry["key"]: line
            for number, line in _lines(self.path)
            if (entry := _object(line, self.path, number))["key"] not in ordered
        }
        lines = [_line(_said(*entry)) for entry in entries] + [line + b"\n" for line in others.values()]
        if lines != [line + b"\n" for _, line in _lines(self.path)]:
            with output(self.path) as file:
                file.write(b"".join(lines))


def _lines(path: str) -> list[tuple[int, bytes]]:
    """The lines of a file that are whole, with their numbers."""
    if not os.path.exists(path):
        return []
    with translated_errors(path), open(path, "rb") as file:
        return [*enumerate(file.read().split(b"\n")[:-1], 1)]


def _appended(path: str, said: Mapping[str, object]) -> None:
    with translated_errors(path), open(path, "ab+") as file:
        file.seek(0)
        whole = file.read().rfind(b"\n") + 1
        file.truncate(whole)  # what another process left half written
        file.write(_line(said))
        file.flush()
        os.fsync(file.fileno())


def _said(key: str, trial: Trial, kept: Kept) -> dict[str, object]:
    code = {"code": kept.code} if kept.code else {}
    return {"key": key, **code, "function": trial.function, "settings": trial.settings, "rows": kept.rows}


def _line(said: Mapping[str, object]) -> bytes:
    return json.dumps(said, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _content(function: object, settings: object) -> str:
    return json.dumps([function, settings], sort_keys=True)


def _object(line: bytes, path: str, number: int) -> dict[str, Any]:
    try:
        entry = json.loads(line)
        if isinstance(entry, dict) and isinstance(entry["key"], str):
            return entry
    except (ValueError, KeyError, RecursionError):
        pass
    raise DataError("is no finished run (delete the line)", path, number)


def _origin(line: bytes, path: str, number: int) -> tuple[str, tuple[str, str, float]]:
    entry = _object(line, path, number)
    seconds = entry.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise DataError("does not say how long a run took (delete the line)", path, number)
    return entry["key"], (str(entry.get("commit", "")), str(entry.get("processor", "")), float(seconds))


def _entry(line: bytes, path: str, number: int) -> tuple[str, Kept]:
    entry = _object(line, path, number)
    rows, code = entry.get("rows"), entry.get("code", "")
    if not (isinstance(rows, list) and all(isinstance(row, dict) for row in rows) and isinstance(code, str)):
        raise DataError("is no finished run (delete the line)", path, number)
    return entry["key"], Kept(rows, code)
