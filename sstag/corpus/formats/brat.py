"""brat's stand-off files: a folder with a pair `.ann` and `.txt` for each document, or one such pair.

    T2 ⇥ LOC 18 24 ⇥ Madrid                 a span, its type, its characters and its own text
    T3 ⇥ PER 0 5;12 17 ⇥ Annie Smith        a span of two pieces
    R1 ⇥ Lives_in Arg1:T3 Arg2:T2           a relation
    A1 ⇥ Confidence T2 High                 an attribute; M1 in old files
    N1 ⇥ Reference T2 Wikipedia:41188263 ⇥ Madrid
    #1 ⇥ AnnotatorNotes T2 ⇥ the city       a note

Offsets are code points. A line break within a span is a blank in its own text, and cuts it into pieces in some files:
pieces with nothing but blanks between them are one. Events and equivalences are counted, and left out.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from sstag.corpus.text.documents import (
    ATTRIBUTES,
    NORMALIZATIONS,
    NOTES,
    OPEN,
    RELATIONS,
    Document,
    Relation,
    Remark,
    Span,
    Spans,
)
from sstag.corpus.text.encodings import decoded
from sstag.corpus.text.folders import file_stem, folder_documents, plain_inside, text_of, write_folder
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.foundation.errors import DataError

LINE = re.compile(r"(T[^\t]*)\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)\t(.*)")
RELATION = re.compile(r"R\S*\t(\S+) (\S+):(T\S*) (\S+):(T\S*)\s*")
ATTRIBUTE = re.compile(r"[AM]\S*\t(\S+) (T\S*)(?: (.*\S))?\s*")
NORMALIZATION = re.compile(r"N\S*\t(\S+) (T\S*) (.*)")
NOTE = re.compile(r"#\S*\t(\S+) (T\S*)(?:\t(.*))?")
ROLES = ("Arg1", "Arg2")
OF_LINES = {  # how lines begin, and what they are
    "R": RELATIONS,
    "A": ATTRIBUTES,
    "M": ATTRIBUTES,
    "N": NORMALIZATIONS,
    "#": NOTES,
    "E": "events",
    "*": "equivalences",
}
PATTERNS = {ATTRIBUTES: ATTRIBUTE, NORMALIZATIONS: NORMALIZATION, NOTES: NOTE}
HOLDS = frozenset([RELATIONS, *PATTERNS])
ENDS = re.compile(r"\r\n|\n|\r")


def documents(source: Source) -> Iterator[Document]:
    """The documents of a folder, or the one of a pair."""
    if os.path.isdir(source.path):
        for name, files, line in folder_documents(source.path, source.pieces, source.faults):
            yield from _of_pair(source, name, files, line)
        return
    stem = source.path.removesuffix(".ann")
    annotation = decoded(b"".join(source.pieces), source.name)
    beside = plain_inside(f"{stem}.txt", os.path.dirname(stem) or os.curdir)
    text = text_of(beside, source.options.encoding)
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
        spans, others = dict[str, Span](), list[str]()
        for number, one in enumerate(annotation.removeprefix("\ufeff").split("\n"), 1):
            if one.startswith("T"):
                spans[one.partition("\t")[0]] = _span(one.rstrip("\r"), text, f"{base}.ann", number)
            elif one.strip():
                others.append(one.rstrip("\r"))
        unread: Counter[str] = Counter()
        said = Spans(tuple(spans.values()), "", None, *_said_of(spans, others, unread))
        yield Document(name, text, (said,), line, unread=unread)
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


def _said_of(
    spans: Mapping[str, Span], lines: Iterable[str], unread: Counter[str]
) -> tuple[tuple[Relation, ...], tuple[Remark, ...]]:
    """The relations and remarks that lines state about spans; what is about anything else is counted."""
    relations, remarks = list[Relation](), list[Remark]()
    for line in lines:
        what = OF_LINES.get(line[0], "other lines")
        if what == RELATIONS and (found := RELATION.fullmatch(line)) and {found[3], found[5]} <= spans.keys():
            unread["names of arguments"] += (found[2], found[4]) != ROLES
            relations.append(Relation(spans[found[3]], spans[found[5]], found[1]))
        elif what in PATTERNS and (found := PATTERNS[what].fullmatch(line)) and found[2] in spans:
            remarks.append(Remark(spans[found[2]], what, found[1], found[3] if what == ATTRIBUTES else found[3] or ""))
        else:
            unread[what] += 1
    return tuple(relations), tuple(remarks)


def _flat(text: str) -> str:
    """A text in one line, as the files of annotations have it."""
    return ENDS.sub(" ", text).replace("\t", " ")


def to_folder(documents: Iterable[Document], target: str, lost: Lost) -> None:
    """Writes a pair of files for each document."""
    taken = set[str]()

    def files() -> Iterator[Mapping[str, bytes]]:
        for document in documents:
            stem = file_stem(document.id, taken, lost)
            lines, names = list[str](), dict[Span, str]()
            for number, span in enumerate(plain_spans(document, lost), 1):
                label = span.labels[0]
                if not label or label.split() != [label]:
                    raise DataError(f"document '{document.id}': brat has no room for the label '{label}' (no blanks)")
                places = ";".join(f"{start} {stop}" for start, stop in span.pieces or [(span.start, span.stop)])
                own = " ".join(document.text[start:stop] for start, stop in span.pieces or [(span.start, span.stop)])
                names[span] = f"T{number}"
                lines.append(f"T{number}\t{label} {places}\t{_flat(own)}\n")
            lines += [line for said in document.said for line in _lines_about(said, names, lost)]
            yield {f"{stem}.txt": document.text.encode(), f"{stem}.ann": "".join(lines).encode()}

    write_folder(target, files())


def _lines_about(said: Spans, names: Mapping[Span, str], lost: Lost) -> Iterator[str]:
    """The lines that state relations and remarks about spans of these names; what has no place in them is counted."""
    for number, one in enumerate(said.relations, 1):
        if {one.first, one.second} <= names.keys() and one.label.split() == [one.label]:
            ends = (f"{role}:{names[span]}" for role, span in zip(ROLES, (one.first, one.second), strict=True))
            yield f"R{number}\t{one.label} {' '.join(ends)}\n"
        else:
            lost[RELATIONS] += 1
    for number, remark in enumerate(said.remarks, 1):
        name = None if remark.span is None else names.get(remark.span)
        value = remark.value or ""
        kind = remark.kind
        if kind not in PATTERNS:
            continue  # which is counted for all formats
        if not name or remark.name.split() != [remark.name] or (kind != NOTES and ENDS.search(value)):
            lost[kind] += 1
        elif kind == ATTRIBUTES:
            yield f"A{number}\t{remark.name} {name}{' ' if value else ''}{value}\n"
        elif kind == NORMALIZATIONS:
            yield f"N{number}\t{remark.name} {name} {value}\n"
        else:
            lost["line ends of notes"] += _flat(value) != value
            yield f"#{number}\t{remark.name} {name}\t{_flat(value)}\n"


BRAT = SpanFormat("brat", documents, folder=to_folder, only_folders=True, holds=HOLDS)
