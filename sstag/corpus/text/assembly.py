"""Documents from blocks: the way back from tokens with labels to texts with spans of characters.

A document begins where a comment names it (`# document = …`, CoNLL-U's `# newdoc`) or at `-DOCSTART-`; in a file
without any of these each sentence is one, called by its `sent_id` or `id`, or in a sheet by its number in the pool. Its
text is that of `# text = "…"`, in which the columns `start` and `end` are places. Without them it is made of the words:
a blank between two, unless CoNLL-U says `SpaceAfter=No`, and a line for each sentence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import ALIASES
from sstag.corpus.formats.columns import DOCSTART
from sstag.corpus.sheets import BOM
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.document_comments import (
    DOCUMENT,
    FROM,
    MORE,
    TEXT,
    object_said,
    place_said,
    text_said,
    value_said,
)
from sstag.corpus.text.documents import MANUAL, OPEN, Document, Span, Spans
from sstag.corpus.text.span_labels import BLANK
from sstag.corpus.text.tokenizer import Place
from sstag.foundation.arrays import Bools
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json

NEW = b"# newdoc"
SENTENCE_NAME = re.compile(rb"# (?:sent_id|id|sentence(?= = \d+\s*$)) = ")  # the last one is its number in a pool
KEPT = ("pos", "xpos")  # columns besides labels and places that some format of documents has a place for
OF_DOCUMENT = (TEXT.encode() + b'"', FROM.encode(), MORE.encode())
NO_SPACE = "SpaceAfter=No"


class TokenSpan(NamedTuple):
    """Tokens first:stop of a block, their labels, and how sure they are."""

    first: int
    stop: int
    labels: tuple[str, ...]
    probability: float | None = None


@dataclass(frozen=True)
class Labelling:
    """The spans of one annotator in a block, in order, and for each token whether it is open."""

    by: str
    spans: Sequence[TokenSpan]
    open: Bools  # (T,)


@dataclass
class _Open:
    """A document that may go on."""

    name: str
    line: int
    text: str | None = None
    begin: int = 0  # where the text begins in the one that the places are of
    more: Mapping[str, Json] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    glued: list[bool] = field(default_factory=list)  # no blank follows
    firsts: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    spans: list[list[TokenSpan]] = field(default_factory=list)
    unsure: list[bool] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)


class Assembly:
    """The documents of a file, block after block."""

    def __init__(self, path: str, annotators: Sequence[str] = ("",), without: Sequence[str] = ()) -> None:
        self.path, self.annotators = path, annotators
        self._without = {*PLACES, *without}
        self._open: _Open | None = None
        self._named = False  # whether the file says where documents begin
        self._count = 0
        self._name: str | None = None  # of the next sentence

    def documents(self, block: Block, said: Sequence[Labelling]) -> Iterator[Document]:
        """The documents that end in a block."""
        words, starts, stops = self._places(block)
        others = {name: _texts(block, name) for name in block.columns if name in KEPT and name not in self._without}
        glued = [NO_SPACE in value for value in _texts(block, "misc")] if "misc" in block.columns else []
        next_span = [0] * len(said)
        unsure = [bool(one.open.any()) for one in said]
        firsts, after = block.spans if len(block.rows) else ([], [])
        lines = [0, *after]  # each the first of those between two sentences
        froms = block.line_starts[lines].tolist()
        tos = block.line_starts[[*firsts, -1]].tolist()
        between = [block.text[start:stop] for start, stop in zip(froms, tos, strict=True)]
        told = [sentence for sentence in range(len(firsts)) if between[sentence].strip()]
        offsets = block.offsets.tolist()
        for sentence, next_told in pairwise(sorted({0, *told, len(firsts)})):
            yield from self._comments(between[sentence], block.first_line + lines[sentence])
            size = next_told - sentence if self._named else 1  # sentences of one document are taken in at once
            for one in range(sentence, next_told, size):
                if not self._named:
                    yield from self._ended()
                self._count += size
                begin, *inner, end = offsets[one : one + size + 1]
                if self._open is None:
                    self._begin(self._name or str(self._count), int(block.lines[begin]))
                self._name = None
                now = self._open
                assert now
                shift = len(now.words) - begin
                now.firsts += [shift + token for token in (begin, *inner)]
                now.words += words[begin:end]
                now.glued += glued[begin:end]
                if starts is not None and stops is not None:
                    now.lines += block.lines[begin:end].tolist()
                    now.places += zip(starts[begin:end], stops[begin:end], strict=True)
                for name, column in others.items():
                    now.columns.setdefault(name, []).extend(column[begin:end])
                for number, by in enumerate(said):
                    now.unsure[number] |= unsure[number] and bool(by.open[begin:end].any())
                    at = next_span[number]
                    while at < len(by.spans) and by.spans[at].first < end:
                        first_token, last, labels, sure = by.spans[at]
                        now.spans[number].append(TokenSpan(first_token + shift, last + shift, labels, sure))
                        at += 1
                    next_span[number] = at
        yield from self._comments(block.text[froms[-1] :], block.first_line + lines[-1])

    def last(self) -> Iterator[Document]:
        """The document that the file ends in."""
        yield from self._ended()

    def _places(self, block: Block) -> tuple[list[str], Sequence[int] | None, Sequence[int] | None]:
        """The words, and where they start and end if there are columns that say so."""
        if not len(block.rows):
            return [], None, None
        known = [ALIASES.get(name, name) for name in block.columns]
        words = _texts(block, block.columns[known.index("form") if "form" in known else 0])
        if not {"start", "end"} <= {*block.columns}:
            return words, None, None
        starts, stops = (_texts(block, name) for name in PLACES[1:])
        for token, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            if not (start.isascii() and start.isdigit() and stop.isascii() and stop.isdigit()):
                message = f"'{start}' and '{stop}' are no places of a token (columns start and end)"
                raise DataError(message, self.path, int(block.lines[token]))
        return words, [*map(int, starts)], [*map(int, stops)]

    def _comments(self, lines: bytes, number: int) -> Iterator[Document]:
        """The documents that end before some lines without tokens."""
        for at, line in enumerate(lines.removeprefix(BOM).split(b"\n"), number):
            if line.startswith((DOCUMENT.encode(), NEW, DOCSTART)):
                yield from self._ended()
                self._named = True
                name = text_said(line) if line.startswith(b"#") else None
                self._begin(name or str(self._count + 1), at)
            elif line.startswith(OF_DOCUMENT) and self._open and not self._open.words:
                self._told(self._open, line)
            elif SENTENCE_NAME.match(line):
                self._name = value_said(line)

    def _told(self, now: _Open, line: bytes) -> None:
        """Takes in a comment about a document."""
        if line.startswith(MORE.encode()):
            now.more = object_said(line)
        elif line.startswith(TEXT.encode()):
            now.text = text_said(line)
        else:
            now.begin = place_said(line)

    def _begin(self, name: str, line: int) -> None:
        number = len(self.annotators)
        self._open = _Open(name, line, spans=[[] for _ in range(number)], unsure=[False] * number)

    def _ended(self) -> Iterator[Document]:
        now, self._open = self._open, None
        if now is None or (not now.words and now.text is None):
            return
        if now.text is not None and (now.places or not now.words):
            text, places = now.text, [(start - now.begin, stop - now.begin) for start, stop in now.places]
        else:
            if now.places and not self._named:  # of a text that is not known, of which this is a sentence
                base = now.places[0][0]
                now.places = [(start - base, stop - base) for start, stop in now.places]
            text, places = _joined(now) if now.places or any(now.glued) else _spaced(now)
            if now.places and places != now.places:
                raise DataError("the places of words overlap (columns start and end)", self.path, now.lines[0])
        if text is now.text:
            self._check(now, text, places)
        said = tuple(
            Spans(
                tuple(
                    Span(places[one.first][0], places[one.stop - 1][1], one.labels, one.probability) for one in spans
                ),
                by,
                OPEN if unsure else MANUAL,
            )
            for by, spans, unsure in zip(self.annotators, now.spans, now.unsure, strict=True)
        )
        firsts = now.firsts[1:]
        starts = [0, *(places[first][0] for first in firsts)]
        yield Document(now.name, text, said, now.line, places, starts, now.columns, more=now.more)

    def _check(self, now: _Open, text: str, places: Sequence[Place]) -> None:
        """Words that are not what the text has in their places are an error."""
        found = [text[start:stop] for start, stop in places]
        if found == now.words:
            return
        for token, (mine, theirs) in enumerate(zip(now.words, found, strict=True)):
            if mine != theirs.replace(" ", BLANK):
                start, stop = places[token]
                message = (
                    f"the word is '{mine}', but the text of document '{now.name}' has '{theirs}' at {start}–{stop}"
                )
                raise DataError(message, self.path, now.lines[token])


def _texts(block: Block, name: str) -> list[str]:
    """The values of a column."""
    return b"\n".join(block.fields[block.column(name)]).decode().split("\n") if len(block.rows) else []


def _spaced(now: _Open) -> tuple[str, list[Place]]:
    """A text made of the words with a blank between two and a line for each sentence, and their places in it."""
    lines = [" ".join(now.words[first:end]) for first, end in pairwise([*now.firsts, len(now.words)])]
    sizes = np.fromiter(map(len, now.words), np.int64, len(now.words))
    stops = np.cumsum(sizes + 1) - 1
    return "\n".join(lines).replace(BLANK, " "), [*zip((stops - sizes).tolist(), stops.tolist(), strict=True)]


def _joined(now: _Open) -> tuple[str, list[Place]]:
    """A text made of the words, and their places in it: those that are known, or as CoNLL-U spaces them."""
    words = [word.replace(BLANK, " ") for word in now.words]
    firsts = set(now.firsts)
    parts: list[str] = []
    places: list[Place] = []
    size = 0
    for token, word in enumerate(words):
        gap = "" if not token else "\n" if token in firsts else "" if now.glued and now.glued[token - 1] else " "
        if now.places:
            wide = now.places[token][0] - size
            gap = gap.strip(" ") + " " * (wide - len(gap.strip(" "))) if wide > 0 else ""
        parts += [gap, word]
        size += len(gap)
        places.append((size, size + len(word)))
        size += len(word)
    return "".join(parts), places
