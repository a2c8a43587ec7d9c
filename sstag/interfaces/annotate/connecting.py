"""Connections to a project's file, which somebody may have sent: nothing but its own tables, and no query without end.

The number of steps that SQLite may take for a query grows with the file, so that only a file which was made to keep it
busy meets the limit.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path

from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.foundation.plain import check_kind, kind_of
from sstag.interfaces.annotate.tables import check_tables
from sstag.interfaces.web.answers import Refused

PATIENCE = 30.0  # seconds that one connection waits for another
LONGEST = 2**28  # bytes of a value
TURN = 100_000  # steps after which they are counted
FEWEST, OF_BYTE = 20_000_000, 200  # steps that a query may take in any case, and for each byte of the file
BESIDE = ("-wal", "-shm")
JOURNAL = "-journal"  # of a file that is not in the mode of ours: it can name files elsewhere
LITTLE = 2**20  # bytes of a disk that is as good as full


class Limited(sqlite3.Connection):
    """A connection whose queries take so many steps at most."""

    path: str

    def limit(self) -> None:
        """Begins to count anew, for the next query or transaction."""
        size = 0
        for ending in ("", *BESIDE[:1]):
            with suppress(OSError):
                size += os.stat(self.path + ending).st_size
        left = [(FEWEST + OF_BYTE * size) // TURN]

        def is_over() -> bool:
            left[0] -= 1
            return left[0] < 0

        self.set_progress_handler(is_over, TURN)


def connected(path: str, read_only: bool = False, new: bool = False) -> Limited:
    """A connection to a project's file; a link, a pipe or a journal in its place is an error."""
    check_kind(path, optional=new)
    for ending in BESIDE:
        check_kind(path + ending, optional=True)
    if not new and kind_of(path + JOURNAL):
        raise DataError("is a journal, and projects have none: remove it", display_name(path + JOURNAL))
    mode = "ro" if read_only else "rwc" if new else "rw"
    place = f"{Path(path).absolute().as_uri()}?mode={mode}"
    file = sqlite3.connect(place, PATIENCE, isolation_level=None, check_same_thread=False, uri=True, factory=Limited)
    file.path = path
    file.row_factory = sqlite3.Row
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    file.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    file.limit()
    for pragma in ("trusted_schema = off", "cell_size_check = on", "foreign_keys = on"):
        file.execute(f"pragma {pragma}")
    return file


def check_file(file: Limited) -> None:
    """Raises an error if a file has other tables than ours, or is not whole."""
    check_tables(file, file.path, recover(file.path))
    file.limit()
    wrong = [str(row[0]) for row in file.execute("pragma integrity_check(1)")]
    if wrong != ["ok"]:
        raise DataError(f"is damaged ({wrong[0].splitlines()[-1]:.100}): {recover(file.path)}", file.path)
    file.limit()
    if row := file.execute("pragma foreign_key_check").fetchone():
        what = f"is damaged (a row of {row[0]} refers to one of {row[2]} that is not there)"
        raise DataError(f"{what}: {recover(file.path)}", file.path)
    file.limit()


def recover(path: str) -> str:
    """The advice for a file that is damaged."""
    return f"sstag annotate --project {display_name(os.path.dirname(path) or os.curdir)} --recover keeps what is whole"


@contextmanager
def told_plainly(path: str, advice: str = "") -> Iterator[None]:
    """A context in which what SQLite cannot do is an error that says why, with a status for programs.

    Without another advice it is the one for projects.
    """
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # mistakes of ours
    except (sqlite3.Error, UnicodeDecodeError) as error:
        status, message = _told(error, path, advice or recover(path))
        raise Refused(status, f"{display_name(path)}: {message}") from error


def _told(error: Exception, path: str, advice: str) -> tuple[HTTPStatus, str]:
    """The status and the words for a failure of a file."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(path)):
        return HTTPStatus.INSUFFICIENT_STORAGE, "no space left on device: nothing more is saved until there is room"
    known = {
        sqlite3.SQLITE_BUSY: (HTTPStatus.SERVICE_UNAVAILABLE, "another program is at work on it"),
        sqlite3.SQLITE_LOCKED: (HTTPStatus.SERVICE_UNAVAILABLE, "another program is at work on it"),
        sqlite3.SQLITE_READONLY: (HTTPStatus.INSUFFICIENT_STORAGE, "cannot be written: there is no right to"),
        sqlite3.SQLITE_PERM: (HTTPStatus.INSUFFICIENT_STORAGE, "permission denied"),
        sqlite3.SQLITE_CANTOPEN: (HTTPStatus.INSUFFICIENT_STORAGE, "cannot be opened: is there a right to, and room?"),
        sqlite3.SQLITE_IOERR: (HTTPStatus.INSUFFICIENT_STORAGE, "the disk cannot be read or written"),
        sqlite3.SQLITE_NOMEM: (HTTPStatus.INSUFFICIENT_STORAGE, "not enough memory"),
    }
    if code in known:
        return known[code]
    what = "a query does not end" if code == sqlite3.SQLITE_INTERRUPT else str(error)
    return HTTPStatus.INTERNAL_SERVER_ERROR, f"is damaged ({what:.100}): {advice}"


def _is_full(path: str) -> bool:
    with suppress(OSError):
        return shutil.disk_usage(os.path.dirname(path) or os.curdir).free < LITTLE
    return False
