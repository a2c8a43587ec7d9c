"""Where bytes are read from: files of this machine."""

import os
from collections.abc import Iterable
from glob import glob, has_magic
from typing import BinaryIO

from sstag.foundation.errors import DataError


def opened(path: str) -> BinaryIO:
    """A file to read bytes from, at any place."""
    return open(path, "rb")


def is_file(path: str) -> bool:
    """Whether a path is that of a file, which can be read several times."""
    return os.path.isfile(path)


def size_of(path: str) -> int:
    """The bytes of a file."""
    return os.path.getsize(path)


def matching(paths: Iterable[str]) -> list[str]:
    """The paths, each with `*`, `?` or `[…]` in the place of a name replaced by the files that fit, in their order.

    A file that is called so is meant itself.
    """
    return [one for path in paths for one in _matching(path)]


def _matching(path: str) -> list[str]:
    if not has_magic(path) or os.path.exists(path):
        return [path]
    found = sorted(name for name in glob(path, recursive=True) if os.path.isfile(name))
    if not found:
        raise DataError("no file is called so", path)
    return found
