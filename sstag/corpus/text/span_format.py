"""Formats of text with spans: a function that reads documents, one that writes them, and the blocks between."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from sstag.corpus.blocks import Block
from sstag.corpus.formats.contract import FixedColumns, Input
from sstag.corpus.text.document_blocks import PLACES, annotated_by, document_blocks, label_columns, said_by
from sstag.corpus.text.documents import ANNOTATORS, Document
from sstag.corpus.text.faults import Faults, faults_of
from sstag.corpus.text.losses import counted_losses, counted_probabilities
from sstag.corpus.text.options import TextOptions
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name


@dataclass(frozen=True)
class Source:
    """A file as a format of documents reads it."""

    path: str
    pieces: Iterable[bytes]
    options: TextOptions
    faults: Faults

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return display_name(self.path)


@dataclass(frozen=True)
class SpanFormat:
    """A format of documents: a function that reads them, and one that writes them, if it can."""

    title: str
    read: Callable[[Source], Iterator[Document]] | None = None
    write: Callable[[Iterable[Document], TextOptions, Counter[str]], Iterator[bytes]] | None = None
    folder: Callable[[Iterable[Document], str, Counter[str]], None] | None = None
    only_folders: bool = False
    keeps_more: bool = False  # whether its records have room for other keys
    holds: frozenset[str] = frozenset()  # what it has a place for besides spans, of the names in `documents`
    labelled: bool = True
    extra: tuple[str, ...] = ()  # other columns of tokens
    options: TextOptions = field(default_factory=TextOptions)
    lost: Counter[str] | None = field(default=None, compare=False)  # counts what columns have no place for

    marks: ClassVar[Mapping[str, str | None]] = {}

    @property
    def fixed(self) -> FixedColumns:
        labels = label_columns(self.options)
        columns = (*PLACES, *self.extra, *labels) if self.labelled else PLACES
        return FixedColumns(self.title, f"the columns {', '.join(columns)}", columns, labels[-1], only_label=True)

    def documents(
        self,
        path: str,
        pieces: Iterable[bytes],
        report: Callable[[DataError], None] | None = None,
    ) -> Iterator[Document]:
        """The documents of a file."""
        assert self.read
        with faults_of(path, report, self.options.skip_bad) as faults:
            wanted = self.options.annotators
            documents = self.read(Source(path, pieces, self.options, faults))
            for document in annotated_by(documents, wanted, display_name(path)):
                yield replace(document, said=tuple(said_by(document, self.options))) if wanted else document

    def written(self, documents: Iterable[Document], lost: Counter[str]) -> Iterator[bytes]:
        """The bytes of a file with these documents; what the format cannot say is counted."""
        assert self.write
        return self.write(documents, self.options, lost)

    def blocks(self, given: Input) -> Iterator[Block]:
        assert self.read
        columns = given.layout.names or self.fixed.names
        with faults_of(given.path, given.report, self.options.skip_bad) as faults:
            documents = self.read(Source(given.path, given.pieces, self.options, faults))
            documents = annotated_by(documents, self.options.annotators, given.name)
            if self.lost is not None:
                holds = (ANNOTATORS,) if self.options.annotators else ()  # in the names of columns
                documents = counted_probabilities(counted_losses(documents, holds, self.lost), self.lost)
            yield from document_blocks(
                faults, columns, documents, self.options, given.stream, self.labelled, self.extra
            )
