"""Sentences that leave their document: each becomes a document of its own, so that its spans still find their text.

    # document = letter-1:23                     the name of the document, and where in its text this sentence begins
    # from = 23                                  the columns `start` and `end` count from the start of that text
    # text = "It rained."

Without this, a sentence that stands behind one of another document would be taken for a part of that document.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.formats.columns import COMMENT
from sstag.corpus.parts import NONE, sentence_texts
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.document_comments import (
    DOCUMENT,
    FROM,
    MORE,
    TEXT,
    comments_of,
    object_said,
    place_said,
    text_said,
)
from sstag.corpus.text.documents import Document
from sstag.foundation.arrays import Bools, Longs
from sstag.foundation.json_values import Json

COMMENTS = tuple(comment.encode() for comment in (DOCUMENT, FROM, TEXT, MORE))


@dataclass(frozen=True)
class _Head:
    """The comments at the head of a document."""

    number: int = NONE
    name: str = ""
    text: str = ""
    begin: int = 0  # where the text begins in the one that the columns count in
    more: Mapping[str, Json] = field(default_factory=dict)

    def after(self, line: bytes) -> "_Head":
        """The head with what one more line says, if that is a comment about a document."""
        if line.startswith(COMMENTS[0]):
            return _Head(self.number + 1, text_said(line))
        if line.startswith(COMMENTS[1]):
            return replace(self, begin=place_said(line))
        if line.startswith(COMMENTS[2] + b'"'):
            return replace(self, text=text_said(line))
        return replace(self, more=object_said(line)) if line.startswith(COMMENTS[3]) else self


@dataclass(frozen=True)
class Sentence:
    """The bytes of a sentence with its comments, and the number of its document, or NONE."""

    text: bytes
    document: int = NONE
    head: _Head = _Head()
    start: int = 0  # of its first token, and the end of its last, as the columns count
    stop: int = 0

    def alone(self) -> bytes:
        """The bytes of the sentence as a document of its own."""
        lines = self.text.split(b"\n")
        end = "\r\n" if lines[0].endswith(b"\r") else "\n"
        head = self.head
        text = head.text[self.start - head.begin : self.stop - head.begin]
        named, *others = comments_of(Document(f"{head.name}:{self.start}", text, more=head.more))
        own = [named, f"{FROM}{self.start}", *others, ""]
        kept = b"\n".join(line for line in lines if not line.startswith(COMMENTS))
        return end.join(own).encode() + kept.lstrip(b"\r\n")


def sentences_of(blocks: Iterable[Block]) -> Iterator[Sentence]:
    """The sentences of a file; those of documents whose text is not known are in none."""
    head = _Head()
    for block in blocks:
        if not len(block.rows):
            continue
        known = {*PLACES[1:]} <= {*block.columns}
        starts, stops = (block.fields[block.column(one)] if known else [] for one in PLACES[1:])
        bounds = block.offsets.tolist()
        for place, text in enumerate(sentence_texts(block)):
            for line in text.split(b"\n"):
                if line.strip() and not COMMENT.match(line):
                    break  # what follows the last token is said of the next document
                head = head.after(line)
            ends = (starts[bounds[place]], stops[bounds[place + 1] - 1]) if known and head.text else ()
            if ends and all(end.isdigit() for end in ends):
                yield Sentence(text, head.number, head, *map(int, ends))
            else:
                yield Sentence(text)


def leaving(documents: Sequence[int], parts: Longs) -> Bools:
    """Which sentences leave their document, given the part of each: those of a document that is not in one part."""
    result = np.zeros(len(documents), bool)  # (S,)
    first = 0
    for document, group in groupby(documents):
        stop = first + len([*group])
        result[first:stop] = document != NONE and len(np.unique(parts[first:stop])) > 1
        first = stop
    return result
