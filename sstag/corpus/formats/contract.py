"""The contracts of formats: to read sentences, to write them, to keep the lines of tokens, to hold documents."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sstag.corpus.text.options import TextOptions
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block
    from sstag.corpus.layout import Layout
    from sstag.corpus.text.documents import Document
    from sstag.foundation.arrays import Bools, Ints


@dataclass(frozen=True)
class FixedColumns:
    """The columns that every file of a format has."""

    title: str  # what messages call the format
    shape: str  # what messages say of its columns
    names: tuple[str, ...]
    label: str  # the column that holds the labels, unless another one is named; files without labels do not have it
    only_label: bool = False  # whatever a template calls its label is this column
    items: bool = False  # a label that has no column may stand in the last one, as `name=label`


@dataclass(frozen=True)
class FileHead:
    """Whatever the beginning of a file with a token a line says of all its lines."""

    columns: tuple[str, ...]
    separator: bytes  # what stands between the columns of the file's first token


@dataclass(frozen=True, eq=False)
class Input:
    """A file of sentences that is to be read."""

    path: str
    layout: "Layout"
    pieces: Iterable[bytes]
    report: Callable[[DataError], None] | None = None  # is told of faults of single lines, whose sentences are left out
    stream: bool = False  # sentences are wanted as soon as they are complete
    head: FileHead | None = None  # of the file, if the pieces are whole sentences from the middle of it

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return display_name(self.path)


class InputFormat(Protocol):
    """A format that sentences can be read from."""

    @property
    def fixed(self) -> FixedColumns | None:
        """The columns of every file; None if each file has its own, the label last."""

    @property
    def marks(self) -> Mapping[str, str | None]:
        """The marks in label columns that differ from the usual ones, by their names (`labels/marks.py`)."""

    def blocks(self, given: Input) -> "Iterator[Block]":
        """The sentences of a file in blocks; a fault is a `DataError` with path and line."""


class ItemFormat(InputFormat, Protocol):
    """A format in which a label without a column stands in the last one, and whose files may name it."""

    def labelled(self) -> InputFormat:
        """The format of a file that names its label, in which the usual marks are read."""


class OutputFormat(Protocol):
    """A format that sentences can be written in."""

    def text(self, block: "Block", names: Sequence[str]) -> bytes:
        """The sentences of a block with these columns only, in this order."""


class LineFormat(InputFormat, OutputFormat, Protocol):
    """A format with a token a line: its files can be written back to the byte, with another label at each token."""

    @property
    def cell(self) -> re.Pattern[bytes]:
        """Matches each field of a token's line in turn."""

    @property
    def no_token(self) -> re.Pattern[bytes] | None:
        """Matches the beginning of lines that belong to a sentence but hold no token."""

    def scanned(self, body: bytes) -> "tuple[Ints, Bools]":
        """For each line its number of fields, 0 where it holds no token, and whether it ends a sentence."""

    def fields(self, body: bytes, rows: "Ints", width: int) -> Sequence[Sequence[bytes]]:
        """The fields of the token lines, by column; `rows` are the numbers of these lines, from 0."""

    def labelled_text(self, block: "Block", labels: "Ints", names: Sequence[bytes], name: str) -> bytes:
        """The bytes of a block with the names of labels as `name` of its tokens, where a tagger writes them."""


@dataclass(frozen=True)
class HasOptions:
    """A format that can be asked to read or write in another way."""

    options: TextOptions


class DocumentFormat(Protocol):
    """A format of texts with spans of characters. What is read is an `InputFormat`, too."""

    @property
    def options(self) -> TextOptions:
        """How its texts become tokens with labels."""

    @property
    def folder(self) -> "Callable[[Iterable[Document], str, Counter[str]], None] | None":
        """Writes documents to a folder with files for each of them, if it can."""

    @property
    def only_folders(self) -> bool:
        """Whether documents are never written to a single file."""

    @property
    def extra(self) -> tuple[str, ...]:
        """The columns of tokens that it has besides places and labels."""

    @property
    def keeps_more(self) -> bool:
        """Whether it has room for what else a record says of a document."""

    @property
    def holds(self) -> frozenset[str]:
        """The things that it has a place for besides spans: relations, notes and other names of `text/documents.py`."""

    def documents(
        self, path: str, pieces: Iterable[bytes], report: Callable[[DataError], None] | None = None
    ) -> "Iterator[Document]":
        """The documents of a file, one by one."""

    def written(self, documents: "Iterable[Document]", lost: Counter[str]) -> Iterator[bytes]:
        """The bytes of a file with these documents; what the format cannot say is counted in `lost`."""
