"""Bytes of files and standard streams, plain or gzipped; a file that is written appears whole or not at all."""

import errno
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from sstag.foundation.errors import DataError, NotReadAgain, SstagError
from sstag.foundation.replacing import Place, alone, place_for, replacing
from sstag.foundation.sources import is_file, opened, size_of
from sstag.foundation.streams import PIECE as PIECE
from sstag.foundation.streams import STANDARD as STANDARD
from sstag.foundation.streams import taken

GZIP_MAGIC = b"\x1f\x8b"  # no UTF-8 text begins with it, so file names need not tell
GZIP_WINDOW = 31  # zlib's code for the largest window and a gzip header
SMALL = 8 * 2**20  # inflated bytes of which nothing is asked
DENSEST = 250  # times as large as gzip data the text in it can be; what people write is 3 to 20 times as large
LARGEST_STREAM = 2**30  # bytes of what has to be held whole, if the size of a file does not tell how many these are
NO_TEXT = re.compile("[\ud800-\udfff]")  # how bytes of a name that are no UTF-8 come from the command line


def display_name(path: str) -> str:
    """The name of a path in messages and reports: text, whatever the bytes of the name."""
    return "<stdin>" if path == STANDARD else NO_TEXT.sub(lambda byte: f"\\x{ord(byte[0]) & 0xFF:02x}", path)


def pieces(path: str) -> Iterator[bytes]:
    """The bytes of a path, or of standard input for `-`, in pieces as they arrive; gzip is told by its first bytes."""
    raw = _raw_pieces(path)
    first = next(raw, b"")
    if first == GZIP_MAGIC[:1]:
        first += next(raw, b"")
    yield from _inflated(chain([first], raw), path) if first.startswith(GZIP_MAGIC) else chain([first], raw)


def _raw_pieces(path: str) -> Iterator[bytes]:
    begun = taken(path)
    if begun and begun.data:
        yield bytes(begun.data)
    if begun and begun.ended:
        return
    with ExitStack() as stack:
        with translated_errors(display_name(path)):
            standard = path == STANDARD
            source = begun.file if begun else None if standard else opened(path)
            file = stack.enter_context(source) if source and not standard else _standard(sys.stdin)
            read = getattr(file, "read1", file.read)  # the bytes that are there; `read` would wait for more
        while True:
            with translated_errors(display_name(path)):
                piece = read(PIECE)
            if not piece:
                return
            yield piece


def _standard(stream: TextIO | None) -> BinaryIO:
    if stream is None:
        raise OSError(errno.EBADF, "closed")
    return stream.buffer


def inflated_start(data: bytes, size: int) -> bytes:
    """The first bytes of a text, of whose file, plain or gzipped, these are the first; as many as they tell."""
    if not data.startswith(GZIP_MAGIC):
        return data
    try:
        return zlib.decompressobj(GZIP_WINDOW).decompress(data, size)
    except zlib.error:
        return b""


def _inflated(packed: Iterator[bytes], path: str) -> Iterator[bytes]:
    member = zlib.decompressobj(GZIP_WINDOW)
    read = written = 0
    for piece in packed:
        read += len(piece)
        more = False  # whether what was read may make more than one piece
        while piece or more:
            if member.eof:
                piece, more = piece.lstrip(b"\0"), False  # padding between members
                member = zlib.decompressobj(GZIP_WINDOW) if piece else member
                continue
            with translated_errors(display_name(path)):
                made = member.decompress(piece, PIECE)
            written += len(made)
            if written > max(SMALL, DENSEST * read):
                times = f"more than {DENSEST} times as large as the file"
                raise DataError(
                    f"its text is {times}: if it is what it should be, inflate it first", display_name(path)
                )
            yield made
            piece, more = member.unconsumed_tail or member.unused_data, len(made) == PIECE
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
    except ValueError as error:  # `open`, and since Python 3.13 `realpath`, refuse names with a NUL byte
        if "embedded null" not in str(error):
            raise
        raise DataError("a file name cannot contain a NUL byte", name.replace("\0", "\\0")) from error


def whole(path: str, parts: Iterable[bytes], growth: int = 1) -> Iterator[bytes]:
    """The bytes of a path, of which all will be held; a stream or a compressed file must not have too many.

    A byte of the file may have become as many as `growth`.
    """
    if path != STANDARD and os.path.isdir(path):
        yield from parts
        return
    limit = max(LARGEST_STREAM, growth * size_of(path) if path != STANDARD and is_file(path) else 0)
    size = 0
    for part in parts:
        size += len(part)
        if size > limit:
            many = f"more than {LARGEST_STREAM / 2**30:g} GiB"
            raise DataError(f"{many} in a stream or a compressed file: save it as a plain file", display_name(path))
        yield part


def contents(path: str, limit: int) -> bytes:
    """All bytes of a small file; more than `limit` is an error."""
    data = bytearray()
    for piece in pieces(path):
        data += piece
        if len(data) > limit:
            raise DataError(f"larger than {limit // 2**10} KiB", display_name(path))
    return bytes(data)


def as_text(data: bytes, name: str) -> str:
    """The text of a small file, without a byte order mark; bytes that are no UTF-8 are an error."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wrong = f"not UTF-8 (byte 0x{error.object[error.start]:02x}): save it as UTF-8"
        raise DataError(wrong, name, 1 + error.object.count(b"\n", 0, error.start)) from error


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
def output(
    path: str, read_back: Callable[[str], object] | None = None, place: Place | None = None, rights: int | None = None
) -> Iterator[BinaryIO]:
    """A file to write bytes to, or standard output for `-`; `.gz` compresses.

    A regular file is written under a temporary name beside it, synced, read by `read_back`, and renamed when the block
    ends well, so a reader sees the old bytes or the new ones, and a failure leaves the old ones. If there is a `place`
    for it already, it is written there. Devices and pipes are written to. A file has the `rights` of the one before it,
    or the usual ones, unless these are said.
    """
    with translated_errors("<stdout>" if path == STANDARD else path), ExitStack() as stack:
        if path == STANDARD:
            standard = _standard(sys.stdout)
            yield standard
            standard.flush()
            return
        if is_written_through(path):
            yield stack.enter_context(open(path, "wb"))
            return
        target = _target(path)
        if place is None or place.path.parent != target.parent:
            place = stack.enter_context(place_for(target))
        reading = read_back and partial(_read_back, path, read_back)
        file = stack.enter_context(replacing(place, target, reading, rights))
        yield stack.enter_context(_packed(file)) if path.endswith(".gz") else file


def _read_back(path: str, read: Callable[[str], object], temporary: str) -> None:
    try:
        read(temporary)
    except SstagError as error:
        message = str(error).replace(temporary, path)
        raise NotReadAgain(f"is not written, because it could not be read again: {message}", path) from None


@contextmanager
def room_for(path: str) -> Iterator[Place]:
    """The place of a file that will be written at the end of a long run, so that room can be reserved for it."""
    with ExitStack() as stack:
        with translated_errors(path):
            place = stack.enter_context(place_for(_target(path)))
        yield place


def reserve(path: str, place: Place, size: int) -> None:
    """Reserves room on the disk for a file; too little is an error."""
    try:
        with translated_errors(path):
            place.reserve(size)
    except DataError as error:
        raise DataError(f"{error.message}: about {size / 2**20:,.0f} MiB are needed", path) from error


@contextmanager
def only_here(path: str) -> Iterator[None]:
    """A context in which no other program that asks for it in this way has a file in work; an error if one has it."""
    with ExitStack() as stack:
        with translated_errors(path):
            free = stack.enter_context(alone(_target(path)))
        if not free:
            raise DataError("another sstag is at work on it: wait until that ends", path)
        yield


def _target(path: str) -> Path:
    """The file that is replaced when a path is written to: links are followed."""
    return Path(os.path.realpath(path))


@contextmanager
def _packed(file: BinaryIO) -> Iterator[BinaryIO]:
    import gzip

    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
        yield cast(BinaryIO, packed)
