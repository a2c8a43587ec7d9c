"""Where bytes are read from: files of this machine, and URLs, which fsspec opens with the credentials that it finds."""

import os
from collections.abc import Callable, Iterable
from glob import glob, has_magic
from typing import BinaryIO, Protocol, TypeVar

from sstag.foundation.errors import ConfigError, DataError

T = TypeVar("T")


class _System(Protocol):
    """A file system of fsspec."""

    def open(self, path: str, mode: str) -> BinaryIO: ...
    def isfile(self, path: str) -> bool: ...
    def size(self, path: str) -> int: ...
    def glob(self, path: str) -> list[str]: ...
    def unstrip_protocol(self, name: str) -> str: ...


def is_url(path: str) -> bool:
    """Whether a path names a scheme, such as `s3://bucket/raw.txt`."""
    return "://" in path


def opened(path: str) -> BinaryIO:
    """A file to read bytes from, at any place."""
    if not is_url(path):
        return open(path, "rb")
    return _asked(path, lambda system, place: system.open(place, "rb"))


def is_file(path: str) -> bool:
    """Whether a path is that of a file, which can be read several times."""
    return _asked(path, lambda system, place: system.isfile(place)) if is_url(path) else os.path.isfile(path)


def size_of(path: str) -> int:
    """The bytes of a file."""
    return _asked(path, lambda system, place: system.size(place)) if is_url(path) else os.path.getsize(path)


def matching(paths: Iterable[str]) -> list[str]:
    """The paths, each with `*`, `?` or `[…]` in the place of a name replaced by the files that fit, in their order.

    A file that is called so is meant itself.
    """
    return [one for path in paths for one in _matching(path)]


def _matching(path: str) -> list[str]:
    if not has_magic(path):
        return [path]
    if is_url(path):
        found: list[str] = sorted(
            _asked(path, lambda system, place: [system.unstrip_protocol(name) for name in system.glob(place)])
        )
    elif os.path.exists(path):
        return [path]
    else:
        found = sorted(name for name in glob(path, recursive=True) if os.path.isfile(name))
    if not found:
        raise DataError("no file is called so", path)
    return found


def _asked(path: str, ask: Callable[[_System, str], T]) -> T:
    """The answer of whoever has a URL: a file system of fsspec, and the place there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ConfigError("a URL needs fsspec: pip install 'sstag[cluster]'", path) from error
    try:
        return ask(*url_to_fs(path))
    except OSError as error:
        raise DataError((error.strerror or str(error) or type(error).__name__).lower(), path) from error
    except (ImportError, ValueError) as error:  # a scheme that nobody knows, or that needs another package
        raise DataError(str(error), path) from error
