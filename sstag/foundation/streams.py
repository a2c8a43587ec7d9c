"""Streams that are looked at before they are read: standard input and pipes, which give their bytes once.

Bytes that were looked at are kept, and whoever reads the stream gets them first.
"""

import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

STANDARD = "-"
PIECE = 64 * 1024  # bytes that are read at a time


@dataclass
class Begun:
    """A stream of which the first bytes have been read, and whether these are all."""

    file: BinaryIO
    data: bytearray = field(default_factory=bytearray)
    ended: bool = False


_BEGUN: dict[str, Begun] = {}  # by path, until they are read: a process has one standard input, and opens a pipe once


def is_stream(path: str) -> bool:
    """Whether a path is standard input or a pipe."""
    if path == STANDARD:
        return True
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def looked(path: str, enough: Callable[[bytes], bool]) -> bytes:
    """The first bytes of a stream, so many that they are enough, or all; none if it cannot be read."""
    begun, asked, piece = _begun(path), 0, b"\n"
    while begun and not begun.ended:
        if b"\n" in piece or len(begun.data) >= 2 * asked:  # not for every byte of a slow stream
            asked = len(begun.data)
            if enough(bytes(begun.data)):
                break
        try:
            read = getattr(begun.file, "read1", begun.file.read)  # the bytes that are there; `read` would wait
            piece = read(PIECE)
        except (OSError, ValueError):  # whoever reads the stream says what is wrong with it
            break
        begun.data += piece
        begun.ended = not piece
    return bytes(begun.data) if begun else b""


def taken(path: str) -> Begun | None:
    """A stream that was looked at, for its reader; None if it was not."""
    begun = _BEGUN.pop(path, None)
    return begun if begun and _is_current(path, begun) else None


def _begun(path: str) -> Begun | None:
    known = _BEGUN.get(path)
    if known and _is_current(path, known):
        return known
    if path == STANDARD and sys.stdin is None:
        return None
    try:
        file = sys.stdin.buffer if path == STANDARD else open(path, "rb")  # noqa: SIM115
        _BEGUN[path] = begun = Begun(file)
    except (OSError, ValueError):
        return None
    return begun


def _is_current(path: str, begun: Begun) -> bool:
    """Whether standard input is still the same file."""
    return path != STANDARD or (sys.stdin is not None and sys.stdin.buffer is begun.file)
