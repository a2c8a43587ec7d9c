"""Prose: text without labels, which is tokenized, so that it can be tagged and learned from."""

import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator

from sstag.corpus.text.documents import OPEN, Document, Spans
from sstag.corpus.text.encodings import decoded
from sstag.corpus.text.folders import folder_documents
from sstag.corpus.text.json_records import LONGEST, whole_lines
from sstag.corpus.text.json_spans import Lost
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD

STDIN, ENDING = "stdin", ".txt"


def documents(source: Source) -> Iterator[Document]:
    """The documents of a file, or of all files .txt of a folder: each is one, or what lines or blank lines divide."""
    if not os.path.isdir(source.path):
        name = STDIN if source.path == STANDARD else source.path.rpartition("/")[2]
        yield from _of_file(source, name, source.pieces)
        return
    for name, files, _ in folder_documents(source.path, source.pieces, source.faults):
        if isinstance(text := files.get(ENDING), str):
            yield from _of_file(source, name + ENDING, [text.encode()])


def _of_file(source: Source, name: str, pieces: Iterable[bytes]) -> Iterator[Document]:
    how, lines, number, size = source.options.pieces, list[bytes](), 1, 0
    last = b"\n"

    def watched() -> Iterator[bytes]:
        nonlocal last
        for piece in pieces:
            last = piece[-1:] or last
            yield piece

    for at, line in enumerate(whole_lines(source.name, watched()), 1):
        line = line.removeprefix(BOM_UTF8) if at == 1 else line
        if how == "line" or (how == "blank" and not line.strip()):
            yield from _document(source, name, [*lines, line, b""], number)
            lines, number, size = [], at + 1, 0
            continue
        lines.append(line)
        size += len(line)
        if size > LONGEST:
            fault = f"more than {LONGEST // 2**20} MiB in one document (--documents blank or line)"
            raise DataError(fault, source.name)
    if lines or how == "file":
        yield from _document(source, name, [*lines, b""] if lines and last == b"\n" else lines, number)


def _document(source: Source, name: str, lines: list[bytes], number: int) -> Iterator[Document]:
    raw = b"\n".join(lines)
    try:
        text = decoded(raw, source.name, number)
    except DataError as error:
        source.faults.found(error, raw)
        return
    if source.options.pieces == "line":
        text = text.removesuffix("\n").removesuffix("\r")
    if text.strip() or source.options.pieces == "file":
        own = name if source.options.pieces == "file" else f"{name}:{number}"
        yield Document(own, text, (Spans((), rest=OPEN),), number, raw=raw)


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The texts alone, each of whose last lines has an end."""
    for document in documents:
        lost["spans"] += sum(len(said.spans) for said in document.said)
        lost["names of documents"] += 1
        yield document.text.encode() + (b"" if document.text.endswith("\n") else b"\n")


PROSE = SpanFormat("prose", documents, written, labelled=False)
