"""Bytes of files and standard streams, plain or gzipped; a file that is written appears whole or not at all."""

import errno
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from sstag.foundation.errors import DataError

GZIP_MAGIC = b"\x1f\x8b"  # no UTF-8 text begins with it, so file names need not tell
GZIP_WINDOW = 31  # zlib's code for the largest window and a gzip header
PIECE = 64 * 1024  # bytes; gzip can inflate them to 66 MB at most
STANDARD = "-"


def display_name(path: str) -> str:
    """The name of a path in messages."""
    return "<stdin>" if path == STANDARD else path


def pieces(path: str) -> Iterator[bytes]:
    """The bytes of a path, or of standard input for `-`, in pieces as they arrive; gzip is told by its first bytes."""
    raw = _raw_pieces(path)
    first = next(raw, b"")
    if first == GZIP_MAGIC[:1]:
        first += next(raw, b"")
    yield from _inflated(chain([first], raw), path) if first.startswith(GZIP_MAGIC) else chain([first], raw)


def _raw_pieces(path: str) -> Iterator[bytes]:
    with ExitStack() as stack:
        with translated_errors(display_name(path)):
            standard = path == STANDARD
            file = cast(BufferedReader, _standard(sys.stdin)) if standard else stack.enter_context(open(path, "rb"))
        while True:
            with translated_errors(display_name(path)):
                piece = file.read1(PIECE)  # the bytes that are there; `read` would wait for more
            if not piece:
                return
            yield piece


def _standard(stream: TextIO | None) -> BinaryIO:
    if stream is None:
        raise OSError(errno.EBADF, "closed")
    return stream.buffer


def _inflated(packed: Iterator[bytes], path: str) -> Iterator[bytes]:
    member = zlib.decompressobj(GZIP_WINDOW)
    for piece in packed:
        while piece:
            if member.eof:
                piece = piece.lstrip(b"\0")  # padding between members
                member = zlib.decompressobj(GZIP_WINDOW) if piece else member
                continue
            with translated_errors(display_name(path)):
                yield member.decompress(piece)
            piece = member.unused_data
    if not member.eof:
        raise DataError("damaged gzip data (it ends too early)", display_name(path))


@contextmanager
def translated_errors(name: str) -> Iterator[None]:
    """A context in which failures of the file system and of decompression become errors that name the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except zlib.error as error:
        raise DataError(f"damaged gzip data ({error})", name) from error
    except OSError as error:
        raise DataError(f"{(error.strerror or str(error)).lower()}", name) from error
    except ValueError as error:  # open() refuses names with a NUL byte
        if "null byte" not in str(error):
            raise
        raise DataError("a file name cannot contain a NUL byte", name.replace("\0", "\\0")) from error


def contents(path: str, limit: int) -> bytes:
    """All bytes of a small file; more than `limit` is an error."""
    data = bytearray()
    for piece in pieces(path):
        data += piece
        if len(data) > limit:
            raise DataError(f"larger than {limit // 2**10} KiB", display_name(path))
    return bytes(data)


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """Raises an error if an output would overwrite an input or another output, or has no folder to be written to."""
    names = [path for path in outputs if path and path != STANDARD]
    places = [os.path.realpath(path) for path in names]
    read = {os.path.realpath(path) for path in inputs if path and path != STANDARD}
    for number, (name, place) in enumerate(zip(names, places, strict=True)):
        if place in read and not is_written_through(place):
            raise DataError("is an input, and would be overwritten: choose another name", name)
        if place in places[:number]:
            raise DataError("is the name of two outputs", name)
        check_folder(name)


def check_folder(path: str) -> None:
    """Raises an error if a file cannot be written for want of a folder, so that a long run fails before it begins."""
    folder = os.path.dirname(path) or os.curdir
    if os.path.isdir(path):
        raise DataError("is a folder", path)
    if path != STANDARD and not (os.path.isdir(folder) and os.access(folder, os.W_OK)):
        raise DataError("there is no such folder, or no right to write in it", folder)


def is_written_through(path: str) -> bool:
    """Whether output reaches a reader before it is complete."""
    # Only the file itself can tell, not its name: `/dev/stdout` may lead to a pipe.
    return path == STANDARD or (os.path.exists(path) and not os.path.isfile(path))


@contextmanager
def output(path: str) -> Iterator[BinaryIO]:
    """A file to write bytes to, or standard output for `-`; `.gz` compresses.

    A regular file is written under a temporary name beside it, synced and renamed when the block ends well, so a
    reader sees the old bytes or the new ones, and a failure leaves the old ones. Devices and pipes are written to.
    """
    with translated_errors("<stdout>" if path == STANDARD else path):
        if path == STANDARD:
            standard = _standard(sys.stdout)
            yield standard
            standard.flush()
            return
        if is_written_through(path):
            with open(path, "wb") as file:
                yield file
            return
        with _replacing(Path(os.path.realpath(path))) as file:
            if path.endswith(".gz"):
                import gzip

                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield file


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    import tempfile  # its own imports take as long as a short run does

    prefix = f".{target.name[:50]}."  # a whole name has at most 255 bytes
    handle, temporary = tempfile.mkstemp(prefix=prefix, dir=target.parent)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(target: Path) -> int:
    """The permissions the file had, or what the process would give a new one."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
