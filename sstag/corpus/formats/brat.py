"""brat's stand-off files: a folder with a pair `.ann` and `.txt` for each document, or one such pair.

    T2 ⇥ LOC 18 24 ⇥ Madrid                 a span, its type, its characters and its own text
    T3 ⇥ PER 0 5;12 17 ⇥ Annie Smith        a span of two pieces

Offsets are code points. A line break within a span is a blank in its own text, and cuts it into pieces in some files:
pieces with nothing but blanks between them are one. Relations, events, attributes and notes are left out.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from sstag.corpus.text.documents import OPEN, Document, Span, Spans
from sstag.corpus.text.encodings import decoded
from sstag.corpus.text.folders import file_stem, folder_documents, text_of, write_folder
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.foundation.errors import DataError

LINE = re.compile(r"(T[^\t]*)\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)\t(.*)")
ENDS = re.compile(r"\r\n|\n|\r")


def documents(source: Source) -> Iterator[Document]:
    """The documents of a folder, or the one of a pair."""
    if os.path.isdir(source.path):
        for name, files, line in folder_documents(source.path, source.pieces, source.faults):
            yield from _of_pair(source, name, files, line)
        return
    stem = source.path.removesuffix(".ann")
    annotation = decoded(b"".join(source.pieces), source.name)
    text = text_of(f"{stem}.txt", source.options.encoding)
    yield from _of_pair(source, os.path.basename(stem), {".ann": annotation, ".txt": text}, 1)


def _of_pair(source: Source, name: str, files: Mapping[str, object], line: int) -> Iterator[Document]:
    base = os.path.join(source.path, name) if os.path.isdir(source.path) else source.path.removesuffix(".ann")
    text, annotation = files.get(".txt"), files.get(".ann")
    try:
        if not isinstance(text, str):
            raise DataError("has no .txt beside it", f"{base}.ann")
        if not isinstance(annotation, str):
            yield Document(name, text, (Spans((), rest=OPEN),), line)
            return
        spans = []
        for number, one in enumerate(annotation.removeprefix("\ufeff").split("\n"), 1):
            if one.startswith("T"):
                spans.append(_span(one.rstrip("\r"), text, f"{base}.ann", number))
        yield Document(name, text, (Spans(tuple(spans)),), line)
    except DataError as error:
        source.faults.found(error, f"{base}.ann".encode())


def _span(line: str, text: str, path: str, number: int) -> Span:
    found = LINE.fullmatch(line)
    if not found:
        raise DataError("no span: a line is T1, tab, type, start, end, tab, text", path, number)
    name, kind, places, words = found.groups()
    pieces = [(int(start), int(stop)) for start, stop in (piece.split(" ") for piece in places.split(";"))]
    for start, stop in pieces:
        if not 0 <= start < stop <= len(text):
            raise DataError(f"{name}: {start} to {stop} is no span of {len(text):,} characters", path, number)
    own = " ".join(_flat(text[start:stop]) for start, stop in pieces)
    if _flat(words) != own:
        raise DataError(f"{name} says '{words}', but the text has '{own}' there", path, number)
    joined = [pieces[0]]
    for start, stop in pieces[1:]:
        if text[joined[-1][1] : start].strip():
            joined.append((start, stop))
        else:
            joined[-1] = (joined[-1][0], stop)
    bounds = min(start for start, _ in joined), max(stop for _, stop in joined)
    return Span(*bounds, (kind,), pieces=tuple(joined) if len(joined) > 1 else ())


def _flat(text: str) -> str:
    """A text in one line, as the files of annotations have it."""
    return ENDS.sub(" ", text).replace("\t", " ")


def to_folder(documents: Iterable[Document], target: str, lost: Lost) -> None:
    """Writes a pair of files for each document."""
    taken = set[str]()

    def files() -> Iterator[Mapping[str, bytes]]:
        for document in documents:
            stem = file_stem(document.id, taken, lost)
            lines = []
            for number, span in enumerate(plain_spans(document, lost), 1):
                label = span.labels[0]
                if not label or label.split() != [label]:
                    raise DataError(f"document '{document.id}': brat has no room for the label '{label}' (no blanks)")
                places = ";".join(f"{start} {stop}" for start, stop in span.pieces or [(span.start, span.stop)])
                own = " ".join(document.text[start:stop] for start, stop in span.pieces or [(span.start, span.stop)])
                lines.append(f"T{number}\t{label} {places}\t{_flat(own)}\n")
            yield {f"{stem}.txt": document.text.encode(), f"{stem}.ann": "".join(lines).encode()}

    write_folder(target, files())


BRAT = SpanFormat("brat", documents, folder=to_folder, only_folders=True)
