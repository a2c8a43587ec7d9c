"""Plain files and folders inside a folder that somebody sent: no link leads out of it, and nothing in it is a pipe."""

import os
import stat
from pathlib import Path

from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name

KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISREG, "a plain file"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)
PLAIN, FOLDER, DEVICE = "a plain file", "a folder", "a device"
MOST = 100_000  # files in a folder that is looked through


def kind_of(path: str | Path) -> str | None:
    """The kind of a file in words, None if there is none; links are not followed."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else None
        raise DataError((said or str(error)).lower(), display_name(str(path))) from error
    return next((kind for is_kind, kind in KINDS if is_kind(mode)), DEVICE)


def check_kind(path: str | Path, wanted: str = PLAIN, optional: bool = False) -> bool:
    """Raises an error if what stands at a path is not of a kind; whether anything does."""
    kind = kind_of(path)
    if kind is None and not optional:
        raise DataError("no such file or directory", display_name(str(path)))
    if kind not in (None, wanted):
        raise DataError(f"is {kind}, not {wanted}", display_name(str(path)))
    return kind is not None


def check_all(folder: str | Path, depth: int) -> None:
    """Raises an error if a folder, if there is one, has anything but plain files in it, or folders of these."""
    if not check_kind(folder, FOLDER, optional=True):
        return
    try:
        with os.scandir(folder) as entries:
            paths = [entry.path for _, entry in zip(range(MOST + 1), entries, strict=False)]
    except OSError as error:
        raise DataError((error.strerror or str(error)).lower(), display_name(str(folder))) from error
    if len(paths) > MOST:
        raise DataError(f"has more than {MOST:,} files in it", display_name(str(folder)))
    for path in sorted(paths):
        if depth and kind_of(path) == FOLDER:
            check_all(path, depth - 1)
        else:
            check_kind(path)
