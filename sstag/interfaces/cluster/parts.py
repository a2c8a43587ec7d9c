"""Parts of files that workers read, and what they write of them beside an output: the client joins it there."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO, TypeAlias

from sstag.corpus.file_parts import FilePart, part_bytes
from sstag.corpus.formats.columns import DOCSTART
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.corpus.sheets import BOM
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, translated_errors
from sstag.foundation.replacing import place_for

LayoutOf: TypeAlias = Callable[[str], Layout]
LONGEST_MARK = len(DOCSTART) + 1


@dataclass(frozen=True)
class PartJob:
    """A part of a file, how it is read, and the file that a worker writes."""

    part: FilePart
    layout: Layout
    target: str


@contextmanager
def beside(target: str) -> Iterator[Path]:
    """A folder beside an output for whatever workers write."""
    with translated_errors(target), place_for(Path(os.path.realpath(target)), folder=True) as place:
        yield place.path


def copy_into(out: BinaryIO, path: str) -> None:
    """Writes the bytes of a file to another one."""
    with translated_errors(path), open(path, "rb") as file:
        copyfileobj(file, out)


def refuse_absent(target: str) -> None:
    """Raises an error if a worker does not have the folder of what it is to write."""
    folder = os.path.dirname(target) or os.curdir
    if not os.path.isdir(folder):
        raise DataError("a worker has no such folder: the output goes to one that all machines share", folder)


def has_comments(part: FilePart, _: None, heard: Callable[[int], None]) -> bool:
    """Whether a part may say something of sentences after it; a job of workers."""
    before = b"\n"
    for piece in part_bytes(part):
        text = before + (piece.removeprefix(BOM) if part.begin == 0 and before == b"\n" else piece)
        if b"\n#" in text or DOCSTART in text:
            return True
        before = text[-LONGEST_MARK:]
    return False


def columns_of(path: str, layout: Layout) -> tuple[str, ...]:
    """The columns of a file."""
    first = next((block for block in read_blocks(path, layout) if len(block.rows)), None)
    if first is None:
        raise DataError("no sentence in it", display_name(path))
    return first.columns
