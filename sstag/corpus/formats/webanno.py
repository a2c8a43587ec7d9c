"""WebAnno TSV 3.3, as INCEpTION writes it: a document a file, with given tokens and sentences.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Ms. Haag plays .
    1-1 ⇥ 0-3 ⇥ Ms. ⇥ * ⇥ PER[1]
    1-2 ⇥ 4-8 ⇥ Haag ⇥ * ⇥ PER[1]|OTH

Offsets are units of UTF-16. `[1]` joins the tokens of one span, `|` divides spans of a token, `_` is no span, `*` a
span without a value. Parts of a token (`1-2.1`) have lines of their own. Of the layers one is read: that of named
entities, the only one, or the one that `--key layer=NAME` names; of its features `value`, or the first.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sstag.corpus.text.document_blocks import tokenized
from sstag.corpus.text.documents import Document, Span, Spans
from sstag.corpus.text.encodings import decoded
from sstag.corpus.text.folders import LONGEST, file_stem, folder_documents, write_folder
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.offsets import code_point, units, utf16_places
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.sentences import first_tokens
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.corpus.text.tokenizer import Place
from sstag.foundation.errors import DataError

HEAD = "#FORMAT=WebAnno TSV 3.3"
ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LAYER, TEXT = "#T_", "#Text="
TOKEN = re.compile(r"(\d+)-(\d+)(\.\d+)?")
PLACES = re.compile(r"(\d{1,15})-(\d{1,15})")
ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
UNESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
SPECIAL = re.compile(r"->|[\\\[\]|_;*\t\n]")
NUMBERED = re.compile(r"(?<!\\)\[(\d+)\]$")
BAR = re.compile(r"(?<!\\)\|")


def documents(source: Source) -> Iterator[Document]:
    """The document of a file, or those of a folder."""
    if os.path.isdir(source.path):
        for name, files, line in folder_documents(source.path, source.pieces, source.faults):
            if isinstance(text := files.get(".tsv"), str):
                yield from _document(source, name, text, os.path.join(source.path, f"{name}.tsv"), line)
        return
    text = decoded(b"".join(source.pieces), source.name)
    yield from _document(source, os.path.splitext(os.path.basename(source.path))[0], text, source.name, None)


def _document(source: Source, name: str, text: str, path: str, line: int | None) -> Iterator[Document]:
    reader = _Reader(source.options.keys.get("layer"))
    try:
        for one in text.removeprefix("\ufeff").removesuffix("\n").split("\n"):
            reader.line(one.rstrip("\r"))
        made = reader.document(name, line)
    except DataError as error:
        source.faults.found(DataError(error.message, path, reader.number), path.encode())
    else:
        yield made


class _Reader:
    """The lines of a file, one after another."""

    def __init__(self, layer: str | None) -> None:
        self.wanted = layer
        self.layers: list[tuple[str, list[str]]] = []  # names and features, in the order of the columns
        self.column: int | None = None
        self.texts: list[str] = []  # of the sentence that is read
        self.parts: list[str] = []  # of the text so far
        self.size = 0  # of the text so far, in units of UTF-16
        self.begin: int | None = None  # of the sentence
        self.tokens: list[Place] = []  # in units
        self.starts: list[int] = []
        self.open: dict[str, tuple[int, int, str]] = {}  # spans of several tokens by their numbers
        self.single: list[tuple[int, int, str]] = []
        self.headed = False
        self.number = 0  # of the line that is read
        self.lines: dict[int, int] = {}  # the first lines in which offsets stand

    def line(self, line: str) -> None:
        """Takes in a line."""
        self.number += 1
        if not self.headed:
            if not line.startswith("#FORMAT=WebAnno TSV 3"):
                raise DataError(f"begins with '{line:.40}', not with {HEAD}")
            self.headed = True
        elif line.startswith(LAYER):
            kind, _, rest = line.removeprefix(LAYER).partition("=")
            name, *features = rest.split("|")
            self.layers.append((name if kind == "SP" else "", features + ([""] if kind == "RL" else [])))
        elif line.startswith(TEXT):
            self.texts.append(_plain(line.removeprefix(TEXT)))
            self.begin = None
        elif line and not line.startswith("#"):
            self._token(line.split("\t"))
        elif not line:
            self.texts = []

    def _token(self, cells: Sequence[str]) -> None:
        if self.column is None:
            self.column = self._value_column()
        if len(cells) < 3 or not (name := TOKEN.fullmatch(cells[0])) or not (places := PLACES.fullmatch(cells[1])):
            raise DataError("no token: a line is 1-1, tab, 0-3, tab, the token, and a column for each feature")
        start, stop = int(places[1]), int(places[2])
        for unit in (start, stop):
            self.lines.setdefault(unit, self.number)
        if self.begin is None:
            self._sentence(start, cells[2])
        if not name[3]:
            self.tokens.append((start, stop))
        value = cells[3 + self.column] if len(cells) > 3 + self.column else "_"
        if value == "_":
            return
        for one in BAR.split(value):
            if numbered := NUMBERED.search(one):
                label, key = one[: numbered.start()], numbered[1]
                before = self.open.get(key)
                self.open[key] = (before[0] if before else start, stop, label)
            else:
                self.single.append((start, stop, one))

    def _sentence(self, start: int, word: str) -> None:
        """Puts the text of the sentence where its first token says that it begins."""
        text = "\n".join(self.texts)
        lead = max(text.find(_plain(word)), 0)
        self.begin = start - len(text[:lead].encode("utf-16-le")) // 2
        if self.begin < self.size:
            raise DataError(f"the sentence begins at {self.begin}, before the end of the one before, {self.size}")
        gap = self.begin - self.size
        if gap > LONGEST:
            raise DataError(
                f"the sentence begins at {self.begin}, too far behind the one before, which ends at {self.size}"
            )
        self.parts += [" " * (gap - 1) + "\n" if gap and self.parts else " " * gap, text]
        self.starts.append(self.begin)
        self.size = self.begin + len(text.encode("utf-16-le")) // 2

    def _value_column(self) -> int:
        """The place of the column that holds the labels, among those of features."""
        spans = [(name, features) for name, features in self.layers if name and features]
        names = [name for name, _ in spans]
        wanted = [name for name in names if self.wanted in (name, name.rpartition(".")[2])] if self.wanted else (
            [name for name in names if name.rpartition(".")[2] == "NamedEntity"] or names
        )  # fmt: skip
        if len(wanted) != 1:
            raise DataError(f"which layer holds the labels? --key layer=NAME names one of {', '.join(names) or 'none'}")
        place = 0
        for name, features in self.layers:
            if name == wanted[0]:
                return place + (features.index("value") if "value" in features else 0)
            place += max(len(features), 1)
        raise AssertionError(wanted)

    def document(self, name: str, line: int | None) -> Document:
        """The document that the lines have made."""
        if not self.headed:
            raise DataError(f"is empty, and does not begin with {HEAD}")
        text = "".join(self.parts)
        places = utf16_places(text)

        def place(unit: int) -> int:
            self.number = self.lines.get(unit, self.number)  # for the message if there is no such place
            return code_point(places, unit)

        tokens = [(place(start), place(stop)) for start, stop in self.tokens]
        spans = [
            Span(place(start), place(stop), (_label(value),))
            for start, stop, value in sorted([*self.single, *self.open.values()])
        ]
        starts = [place(start) for start in self.starts]
        return Document(name, text, (Spans(tuple(spans)),), line or 1, tokens, starts or [0])


def _plain(text: str) -> str:
    """A text without its escapes."""
    return ESCAPED.sub(lambda found: UNESCAPED.get(found[1], found[1]), text) if "\\" in text else text


def _label(value: str) -> str:
    return "" if value == "*" else _plain(value)


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The one document of a file."""
    for number, document in enumerate(documents):
        if number:
            raise DataError("WebAnno TSV holds one document: end the name of --output with / for a folder of them")
        yield _text(document, options, lost)


def to_folder(documents: Iterable[Document], target: str, lost: Lost) -> None:
    """Writes a file for each document."""
    taken = set[str]()
    files = ({f"{file_stem(one.id, taken, lost)}.tsv": _text(one, TextOptions(), lost)} for one in documents)
    write_folder(target, files)


def _text(document: Document, options: TextOptions, lost: Lost) -> bytes:
    """The file of a document."""
    whole = tokenized(document, options)
    assert whole.tokens is not None
    assert whole.starts is not None
    text, tokens, at = document.text, list(whole.tokens), units(document.text)
    lost["texts without a word"] += bool(text and not tokens)
    values: list[list[str]] = [[] for _ in tokens]
    parts: dict[int, list[tuple[Place, str]]] = {}
    number = 0
    for span in plain_spans(document, lost):
        label = SPECIAL.sub(r"\\\g<0>", span.labels[0]) if span.labels[0] else "*"
        label = label.replace("\t", "t").replace("\n", "n")
        inside = [n for n, (start, stop) in enumerate(tokens) if start < span.stop and stop > span.start]
        if not inside:
            raise DataError(f"document '{document.id}': a span of characters {span.start}–{span.stop} has no token")
        number += len(inside) > 1
        value = f"{label}[{number}]" if len(inside) > 1 else label
        for n in inside:
            start, stop = max(tokens[n][0], span.start), min(tokens[n][1], span.stop)
            if (start, stop) == tokens[n]:
                values[n].append(value)
            else:
                parts.setdefault(n, []).append(((start, stop), value))
    lines = [HEAD, f"#T_SP={ENTITY}|value", ""]
    firsts = first_tokens(whole.starts, tokens)
    for sentence, (first, end) in enumerate(pairwise([*firsts, len(tokens)]), 1):
        stop = tokens[end][0] if end < len(tokens) else len(text)
        lines += ["", f"{TEXT}{_escaped(text[tokens[first][0] : stop])}"]
        for n in range(first, end):
            name = f"{sentence}-{n - first + 1}"
            rows = [(name, tokens[n], "|".join(values[n]) or "_")]
            rows += [(f"{name}.{k}", place, value) for k, (place, value) in enumerate(parts.get(n, ()), 1)]
            for key, (start, end_of), value in rows:
                lines.append(f"{key}\t{at[start]}-{at[end_of]}\t{_escaped(text[start:end_of])}\t{value}\t")
    return ("\n".join(lines) + "\n").encode()


def _escaped(text: str) -> str:
    """A text in one line."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


WEBANNO = SpanFormat("WebAnno TSV", documents, written, folder=to_folder)
