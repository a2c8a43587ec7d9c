"""Files that somebody else reads a stretch of: where their sentences end, and the sentences between two places.

A file is read through once to be indexed, which tells its words and the places at which volumes begin. After that any
stretch can be read alone, on any machine that reaches the file. Places are bytes of a column file; of Parquet they are
bytes of the columns that are made of its rows, counted from the row group where a stretch begins.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coder
from sstag.corpus.corpus import Corpus
from sstag.corpus.formats.columns import Columns
from sstag.corpus.layout import Layout
from sstag.corpus.reading import heard, read_blocks
from sstag.corpus.text.parquet_bytes import is_parquet
from sstag.corpus.text.parquet_rows import group_sizes, row_lines
from sstag.corpus.volumes import Piece, Volume, cut, volume_of
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import GZIP_MAGIC, PIECE, translated_errors
from sstag.foundation.sources import opened


@dataclass(frozen=True, eq=False)
class FileIndex:
    """A file that was read through."""

    path: str
    columns: tuple[str, ...]
    values: tuple[list[str], ...]  # of each column, in the order of their first use
    digest: str
    lengths: Ints  # (S,) tokens of each sentence
    ends: Longs  # (S,) the byte of the text after each sentence, gzip undone
    lines: Longs  # (S,) the line after it, from 0
    groups: Longs  # (G,) of Parquet, the byte of the text where each row group begins

    def without_places(self) -> "FileSummary":
        """Whatever is known of the file as a whole."""
        tokens, sentences = int(self.lengths.sum(dtype=np.int64)), len(self.lengths)
        return FileSummary(self.columns, self.values, self.digest, tokens, sentences)

    def stretches(self, file: int, before: int, most: int) -> "list[Stretch]":
        """The stretches of volumes of so many tokens; the text has some tokens before this file."""
        starts = before + np.cumsum(self.lengths, dtype=np.int64) - self.lengths
        found, begin, line = [], 0, 0
        for some in cut(starts, most):
            end, first = int(self.ends[some.stop - 1]), int(starts[some.start])
            group = int(np.searchsorted(self.groups, begin, side="right")) - 1
            skipped = int(self.groups[group]) if group >= 0 else 0
            columns = self.columns if group >= 0 else ()
            place = begin - skipped, end - skipped, line
            found.append(Stretch(file, self.path, first, *place, max(group, 0), columns))
            begin, line = end, int(self.lines[some.stop - 1])
        return found


@dataclass(frozen=True, eq=False)
class FileSummary:
    """A file without its places."""

    columns: tuple[str, ...]
    values: tuple[list[str], ...]
    digest: str
    tokens: int
    sentences: int


@dataclass(frozen=True)
class Stretch:
    """Sentences of a file that stand in one volume."""

    file: int  # the number of the file
    path: str
    first: int  # the first token, counted through the text
    begin: int  # byte
    end: int
    line: int  # the line at which it begins, from 0
    group: int = 0  # of Parquet, the row group from which on bytes are counted,
    columns: tuple[str, ...] = ()  # and the columns


def check_indexed(layout: Layout, path: str) -> None:
    """Raises an error if a file is in a format that is not read in stretches."""
    if not isinstance(layout.format, Columns) and not is_parquet(path):
        raise ConfigError("on a cluster raw text is read from columns and Parquet (sstag convert makes columns)", path)


def indexed(path: str, layout: Layout) -> FileIndex:
    """The index of a file."""
    digest, coders, columns = sha256(), dict[str, Coder](), tuple[str, ...]()
    lengths, ends, lines = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    done = line = 0
    groups: list[int] = []
    for blocks in _sections(path, layout, digest.update):
        groups.append(done)
        for block in blocks:
            columns = columns or tuple(name for name in block.columns if name not in layout.beside)
            for name, values in zip(block.columns, block.fields, strict=True):
                if name in columns:
                    coders.setdefault(name, Coder()).of(values)
            stop = np.array(block.spans[1], np.int64)
            lengths.append(np.diff(block.offsets).astype(np.int32))
            ends.append(done + block.line_starts[stop])
            lines.append(line + stop)
            line += block.text.count(b"\n")
            done += len(block.text)
    words = tuple(coders[name].texts() for name in columns)
    every = np.concatenate(lengths), np.concatenate(ends), np.concatenate(lines)
    known = np.array(groups if is_parquet(path) else [], np.int64)
    return FileIndex(path, columns, words, digest.hexdigest(), *every, known)


def _sections(path: str, layout: Layout, hear: Callable[[bytes], None]) -> Iterator[Iterator[Block]]:
    """The blocks of a file; of Parquet those of each row group."""
    if not is_parquet(path):
        yield read_blocks(path, layout, data=heard(path, layout, hear))
        return
    for group in range(len(group_sizes(path))):
        yield read_blocks(path, layout, data=heard(path, layout, hear, row_lines(path, [group])))


class Known:
    """The words of a whole text, by which its stretches are coded."""

    def __init__(self, head: Corpus) -> None:
        self.head = head

    @cached_property
    def numbers(self) -> dict[str, dict[bytes, int]]:
        """The code of each value of each column."""
        return {
            name: {value.encode(): code for code, value in enumerate(values)}
            for name, values in zip(self.head.columns, self.head.values, strict=True)
        }


def read_volume(stretches: Sequence[Stretch], layouts: Sequence[Layout], paths: Sequence[str], known: Known) -> Volume:
    """The volume that some stretches are; `layouts` and `paths` are those of all files."""
    found = [_read(one, layouts[one.file], known) for one in stretches]
    return volume_of(stretches[0].first, [piece for some in found for piece in some], paths)


def _read(stretch: Stretch, layout: Layout, known: Known) -> list[Piece]:
    result = []
    data = _bytes_of(stretch, layout)
    if stretch.columns:
        data = _between(_columns_from(stretch, layout), stretch.begin, stretch.end)
        layout = Layout(stretch.columns, layout.label)
    for block in read_blocks(stretch.path, layout, data=data):
        codes = {}
        for name, values in zip(block.columns, block.fields, strict=True):
            if name in known.numbers:
                coder, numbers = Coder(), known.numbers[name]
                own = coder.of(values)
                codes[name] = np.fromiter(map(numbers.__getitem__, coder), np.int32, len(coder))[own]
        result.append(Piece(codes, np.diff(block.offsets), block.lines + stretch.line, stretch.file))
    return result


def _bytes_of(stretch: Stretch, layout: Layout) -> Iterator[bytes]:
    """The bytes of a stretch; those before are skipped where the file has them as they are."""
    begin, end = stretch.begin, stretch.end
    with translated_errors(stretch.path), opened(stretch.path) as file:
        if not layout.encoding and file.read(len(GZIP_MAGIC)) != GZIP_MAGIC and file.seekable():
            file.seek(begin)
            while begin < end:
                piece = file.read(min(PIECE, end - begin))
                begin += len(piece)
                yield piece
            return
    yield from _between(layout.pieces(stretch.path), begin, end)


def _columns_from(stretch: Stretch, layout: Layout) -> Iterator[bytes]:
    """The text in columns of a Parquet file, from a row group on."""
    for group in range(stretch.group, len(group_sizes(stretch.path))):
        for block in read_blocks(stretch.path, layout, data=row_lines(stretch.path, [group])):
            yield block.text


def _between(every: Iterable[bytes], begin: int, end: int) -> Iterator[bytes]:
    done = 0
    for piece in every:
        yield piece[max(begin - done, 0) : max(end - done, 0)]
        done += len(piece)
        if done >= end:
            return
