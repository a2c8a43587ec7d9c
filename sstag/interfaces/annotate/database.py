"""The file of a project: one thread writes to it (`writing.py`), and one connection reads, for one thread at a time.

Reading that takes long has a connection of its own (`reading`), on which one state of the project stays as it is.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

from sstag.foundation.errors import DataError
from sstag.interfaces.annotate.rows import connected
from sstag.interfaces.annotate.tables import brought_up_to_date
from sstag.interfaces.annotate.writing import Writer

T = TypeVar("T")


class Database:
    """An SQLite file with the tables of a project."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = Lock()
        try:
            file = connected(path)
            file.execute("pragma journal_mode = wal")
            file.execute("pragma synchronous = full")
            brought_up_to_date(file, path)
            self._file = connected(path)
            self._writer = Writer(file, connected(path))
        except sqlite3.DatabaseError as error:
            raise DataError(f"cannot be opened as a project: {error}", path) from error

    def close(self) -> None:
        """Closes the file."""
        self._writer.close()
        with self._lock:
            self._file.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection on which one state of the project is read, while others go on writing."""
        file = connected(self.path)
        try:
            file.execute("begin")
            yield file
        finally:
            file.close()

    def one(self, query: str, *values: object) -> sqlite3.Row | None:
        """The first row that a query finds."""
        with self._lock:
            row: sqlite3.Row | None = self._file.execute(query, values).fetchone()
            return row

    def all(self, query: str, *values: object) -> list[sqlite3.Row]:
        """All rows that a query finds."""
        with self._lock:
            return self._file.execute(query, values).fetchall()

    def done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of some work in a transaction, when that is on disk."""
        return self._writer.done(work)
