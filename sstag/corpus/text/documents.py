"""Documents: a text with spans of characters, as every format that has such spans reads and writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sstag.corpus.text.tokenizer import Place
from sstag.foundation.json_values import Json

MANUAL, OPEN = "O", "?"  # what lies outside of the spans: no chunk, or nobody looked


class Span(NamedTuple):  # made much quicker than a dataclass, and there are many of them
    """Characters start:stop (code points) and what they are: one label, or one of several."""

    start: int
    stop: int
    labels: tuple[str, ...]
    probability: float | None = None
    accepted: bool = True  # False: no such span is there
    pieces: tuple[Place, ...] = ()  # if it has several, with a gap between them


@dataclass(frozen=True)
class Spans:
    """The spans that one annotator sees in a text; `rest` is what the tokens outside of them are, if that is known."""

    spans: tuple[Span, ...]
    by: str = ""
    rest: str | None = None


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
