"""The file of a project: one thread writes to it (`writing.py`), and one connection reads, for one thread at a time.

Reading that takes long has a connection of its own (`reading`), on which one state of the project stays as it is.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from threading import Lock
from typing import TypeVar

from sstag.foundation.plain import kind_of
from sstag.interfaces.annotate.checking import check_rows
from sstag.interfaces.annotate.connecting import check_file, connected, told_plainly
from sstag.interfaces.annotate.tables import brought_up_to_date
from sstag.interfaces.annotate.writing import Writer

T = TypeVar("T")


class Database:
    """An SQLite file with the tables of a project."""

    def __init__(self, path: str) -> None:
        """Opens a file that is there once all of it is checked, and makes one that is not."""
        self.path = path
        self._lock = Lock()
        new = not kind_of(path)
        with told_plainly(path), ExitStack() as stack:
            file = stack.enter_context(closing(connected(path, new=new)))
            if not new:
                check_file(file)
            file.execute("pragma journal_mode = wal")
            file.execute("pragma synchronous = full")
            brought_up_to_date(file, path)
            check_rows(file, path)
            self._file = stack.enter_context(closing(connected(path)))
            self._writer = Writer(file, connected(path))
            stack.pop_all()

    def close(self) -> None:
        """Closes the file."""
        self._writer.close()
        with self._lock:
            self._file.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection on which one state of the project is read, while others go on writing."""
        with told_plainly(self.path), closing(connected(self.path)) as file:
            file.execute("begin")
            yield file

    def one(self, query: str, *values: object) -> sqlite3.Row | None:
        """The first row that a query finds."""
        with told_plainly(self.path), self._lock:
            self._file.limit()
            row: sqlite3.Row | None = self._file.execute(query, values).fetchone()
            return row

    def all(self, query: str, *values: object) -> list[sqlite3.Row]:
        """All rows that a query finds."""
        with told_plainly(self.path), self._lock:
            self._file.limit()
            return self._file.execute(query, values).fetchall()

    def done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of some work in a transaction, when that is on disk."""
        with told_plainly(self.path):
            return self._writer.done(work)
