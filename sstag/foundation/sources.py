"""Where bytes are read from: files of this machine, and URLs, which fsspec opens with the credentials that it finds."""

import os
from collections.abc import Callable, Iterable
from glob import glob, has_magic
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeVar

from sstag.foundation.errors import ConfigError, DataError, installing

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

T = TypeVar("T")
WEB = ("http://", "https://")


class _System(Protocol):
    """A file system of fsspec."""

    def open(self, path: str, mode: str, block_size: int = ...) -> BinaryIO: ...
    def isfile(self, path: str) -> bool: ...
    def size(self, path: str) -> int: ...
    def glob(self, path: str) -> list[str]: ...
    def unstrip_protocol(self, name: str) -> str: ...


class _Elsewhere(RawIOBase):
    """A file of fsspec with all that files have; faults of whatever package reads it are those of files."""

    def __init__(self, file: BinaryIO, in_parts: bool) -> None:
        self.file, self.in_parts = file, in_parts

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self.in_parts

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        return self.file.seek(place, whence)

    def tell(self) -> int:
        return self.file.tell()

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        try:
            data = self.file.read(len(view))
        except OSError:
            raise
        except Exception as error:  # each package has its own
            raise OSError(str(error) or type(error).__name__) from error
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self.file.close()
        super().close()


def is_url(path: str) -> bool:
    """Whether a path names a scheme, such as `s3://bucket/raw.txt`."""
    return "://" in path


def opened(path: str) -> BinaryIO:
    """A file to read bytes from, at any place."""
    if not is_url(path):
        return open(path, "rb")
    return BufferedReader(_asked(path, _opened_there))


def is_file(path: str) -> bool:
    """Whether a path is that of a file, which can be read several times."""
    return _asked(path, lambda system, place: system.isfile(place)) if is_url(path) else os.path.isfile(path)


def size_of(path: str) -> int:
    """The bytes of a file; 0 if a server does not say."""
    return _asked(path, lambda system, place: system.size(place) or 0) if is_url(path) else os.path.getsize(path)


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


def _opened_there(system: _System, place: str) -> _Elsewhere:
    """A file of another place; if its server cannot send parts of it, it is read from the beginning only."""
    file = system.open(place, "rb")
    if not place.startswith(WEB):
        return _Elsewhere(file, file.seekable())
    size = system.size(place)
    try:
        if not size:
            return _Elsewhere(file, False)
        file.seek(size - 1)
        file.read(1)
        file.seek(0)
    except ValueError:
        return _Elsewhere(system.open(place, "rb", block_size=0), False)
    return _Elsewhere(file, True)


def _asked(path: str, ask: Callable[[_System, str], T]) -> T:
    """The answer of whoever has a URL: a file system of fsspec, and the place there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ConfigError(f"a URL needs fsspec: {installing('http')}", path) from error
    try:
        return ask(*url_to_fs(path))
    except OSError as error:
        said = "no such file" if isinstance(error, FileNotFoundError) else str(error) or type(error).__name__
        raise DataError((error.strerror or said).lower(), path) from error
    except (ImportError, ValueError) as error:  # a scheme that nobody knows, or that needs another package
        if isinstance(error, ImportError) and path.startswith(WEB):
            raise ConfigError(f"the web is read by aiohttp: {installing('http')}", path) from error
        raise DataError(str(error), path) from error
