"""Files of sentences: bytes → blocks of whole sentences → a corpus of integer codes.

A file is read in blocks, each a run of whole sentences with its bytes kept as they are, so that any file can be
streamed in bounded memory and written back to the byte.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from hashlib import sha256

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coder
from sstag.corpus.column_names import OF_TEXTS
from sstag.corpus.corpus import Corpus, together, without_columns
from sstag.corpus.formats.contract import FileHead, Input
from sstag.corpus.formats.guess import head_of
from sstag.corpus.layout import Layout
from sstag.corpus.text.encodings import GROWTH
from sstag.foundation.arrays import Ints
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, whole
from sstag.foundation.readings import readings
from sstag.foundation.streams import is_stream


def read(path: str, layout: Layout = Layout(), through: Callable[[Iterator[Block]], Iterator[Block]] = iter) -> Corpus:
    """A whole file as a corpus; a file without a sentence is an error. Its blocks pass through a function."""
    text = sha256()
    data = _whole(path, layout, heard(path, layout, text.update))
    corpus = joined(through(read_blocks(path, layout, data=data)), path)
    if not corpus.sentences:
        raise DataError("no sentence in it", display_name(path))
    return replace(without_columns(corpus, layout.beside), digest=text.hexdigest())


def heard(
    path: str, layout: Layout, by: Callable[[bytes], None], parts: Iterable[bytes] | None = None
) -> Iterator[bytes]:
    """The bytes of a file, or some of them, each piece of which somebody else hears first."""
    for piece in layout.pieces(path) if parts is None else parts:
        by(piece)
        yield piece


def blocks_again(path: str, layout: Layout, digest: str) -> Iterator[Block]:
    """The blocks of a file that was read as a corpus with this digest; an error if it is another file by now."""
    with readings(path, layout.pieces) as reading:
        text = sha256()
        for piece in reading():
            text.update(piece)
        refuse_changed(path, digest, text.hexdigest())
        yield from read_blocks(path, layout, data=reading())


def refuse_changed(path: str, before: str, now: str) -> None:
    """Raises an error if the digests of two readings of a file differ: what was found in one is not of the other."""
    if before != now:
        raise DataError("was changed while it was read: run this once more", display_name(path))


def read_files(
    paths: Sequence[str],
    layout_of: Callable[[str], Layout],
    but: str | None = None,
    through: Callable[[Iterator[Block]], Iterator[Block]] = iter,
) -> Corpus:
    """Several files as one corpus, in their order; all must have the same columns, but perhaps for one.

    Places in a text, which only some formats have, are left out unless all have them.

    The blocks of each pass through a function.
    """
    found = [read(path, layout_of(path), through) for path in paths]
    first = found[0]
    for other in found[1:]:
        if {*other.columns} - {but, *OF_TEXTS} != {*first.columns} - {but, *OF_TEXTS}:
            columns = " and ".join(f"{', '.join(one.columns)} in {one.path}" for one in (first, other))
            raise DataError(f"files that are read together need the same columns, not {columns}", other.path)
    return reduce(together, found)


def joined(blocks: Iterable[Block], path: str) -> Corpus:
    """Blocks of one file as one corpus."""
    coders: list[Coder] = []
    columns: tuple[str, ...] = ()
    codes: list[list[Ints]] = []
    lengths, lines = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
    for block in blocks:
        if not coders:
            columns = block.columns
            coders, codes = [Coder() for _ in columns], [[] for _ in columns]
        for coder, parts, values in zip(coders, codes, block.fields, strict=True):
            parts.append(coder.of(values))
        lengths.append(np.diff(block.offsets))
        lines.append(block.lines)
    return Corpus(
        path=display_name(path),
        columns=columns,
        values=tuple(coder.texts() for coder in coders),
        codes=tuple(np.concatenate(parts) for parts in codes),
        offsets=np.cumsum(np.concatenate(lengths)),
        lines=np.concatenate(lines),
    )


def held_blocks(path: str, layout: Layout) -> Iterator[Block]:
    """The blocks of a file of which everything will be kept: a stream must have an end."""
    return read_blocks(path, layout, data=_whole(path, layout, layout.pieces(path)))


def _whole(path: str, layout: Layout, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes of a file, of which all will be held, as `whole` bounds them."""
    return whole(path, pieces, GROWTH if layout.encoding else 1)


def read_blocks(
    path: str,
    layout: Layout = Layout(),
    report: Callable[[DataError], None] | None = None,
    data: Iterable[bytes] | None = None,
    stream: bool = False,
    head: FileHead | None = None,
) -> Iterator[Block]:
    """A file in blocks of whole sentences; a stream's as soon as a sentence is complete.

    The first fault is raised, from a stream after the sentences before it; with `report`, faults of single lines are
    handed over and their sentences left out. `data` are the bytes if they have been read already; if they are from the
    middle of the file, `head` is what its beginning says.
    """
    pieces = layout.pieces(path) if data is None else data
    return layout.format.blocks(Input(path, layout, pieces, report, stream, head))


def first_columns(path: str, layout: Layout) -> tuple[str, ...] | None:
    """The columns of the first sentences of a file, of which no more is read; None if it has none.

    A stream is only looked at.
    """
    head = head_of(path, layout.encoding) if is_stream(path) else None
    data = None if head is None else [head[: head.rfind(b"\n") + 1] or head]
    return next((block.columns for block in read_blocks(path, layout, data=data) if block.columns), None)
