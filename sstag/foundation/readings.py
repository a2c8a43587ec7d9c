"""The bytes of a path that is read several times: the same ones each time, or an error.

A stream can be read once, and a file may be changed by somebody between two readings. What was found in the first
would then be said of other lines, so every piece must be the one that it was.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from itertools import zip_longest
from typing import BinaryIO, TypeAlias

from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, display_name, pieces, translated_errors, whole

Reader: TypeAlias = Callable[[], Iterator[bytes]]

DIGEST = 16  # bytes by which pieces are compared
PIECE = 2**16


@contextmanager
def readings(path: str, pieces_of: Callable[[str], Iterator[bytes]] = pieces) -> Iterator[Reader]:
    """A function each of whose calls gives the bytes of a path from the beginning.

    The first reading has to end before the second begins. Meanwhile a stream is kept in a temporary file.
    """
    if path != STANDARD and (os.path.isfile(path) or os.path.isdir(path)):
        yield _Compared(path, pieces_of).pieces
        return
    with ExitStack() as stack:
        yield _Kept(path, pieces_of, stack).pieces


class _Compared:
    """A file that is opened for each reading."""

    def __init__(self, path: str, pieces_of: Callable[[str], Iterator[bytes]]) -> None:
        self.path, self.pieces_of = path, pieces_of
        self.digests: list[bytes] | None = None

    def pieces(self) -> Iterator[bytes]:
        found: list[bytes] = []
        for piece, before in zip_longest(self.pieces_of(self.path), self.digests or ()):
            digest = b"" if piece is None else blake2b(piece, digest_size=DIGEST).digest()
            if self.digests is not None and digest != before:
                raise DataError("was changed while it was read: run this once more", display_name(self.path))
            found.append(digest)
            yield piece
        self.digests = found


class _Kept:
    """A stream, which is written to a temporary file while it is read for the first time."""

    def __init__(self, path: str, pieces_of: Callable[[str], Iterator[bytes]], stack: ExitStack) -> None:
        self.path, self.pieces_of, self.stack = path, pieces_of, stack
        self.file: BinaryIO | None = None

    def pieces(self) -> Iterator[bytes]:
        yield from self._first() if self.file is None else self._again(self.file)

    def _first(self) -> Iterator[bytes]:
        import tempfile  # its own imports take as long as a short run does

        self.file = file = self.stack.enter_context(tempfile.TemporaryFile(prefix="sstag-"))  # noqa: SIM115
        for piece in whole(self.path, self.pieces_of(self.path)):
            with translated_errors(f"{display_name(self.path)}, which is kept in {tempfile.gettempdir()}"):
                file.write(piece)
            yield piece

    def _again(self, file: BinaryIO) -> Iterator[bytes]:
        with translated_errors(display_name(self.path)):
            file.seek(0)
            while piece := file.read(PIECE):
                yield piece
