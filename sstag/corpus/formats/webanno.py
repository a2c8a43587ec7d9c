"""WebAnno TSV 3.3, as INCEpTION writes it: a document a file, with given tokens and sentences.

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value

    #Text=Ms. Haag plays .
    1-1 ⇥ 0-3 ⇥ Ms. ⇥ * ⇥ PER[1]
    1-2 ⇥ 4-8 ⇥ Haag ⇥ * ⇥ PER[1]|OTH

Offsets are units of UTF-16. `[1]` joins the tokens of one span, `|` divides spans of a token, `_` is no span, `*` a
span without a value. Parts of a token (`1-2.1`) have lines of their own. Of the layers one is read: that of named
entities, the only one, or the one that `--key layer=NAME` names; of its features `value`, or the first. The others are
attributes of its spans; annotations of other layers, and relations, are counted, and left out.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sstag.corpus.text.documents import ATTRIBUTES, RELATIONS, Document, Relation, Remark, Span, Spans
from sstag.corpus.text.encodings import decoded
from sstag.corpus.text.folders import LONGEST, folder_documents
from sstag.corpus.text.offsets import code_point, utf16_places
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.corpus.text.tokenizer import Place
from sstag.corpus.text.webanno_lines import HEAD, HOLDS, POINTERS, TEXT, VALUE, to_folder, written
from sstag.foundation.errors import DataError

LAYER, FIRST = "#T_", 3  # the column of the first feature
TOKEN = re.compile(r"(\d+)-(\d+)(\.\d+)?")
PLACES = re.compile(r"(\d{1,15})-(\d{1,15})")
ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
UNESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
POINTER = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d{1,15})_(\d{1,15})\])?")
NUMBERED = re.compile(r"(?<!\\)\[(\d{1,15})\]$")
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


class _Layer(NamedTuple):
    """A layer of annotations: spans (SP), relations (RL) or chains (CH), and the column of its first feature."""

    kind: str
    name: str
    features: tuple[str, ...]
    column: int

    @property
    def title(self) -> str:
        """The name without its package."""
        return self.name.rpartition(".")[2]

    @property
    def label(self) -> str:
        """The feature that holds the labels."""
        return VALUE if VALUE in self.features else self.features[0]

    @property
    def begins(self) -> str | None:
        """The layer in whose spans relations of this one begin."""
        last = self.features[-1] if self.kind == "RL" and self.features else ""
        return last.removeprefix(POINTERS) if last.startswith(POINTERS) else None


@dataclass
class _Found:
    """A span in the order in which it is found: its units, its value as it stands there, and its other features."""

    start: int
    stop: int
    value: str
    attributes: Mapping[str, str]

    @property
    def order(self) -> tuple[int, int, str]:
        """The key that sorts spans."""
        return self.start, self.stop, self.value


class _Reader:
    """The lines of a file, one after another."""

    def __init__(self, layer: str | None) -> None:
        self.wanted = layer
        self.layers: list[_Layer] = []  # in the order of the columns
        self.chosen: _Layer | None = None  # the one that holds the labels
        self.texts: list[str] = []  # of the sentence that is read
        self.parts: list[str] = []  # of the text so far
        self.size = 0  # of the text so far, in units of UTF-16
        self.begin: int | None = None  # of the sentence
        self.tokens: list[Place] = []  # in units
        self.starts: list[int] = []
        self.spans: dict[tuple[str, int], _Found] = {}  # by the tokens that they begin at, and numbers
        self.by_number: dict[str, _Found] = {}
        self.links: list[tuple[str, str, str]] = []  # the token where one ends, its label, and where it begins
        self.unread: Counter[str] = Counter()
        self.seen: set[tuple[str, str]] = set()  # numbers of annotations of other layers
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
            before = self.layers[-1] if self.layers else None
            column = before.column + max(len(before.features), 1) if before else FIRST
            self.layers.append(_Layer(kind, name, tuple(features), column))
        elif line.startswith(TEXT):
            self.texts.append(_plain(line.removeprefix(TEXT)))
            self.begin = None
        elif line and not line.startswith("#"):
            self._token(line.split("\t"))
        elif not line:
            self.texts = []

    def _token(self, cells: Sequence[str]) -> None:
        chosen = self.chosen = self.chosen or self._chosen_layer()
        if len(cells) < FIRST or not (name := TOKEN.fullmatch(cells[0])) or not (places := PLACES.fullmatch(cells[1])):
            raise DataError("no token: a line is 1-1, tab, 0-3, tab, the token, and a column for each feature")
        start, stop = int(places[1]), int(places[2])
        for unit in (start, stop):
            self.lines.setdefault(unit, self.number)
        if self.begin is None:
            self._sentence(start, cells[2])
        if not name[3]:
            self.tokens.append((start, stop))
        for layer in self.layers:
            own = cells[layer.column : layer.column + max(len(layer.features), 1)]
            if not any(cell not in ("_", "") for cell in own):
                continue
            if layer == chosen:
                self._spans(cells[0], start, stop, layer, own)
            elif layer.begins == chosen.name:
                for label, where in zip(BAR.split(own[0]), BAR.split(own[-1]), strict=False):
                    self.links.append((cells[0], label, where))
            else:
                for one in BAR.split(next(cell for cell in own if cell not in ("_", ""))):
                    key = (layer.name, found[1] if (found := NUMBERED.search(one)) else f"{cells[0]} {one}")
                    self.unread[f"annotations of the layer {layer.title}"] += key not in self.seen
                    self.seen.add(key)

    def _spans(self, token: str, start: int, stop: int, layer: "_Layer", cells: Sequence[str]) -> None:
        """Takes in the spans of a token, or the parts of spans that go on there."""
        values = dict(zip(layer.features or (VALUE,), map(BAR.split, cells), strict=False))
        label_of = layer.label
        if label_of not in values:
            raise DataError(f"a column is missing: the layer {layer.title} has {len(layer.features)} of them")
        for n, one in enumerate(values[label_of]):
            number = found[1] if (found := NUMBERED.search(one)) else ""
            if number and number in self.by_number:
                self.by_number[number].stop = stop
                self.spans[token, int(number)] = self.by_number[number]
                continue
            told = {name: every[n] for name, every in values.items() if name != label_of and n < len(every)}
            kept = {name: _unnumbered(value) for name, value in told.items() if _unnumbered(value) not in ("*", "_")}
            span = _Found(start, stop, _unnumbered(one), kept)
            key = int(number) if number else -1 - n
            self.spans[token, key] = span
            if number:
                self.by_number[number] = span

    def _relations(self, spans: Mapping[int, Span]) -> Iterator[Relation]:
        """The relations between spans, which are known by the places where they were found."""
        for token, label, where in self.links:
            found = POINTER.fullmatch(where)
            first = self._end(found[1], found[2]) if found else None
            second = self._end(token, found[3] if found else None)
            if first and second:
                yield Relation(spans[id(first)], spans[id(second)], _label(_unnumbered(label)))
            else:
                self.unread[RELATIONS] += 1

    def _end(self, token: str, number: str | None) -> "_Found | None":
        """The span at a token that has a number, or the only one that has none."""
        if number and number != "0":
            return self.spans.get((token, int(number)))
        return self.spans.get((token, -1))

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

    def _chosen_layer(self) -> "_Layer":
        """The layer that holds the labels."""
        spans = [layer for layer in self.layers if layer.kind == "SP" and layer.features]
        wanted = [one for one in spans if self.wanted in (one.name, one.title)] if self.wanted else (
            [one for one in spans if one.title == "NamedEntity"] or spans
        )  # fmt: skip
        if len(wanted) != 1:
            names = ", ".join(one.name for one in spans) or "none"
            raise DataError(f"which layer holds the labels? --key layer=NAME names one of {names}")
        return wanted[0]

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
        found = sorted({id(one): one for one in self.spans.values()}.values(), key=lambda one: one.order)
        made = {id(one): Span(place(one.start), place(one.stop), (_label(one.value),)) for one in found}
        starts = [place(start) for start in self.starts]
        remarks = [
            Remark(made[id(one)], ATTRIBUTES, feature, _label(value))
            for one in found
            for feature, value in one.attributes.items()
        ]
        said = Spans(tuple(made.values()), "", None, tuple(self._relations(made)), tuple(remarks))
        return Document(name, text, (said,), line or 1, tokens, starts or [0], unread=self.unread)


def _plain(text: str) -> str:
    """A text without its escapes."""
    return ESCAPED.sub(lambda found: UNESCAPED.get(found[1], found[1]), text) if "\\" in text else text


def _unnumbered(value: str) -> str:
    """A value without the number of its span."""
    return NUMBERED.sub("", value)


def _label(value: str) -> str:
    return "" if value == "*" else _plain(value)


WEBANNO = SpanFormat("WebAnno TSV", documents, written, folder=to_folder, holds=HOLDS)
