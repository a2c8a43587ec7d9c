"""Parts of files with a token a line, which different machines read: each part has whole sentences.

A part is named by bytes at which a file is cut, whatever stands there. It begins after the first blank line that begins
at its byte or later, and ends where the next part begins, so that nobody has to read the file to cut it. Sentences that
follow a blank line do not depend on those before it, but for what the beginning of the file says (`FileHead`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from sstag.corpus.blocks import Block
from sstag.corpus.formats.contract import FileHead
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.corpus.text.parquet_bytes import is_parquet
from sstag.corpus.text.parquet_rows import group_sizes, row_lines
from sstag.corpus.token_lines import LONGEST, SECOND
from sstag.foundation.errors import DataError
from sstag.foundation.files import GZIP_MAGIC, PIECE, display_name, translated_errors
from sstag.foundation.sources import is_file, opened, size_of

PART = 32 * 2**20  # bytes


@dataclass(frozen=True)
class FilePart:
    """The sentences of a file between two of its cuts; without an end, the whole file in whatever format.

    Cuts are bytes; of Parquet they are numbers of row groups.
    """

    path: str
    begin: int = 0
    end: int | None = None
    size: int = 0  # bytes of the file, if it is cut
    head: FileHead | None = None
    rows: int | None = None  # of Parquet, which is cut at row groups: the rows before the part


def parts_of_file(path: str, layout_of: Callable[[str], Layout], most: int) -> list[FilePart]:
    """The parts of a file, each of about so many bytes; a file that cannot be cut is one part."""
    if not is_file(path):
        return [FilePart(path)]
    with translated_errors(display_name(path)), opened(path) as file:
        size, packed = size_of(path), file.read(len(GZIP_MAGIC)) == GZIP_MAGIC or not file.seekable()
    if is_parquet(path):
        return list(row_parts(path, size, most))
    layout = layout_of(path)
    if packed or size <= most or layout.encoding or not hasattr(layout.format, "scanned"):  # as a token a line has
        return [FilePart(path)]
    first = next((block for block in read_blocks(path, layout) if len(block.rows)), None)
    if first is None:
        return [FilePart(path)]
    head = FileHead(first.columns, first.separator)
    return [FilePart(path, begin, min(begin + most, size), size, head) for begin in range(0, size, most)]


def part_blocks(part: FilePart, layout: Layout) -> Iterator[Block]:
    """The sentences of a part in blocks, whose lines are those of the part."""
    if part.end is None:
        return read_blocks(part.path, layout)
    if part.rows is not None:
        return read_blocks(part.path, layout, data=part_bytes(part))
    return read_blocks(part.path, layout, data=part_bytes(part), head=part.head if part.begin else None)


def part_bytes(part: FilePart) -> Iterator[bytes]:
    """The bytes of a part of a file that is cut; of Parquet the lines of its rows."""
    assert part.end is not None
    if part.rows is not None:
        _refuse_other(part)
        yield from row_lines(part.path, range(part.begin, part.end))
        return
    with translated_errors(display_name(part.path)), opened(part.path) as file:
        _refuse_other(part)
        begin, end = _cut(file, part.path, part.begin), _cut(file, part.path, part.end)
        file.seek(begin)
        while begin < end and (piece := file.read(min(PIECE, end - begin))):
            begin += len(piece)
            yield piece


@contextmanager
def lines_of_file(part: FilePart) -> Iterator[None]:
    """A context in which the line of a fault in a part becomes that of the file, whose lines are counted only then."""
    try:
        yield
    except DataError as error:
        if not part.begin or error.line is None or error.path != display_name(part.path):
            raise
        if part.rows is not None:
            raise DataError(error.message, error.path, error.line + part.rows) from error
        with translated_errors(display_name(part.path)), opened(part.path) as file:
            left, lines = _cut(file, part.path, part.begin), 0
            file.seek(0)
            while left and (piece := file.read(min(PIECE, left))):
                left -= len(piece)
                lines += piece.count(b"\n")
        raise DataError(error.message, error.path, error.line - SECOND + 1 + lines) from error


def row_parts(path: str, size: int, most: int) -> Iterator[FilePart]:
    """The parts of a Parquet file, each of as many row groups as have about so many bytes."""
    begin = before = packed = rows = 0
    groups = group_sizes(path)
    for group, (bytes_of_group, rows_of_group) in enumerate(groups, 1):
        packed, rows = packed + bytes_of_group, rows + rows_of_group
        if packed >= most or group == len(groups):
            yield FilePart(path, begin, group, size, rows=before)
            begin, before, packed = group, rows, 0


def _refuse_other(part: FilePart) -> None:
    if size_of(part.path) != part.size:
        raise DataError("is another file than it was: run this once more", display_name(part.path))


def _cut(file: BinaryIO, path: str, at: int) -> int:
    """The byte after the first blank line that begins at a byte or later; the end of the file if there is none."""
    if at == 0:
        return 0
    file.seek(at - 1)
    place = at - 1 + len(file.readline(LONGEST))  # the rest of a line, or the end of the one before
    while line := file.readline(LONGEST):
        place += len(line)
        if not line.strip() and line.endswith(b"\n"):
            break
        if place - at > LONGEST:
            message = f"no blank line in the {LONGEST // 2**20} MiB after byte {at:,}: not sentences"
            raise DataError(message, display_name(path))
    return place
