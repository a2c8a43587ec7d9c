"""Texts in volumes: runs of sentences of about a million tokens, which lie on a shelf of any kind.

Where a volume begins depends on nothing but the text: it has the sentences whose first token, counted through the text,
is one of its million. So whatever is added up volume by volume is the same wherever the volumes lie.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import sha256
from itertools import pairwise
from typing import TypeAlias, TypedDict

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coder
from sstag.corpus.column_names import OF_TEXTS
from sstag.corpus.corpus import Corpus
from sstag.corpus.layout import Layout
from sstag.corpus.reading import heard, read_blocks
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.foundation.parallel import Over
from sstag.foundation.shelves import InMemory, Shelf

VOLUME = 2**20  # tokens


@dataclass(frozen=True, eq=False)
class Volume:
    """Some sentences of a text; the values of its columns are those of the whole text, and not written down with it."""

    first: int  # the token of the text with which it begins
    corpus: Corpus


@dataclass(frozen=True, eq=False)
class LargeText:
    """A text in volumes."""

    head: Corpus  # the distinct values of its columns, and no sentence
    volumes: Shelf[Volume]
    tokens: int
    sentences: int


Text: TypeAlias = Corpus | LargeText


def whole(volume: Volume, head: Corpus) -> Corpus:
    """The corpus of a volume, with the values of the text."""
    own = volume.corpus
    codes = tuple(own.codes[own.columns.index(name)] for name in head.columns)
    return replace(own, columns=head.columns, codes=codes, values=head.values)


def in_volumes(corpus: Corpus, over: Over, most: int = VOLUME) -> LargeText:
    """A corpus in volumes, which stay in memory."""
    volumes = [
        Volume(int(corpus.offsets[some.start]), replace(corpus.part(some), values=()))
        for some in cut(corpus.offsets[:-1], most)
    ]
    return LargeText(corpus.part(slice(0, 0)), InMemory(volumes, over), corpus.tokens, corpus.sentences)


def cut(starts: Longs, most: int) -> list[slice]:
    """The sentences of each volume, by the tokens with which they start."""
    bounds = np.flatnonzero(np.diff(starts // most, prepend=-1, append=-1)).tolist()
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def read_in_volumes(
    paths: Sequence[str],
    layout_of: Callable[[str], Layout],
    but: str | None,
    shelved: Callable[[Iterable[Volume]], Shelf[Volume]],
    most: int = VOLUME,
) -> LargeText:
    """Several files as one text, as `read_files` reads them, of which one volume at a time is in memory."""
    reader = _Reader(paths, layout_of, but, most)
    volumes = shelved(reader.volumes())
    return LargeText(reader.head(), volumes, reader.tokens, reader.sentences)


@dataclass(frozen=True)
class Piece:
    """Some sentences of a block: codes by the names of columns."""

    codes: dict[str, Ints]
    lengths: Longs
    lines: Longs
    file: int


def check_columns(paths: Sequence[str], columns: Sequence[tuple[str, ...]], but: str | None) -> None:
    """Raises an error if the last of these files has other columns than the first, apart from one."""
    first, last, path = columns[0], columns[-1], paths[len(columns) - 1]
    if {*last} - {but, *OF_TEXTS} != {*first} - {but, *OF_TEXTS}:
        said = f"{', '.join(first)} in {display_name(paths[0])} and {', '.join(last)} in {display_name(path)}"
        raise DataError(f"files that are read together need the same columns, not {said}", display_name(path))


def head_of(
    paths: Sequence[str], columns: Sequence[tuple[str, ...]], values: Mapping[str, list[str]], digests: Sequence[str]
) -> Corpus:
    """A text of some files without its sentences; `columns` are those of each file."""
    common = [name for name in columns[0] if all(name in own for own in columns)]
    return Corpus(
        columns=tuple(common),
        values=tuple(values[name] for name in common),
        codes=tuple(np.zeros(0, np.int32) for _ in common),
        offsets=np.zeros(1, np.int64),
        lines=np.zeros(0, np.int64),
        digest=reduce(lambda one, other: sha256((one + other).encode()).hexdigest(), digests),
        **_files(paths, np.zeros(0, np.int32)),
    )


def volume_of(first: int, pieces: Sequence[Piece], paths: Sequence[str]) -> Volume:
    """The volume that begins with this token of a text and has these pieces of its files."""
    columns = [name for name in pieces[0].codes if all(name in piece.codes for piece in pieces)]
    corpus = Corpus(
        columns=tuple(columns),
        values=(),
        codes=tuple(np.concatenate([piece.codes[name] for piece in pieces]) for name in columns),
        offsets=np.concatenate([[0], np.cumsum(np.concatenate([one.lengths for one in pieces]))]),
        lines=np.concatenate([one.lines for one in pieces]),
        **_files(paths, np.concatenate([np.full(len(one.lines), one.file, np.int32) for one in pieces])),
    )
    return Volume(first, corpus)


class _Files(TypedDict):
    """The parts of a corpus that say which files it is made of."""

    path: str
    files: tuple[str, ...]
    file: Ints | None


def _files(paths: Sequence[str], file: Ints) -> _Files:
    """The names of some files, and of several the one of each token."""
    shown = tuple(display_name(path) for path in paths)
    several = len(shown) > 1
    return {"path": ", ".join(shown), "files": shown if several else (), "file": file if several else None}


class _Reader:
    """Files that are read once, and everything that is known of them so far."""

    def __init__(self, paths: Sequence[str], layout_of: Callable[[str], Layout], but: str | None, most: int) -> None:
        self.paths, self.layout_of, self.but, self.most = paths, layout_of, but, most
        self.coders: dict[str, Coder] = {}
        self.columns: list[tuple[str, ...]] = []  # of each file
        self.digests: list[str] = []
        self.tokens = self.sentences = 0

    def volumes(self) -> Iterator[Volume]:
        """The volumes, one after another."""
        pieces: list[Piece] = []
        number, first = 0, 0
        for start, piece in self._pieces():
            if pieces and start // self.most != number:
                yield volume_of(first, pieces, self.paths)
                pieces = []
            if not pieces:
                number, first = start // self.most, start
            pieces.append(piece)
        yield volume_of(first, pieces, self.paths)

    def head(self) -> Corpus:
        """The text without its sentences, when all have been read."""
        values = {name: coder.texts() for name, coder in self.coders.items()}
        return head_of(self.paths, self.columns, values, self.digests)

    def _pieces(self) -> Iterator[tuple[int, Piece]]:
        """Pieces of blocks, each within one volume, with the token of the text at which they start."""
        for file, path in enumerate(self.paths):
            layout, digest, before = self.layout_of(path), sha256(), self.sentences
            for block in read_blocks(path, layout, data=heard(path, layout, digest.update)):
                if len(self.columns) == file:
                    self.columns.append(tuple(name for name in block.columns if name not in layout.beside))
                    check_columns(self.paths, self.columns, self.but)
                yield from self._of_block(block, file)
            if self.sentences == before:
                raise DataError("no sentence in it", display_name(path))
            self.digests.append(digest.hexdigest())

    def _of_block(self, block: Block, file: int) -> Iterator[tuple[int, Piece]]:
        codes = {
            name: self.coders.setdefault(name, Coder()).of(values)
            for name, values in zip(block.columns, block.fields, strict=True)
            if name in self.columns[file]
        }
        starts = self.tokens + block.offsets[:-1]
        for some in cut(starts, self.most):
            tokens = slice(int(block.offsets[some.start]), int(block.offsets[some.stop]))
            lengths = np.diff(block.offsets[some.start : some.stop + 1])
            own = {name: of[tokens] for name, of in codes.items()}
            yield int(starts[some.start]), Piece(own, lengths, block.lines[tokens], file)
        self.tokens += int(block.offsets[-1])
        self.sentences += len(block.offsets) - 1
