"""File formats: one file for each, which reads sentences, writes them, or both.

`FORMATS` is plain data, so that listing formats imports none of them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from sstag.foundation.errors import ConfigError, DataError, nearest
from sstag.foundation.registry import Where, registered

if TYPE_CHECKING:
    from sstag.corpus.blocks import Block
    from sstag.corpus.layout import Layout
    from sstag.foundation.arrays import Bools, Ints, Longs


@dataclass(frozen=True)
class FormatEntry:
    """A registered format: where its object is, a line of help, and whether it can be read and written.

    A file whose name ends in `ending` (before `.gz`) is read in this format unless another one is named.
    """

    where: "Where[InputFormat | OutputFormat]"
    help: str
    ending: str | None = None
    reads: bool = True
    writes: bool = True


FORMATS = {
    "columns": FormatEntry(
        Where("sstag.corpus.formats.columns:COLUMNS"),
        "a token a line, blanks or tabs between columns, a blank line after each sentence",
    ),
    "conllu": FormatEntry(
        Where("sstag.corpus.formats.conllu:CONLLU"), "CoNLL-U: ten columns, separated by tabs", ending=".conllu"
    ),
    "jsonl": FormatEntry(
        Where("sstag.corpus.formats.jsonl:JSON_LINES"),
        "a JSON object for each sentence, with a list for each column",
        ending=".jsonl",
        reads=False,
    ),
}
USUAL = "columns"  # the format of a file whose name does not tell another


@dataclass(frozen=True)
class FixedColumns:
    """The columns that every file of a format has."""

    title: str  # what messages call the format
    shape: str  # what messages say of its columns
    names: tuple[str, ...]
    label: str  # the column that holds the labels, unless another one is named


class InputFormat(Protocol):
    """A format that sentences can be read from."""

    @property
    def fixed(self) -> FixedColumns | None:
        """The columns of every file; None if each file has its own, the label last."""

    @property
    def marks(self) -> Mapping[str, str | None]:
        """The marks in label columns that differ from the usual ones, by their names (`labels/marks.py`)."""

    def blocks(
        self,
        path: str,
        layout: "Layout",
        pieces: Iterable[bytes],
        report: Callable[[DataError], None] | None = None,
        stream: bool = False,
    ) -> "Iterator[Block]":
        """The sentences of a file in blocks, a stream's as soon as they are complete.

        A fault is a `DataError` with path and line; with `report`, faults of single lines are handed over, and the
        sentences that have them are left out.
        """


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

    def scanned(self, body: bytes) -> "tuple[Longs, Bools]":
        """For each line its number of fields, 0 where it holds no token, and whether it ends a sentence."""

    def fields(self, body: bytes, rows: "Longs", width: int) -> list[list[bytes]]:
        """The fields of the token lines, by column; `rows` are the numbers of these lines, from 0."""

    def labelled_text(self, block: "Block", labels: "Ints", names: Sequence[bytes], name: str) -> bytes:
        """The bytes of a block with the names of labels as `name` of its tokens, where a tagger writes them."""


def input_format(path: str, name: str | None = None) -> InputFormat:
    """The format that a file is read in: the one that is named, or else the one that its name tells."""
    if name is None:
        name = next((one for one, entry in FORMATS.items() if entry.reads and is_called_as(path, one)), USUAL)
    if name not in input_names():
        raise ConfigError(f"no format '{name}' can be read{nearest(name, input_names())}")
    return cast(InputFormat, registered(FORMATS[name].where))


def output_format(name: str) -> OutputFormat:
    """The format of this name, to write in."""
    if name not in output_names():
        raise ConfigError(f"no format '{name}' can be written{nearest(name, output_names())}")
    return cast(OutputFormat, registered(FORMATS[name].where))


def input_names() -> list[str]:
    """The names of the formats that can be read."""
    return [name for name, entry in FORMATS.items() if entry.reads]


def output_names() -> list[str]:
    """The names of the formats that can be written."""
    return [name for name, entry in FORMATS.items() if entry.writes]


def is_called_as(path: str, name: str) -> bool:
    """Whether the name of a file ends as those of a format do."""
    ending = FORMATS[name].ending
    return ending is not None and path.removesuffix(".gz").endswith(ending)
