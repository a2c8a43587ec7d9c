"""Rows of the store: texts, sessions, questions, events and models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sstag.foundation.json_values import Json


@dataclass(frozen=True)
class Provenance:
    """Where a text comes from, as far as its file tells it: a name, and the characters that its words stand in.

    Texts of the same words are one text, which has the names of all of them.
    """

    names: Sequence[str] = ()
    text: str | None = None  # as it was written
    begin: int = 0  # where that begins in the document that it was taken from
    starts: Sequence[int] | None = None  # the first character of each token, counted from there


@dataclass(frozen=True)
class Text:
    """A text of the pool: its words and the other columns that the template reads."""

    hash: str
    columns: Mapping[str, Sequence[str]]
    word: str  # the column of the words
    joined: Sequence[int] | None = None  # the tokens that follow without a blank, if that is known
    id: int = 0  # in the store
    origin: Provenance = field(default_factory=Provenance)

    @property
    def tokens(self) -> Sequence[str]:
        return self.columns[self.word]

    @property
    def name(self) -> str:
        """The name that the text had in its file; a text of a project that kept no names is called by its hash."""
        return next(iter(self.origin.names), self.hash)

    def named(self, names: Sequence[str]) -> "Text":
        """The text with further names."""
        every = tuple(dict.fromkeys([*self.origin.names, *names]))
        return replace(self, origin=replace(self.origin, names=every))

    @property
    def shown(self) -> dict[str, Json]:
        """The name, the tokens and their spacing, as the API has them."""
        joined: Json = None if self.joined is None else [*self.joined]
        return {"name": self.name, "tokens": [*self.tokens], "joined": joined}


@dataclass(frozen=True)
class Session:
    """An annotator at work."""

    id: int
    annotator: int
    name: str


@dataclass(frozen=True)
class Question:
    """A text that an annotator is asked about, with what a model, or another tool, suggested when that was decided."""

    text: Text
    model: int | None
    strategy: str
    shown: Mapping[str, Json]
    id: int = 0


@dataclass(frozen=True)
class Event:
    """An answer that counts."""

    id: int
    at: float
    annotator: str
    kind: str
    thing: str
    said: Json
    seconds: float
    text: str | None  # its hash
    question: int | None
    model: int | None
    shown: Mapping[str, Json]  # `page` is what the answer brought, the rest what was suggested


@dataclass(frozen=True)
class Trained:
    """A model of a project."""

    id: int
    file: str
    made: float
    event: int  # the last event that it learned from
    said: Mapping[str, Json]  # figures, effects, …


def in_context(text: Text, first: int, stop: int, around: int) -> dict[str, Json]:
    """The tokens of a span and some on either side of it; `joined` counts from the first of them all."""
    begin, tokens = max(first - around, 0), text.tokens
    behind = tokens[stop : stop + around]
    end = stop + len(behind)
    joined: Json = None if text.joined is None else [at - begin for at in text.joined if begin < at < end]
    return {
        "before": [*tokens[begin:first]],
        "tokens": [*tokens[first:stop]],
        "behind": [*behind],
        "joined": joined,
    }
