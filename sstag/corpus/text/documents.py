"""Documents: a text with spans of characters, as every format that has such spans reads and writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sstag.corpus.text.tokenizer import Place
from sstag.foundation.json_values import Json

MANUAL, OPEN = "O", "?"  # what lies outside of the spans: no chunk, or nobody looked
RELATIONS, PROBABILITIES, ANNOTATORS = "relations", "probabilities", "names of annotators"
ATTRIBUTES, CHOICES, NOTES = "attributes", "choices", "notes"  # of spans; of texts; in words, of either
NORMALIZATIONS, RESULTS = "normalizations", "other results"  # of brat; of Label Studio, as they stand there
OF_TOKENS = "relations of tokens that are no spans"  # of Prodigy, as they stand there
REMARKS = (ATTRIBUTES, CHOICES, NOTES, NORMALIZATIONS, RESULTS, OF_TOKENS)


class Span(NamedTuple):  # made much quicker than a dataclass, and there are many of them
    """Characters start:stop (code points) and what they are: one label, or one of several."""

    start: int
    stop: int
    labels: tuple[str, ...]
    probability: float | None = None
    accepted: bool = True  # False: no such span is there
    pieces: tuple[Place, ...] = ()  # if it has several, with a gap between them


class Relation(NamedTuple):
    """A relation from one span to another one of the same annotator."""

    first: Span
    second: Span
    label: str


class Remark(NamedTuple):
    """Something besides a label that an annotator says of a span, or of the text as a whole if there is none."""

    span: Span | None
    kind: str  # of REMARKS
    name: str  # the attribute, or the question that a choice answers
    value: str | None = None  # None: the attribute is there, and has no value


@dataclass(frozen=True)
class Spans:
    """The spans that one annotator sees in a text; `rest` is what the tokens outside of them are, if that is known."""

    spans: tuple[Span, ...]
    by: str = ""
    rest: str | None = None
    relations: tuple[Relation, ...] = ()
    remarks: tuple[Remark, ...] = ()
    beside: int = 0  # tokens outside of them that have a label, or several, though the rest is open


@dataclass(frozen=True)
class Document:
    """A text, what annotators say of it, and its tokens and sentences if these are given."""

    id: str
    text: str
    said: tuple[Spans, ...] = ()  # none: nobody annotated it
    line: int = 1  # where it stands in its file
    tokens: Sequence[Place] | None = None
    starts: Sequence[int] | None = None  # the places where sentences begin
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)  # other columns of its tokens
    raw: bytes = b""  # what it was read from
    more: Mapping[str, Json] = field(default_factory=dict)  # what else its record says
    names: int = 0  # sentences that have names of their own
    unread: Mapping[str, int] = field(default_factory=dict)  # what its reader has no place for, and how often
