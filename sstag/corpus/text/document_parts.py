"""Sentences that leave their document: each becomes a document of its own, so that its spans still find their text.

    # document = letter-1:23                     the name of the document, and where in its text this sentence begins
    # from = 23                                  the columns `start` and `end` count from the start of that text
    # text = "It rained."

Without this, a sentence that stands behind one of another document would be taken for a part of that document.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.parts import NONE, sentence_texts
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.document_comments import COMMENTS, NO_HEAD, Head, may_have_comments
from sstag.foundation.arrays import Bools, Longs
from sstag.foundation.whole_numbers import whole_number


@dataclass(frozen=True)
class Stand:
    """Where a sentence stands: the head of its document, and its first and last character as the columns count."""

    head: Head = NO_HEAD
    start: int = 0
    stop: int | None = None  # None: the places of its words, or the text of its document, are not known

    @property
    def own_head(self) -> Head:
        """The head of the sentence as a document of its own."""
        if self.stop is None or self.head.text is None:
            return replace(self.head, text=None)
        begin = self.head.begin
        text = self.head.text[self.start - begin : self.stop - begin]
        return replace(self.head, name=f"{self.head.name}:{self.start}", text=text, begin=self.start)


@dataclass(frozen=True)
class Sentence:
    """The bytes of a sentence with its comments, and where it stands."""

    text: bytes
    stand: Stand

    @property
    def document(self) -> int:
        """The number of its document; NONE if it can be in any place of the file."""
        return NONE if self.stand.stop is None else self.stand.head.number

    def alone(self) -> bytes:
        """The bytes of the sentence as a document of its own."""
        lines = self.text.split(b"\n")
        end = "\r\n" if lines[0].endswith(b"\r") else "\n"
        kept = b"\n".join(line for line in lines if not line.startswith(COMMENTS))
        return end.join([*self.stand.own_head.comments, ""]).encode() + kept.lstrip(b"\r\n")


def sentences_of(blocks: Iterable[Block]) -> Iterator[Sentence]:
    """The sentences of a file."""
    for block, stands in with_stands(blocks):
        if stands:
            yield from map(Sentence, sentence_texts(block), stands)


def with_stands(blocks: Iterable[Block]) -> Iterator[tuple[Block, list[Stand]]]:
    """Each block of a file, and where its sentences stand."""
    head = NO_HEAD
    for block in blocks:
        places = PLACES[1:] if {*PLACES[1:]} <= {*block.columns} and len(block.rows) else ()
        starts, stops = ([block.fields[block.column(one)] for one in places]) or ([], [])
        *before, after = block.between
        if head.number == NONE and not may_have_comments(block):
            yield block, [Stand()] * len(before)
            continue
        stands = []
        for lines, (begin, end) in zip(before, pairwise(block.offsets.tolist()), strict=True):
            head = head.after_all(lines)
            ends = (starts[begin], stops[end - 1]) if places and head.text else ()
            numbers = [number for number in map(whole_number, ends) if number is not None]
            stands.append(Stand(head, *numbers) if len(numbers) == len(PLACES[1:]) else Stand(head))
        head = head.after_all(after)
        yield block, stands


def leaving(documents: Sequence[int], parts: Longs) -> Bools:
    """Which sentences leave their document, given the part of each: those of a document that is not in one part."""
    result = np.zeros(len(documents), bool)  # (S,)
    first = 0
    for document, group in groupby(documents):
        stop = first + len([*group])
        result[first:stop] = document != NONE and len(np.unique(parts[first:stop])) > 1
        first = stop
    return result
