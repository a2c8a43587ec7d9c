"""Everything that is shown on a terminal goes through here: what it would obey instead of showing is replaced.

Texts of files, names and models may hold escape sequences, and marks that turn the direction of writing. Pipes and
files get every byte as it is.
"""

import codecs
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO, cast

from sstag.interfaces.cli.plain import printable

CLEAR = "\r\033[K"  # to the beginning of the line, which is cleared


class Shown(io.BufferedIOBase):
    """The bytes of a terminal, to which it is only given what it can show."""

    def __init__(self, terminal: BinaryIO, encoding: str) -> None:
        self._terminal, self._encoding = terminal, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._waiting = ""  # a carriage return, which may belong to the end of a line

    def write(self, data: bytes) -> int:  # type: ignore[override]  # memory views, too
        text = self._waiting + self._decoder.decode(bytes(data))
        self._waiting = "\r" if text.endswith("\r") else ""
        self._terminal.write(printable(text.removesuffix("\r")).encode(self._encoding, "replace"))
        return len(data)

    def obeyed(self, text: str) -> None:
        """Writes a text of this program, with control sequences."""
        self._terminal.write(text.encode(self._encoding, "replace"))

    def flush(self) -> None:
        self._terminal.flush()

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._terminal.fileno()


@contextmanager
def shown_on_terminals() -> Iterator[None]:
    """As long as it lasts, standard output and standard error show what they are given if they are terminals."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_guarded, before)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and stream not in before:
                with suppress(OSError):  # a terminal that is gone
                    stream.flush()
        sys.stdout, sys.stderr = before


def _guarded(stream: TextIO) -> TextIO:
    if stream is None or not isinstance(stream, io.TextIOWrapper) or not stream.isatty():
        return stream
    stream.flush()
    guard = cast(BinaryIO, Shown(stream.buffer, stream.encoding))
    return io.TextIOWrapper(guard, stream.encoding, "replace", line_buffering=True, write_through=True)


def over_line(text: str) -> None:
    """Shows a text in the place of the last line of the terminal of standard error, which a later one can take."""
    sys.stderr.flush()
    terminal = sys.stderr.buffer
    begin, end = CLEAR[:1], CLEAR[1:]
    if isinstance(terminal, Shown):
        terminal.obeyed(f"{begin}{printable(text)}{end}")
        terminal.flush()
