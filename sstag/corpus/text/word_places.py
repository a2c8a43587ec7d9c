"""Words of a block and where they stand in a text: as the columns `start` and `end` say, or as a text of them has them.

A text that is made of words has a blank between two of them, unless CoNLL-U says otherwise (`spacing.py`), and a line
for each sentence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import overload

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coded
from sstag.corpus.column_names import ALIASES
from sstag.corpus.text.document_blocks import PLACES
from sstag.corpus.text.spacing import LINE_END, WITHIN, Spaces, spaces_in
from sstag.corpus.text.span_labels import BLANK
from sstag.corpus.text.tokenizer import Place
from sstag.foundation.arrays import Longs
from sstag.foundation.errors import DataError
from sstag.foundation.whole_numbers import whole_number


@dataclass(frozen=True, eq=False)
class WordPlaces:
    """The words of a block, and for each the character where it starts and the one after its end.

    `given` are places that columns say. Others count from the first word of the block; `even` are those with one
    character between any two words.
    """

    words: list[str]
    starts: Longs  # (T,)
    stops: Longs  # (T,)
    given: bool = False
    even: bool = True
    spaces: Spaces | None = None  # of CoNLL-U, if it says any


def word_places(block: Block) -> WordPlaces:
    """The words of a block and their places."""
    if not len(block.rows):
        return WordPlaces([], np.zeros(0, np.int64), np.zeros(0, np.int64))
    known = [ALIASES.get(name, name) for name in block.columns]
    words = texts_of(block, block.columns[known.index("form") if "form" in known else 0])
    if {*PLACES[1:]} <= {*block.columns}:
        starts, stops = (_numbers(block, name) for name in PLACES[1:])
        return WordPlaces(words, starts, stops, given=True, even=False)
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    if "misc" not in block.columns:
        stops = np.cumsum(sizes + 1) - 1
        return WordPlaces(words, stops - sizes, stops)
    spaces = spaces_in(texts_of(block, "misc"))
    gaps = np.ones(len(words), np.int64)  # also at the end of a line
    if spaces:
        gaps[[*spaces.touching]] = 0
        gaps[block.offsets[1:] - 1] = 1
        gaps[[*spaces.after]] = [len(text) for text in spaces.after.values()]
    stops = np.cumsum(sizes + gaps) - gaps
    return WordPlaces(words, stops - sizes, stops, even=spaces is None, spaces=spaces)


def texts_of(block: Block, name: str) -> list[str]:
    """The values of a column."""
    values = block.fields[block.column(name)] if len(block.rows) else []
    if isinstance(values, Coded):
        return values.each([value.decode() for value in values.distinct])
    return b"\n".join(values).decode().split("\n") if values else []


def _numbers(block: Block, name: str) -> Longs:
    """The values of a column of places."""
    values = block.fields[block.column(name)]
    numbers = np.empty(len(values), np.int64)
    for token, value in enumerate(values):
        number = whole_number(value)
        if number is None:
            said = f"'{value.decode()}' is no place of a token (column {name})"
            raise DataError(said, block.path, int(block.lines[token]))
        numbers[token] = number
    return numbers


def text_of_words(words: Sequence[str], firsts: Sequence[int], places: tuple[Longs, Longs] | None) -> str | None:
    """The text of words, a line for each sentence, given the first word of each; None if they have no room there.

    Without places there is one character between any two words.
    """
    if places is None:
        lines = (" ".join(words[first:stop]) for first, stop in pairwise([*firsts, len(words)]))
        return "\n".join(lines).replace(BLANK, " ")
    starts, stops = places
    gaps = starts - np.concatenate([[0], stops[:-1]])
    if (gaps < 0).any() or [*map(len, words)] != (stops - starts).tolist():
        return None
    between = [" " * gap for gap in gaps.tolist()]
    for first in firsts[1:]:
        between[first] = between[first] and "\n" + between[first][1:]
    return "".join(gap + word for gap, word in zip(between, words, strict=True)).replace(BLANK, " ")


def text_of_spaces(parts: "Sequence[Part]") -> str:
    """The text of words whose spacing CoNLL-U says."""
    found = list[str]()
    for number, part in enumerate(parts):
        spaces, firsts = part.places.spaces or Spaces({}, {}, {}, frozenset()), {*part.firsts[1:], part.end}
        if not number:
            found.append(spaces.before.get(part.begin, ""))
        for token in range(part.begin, part.end):
            found.append(spaces.inside.get(token) or part.places.words[token].replace(BLANK, " "))
            usual = LINE_END if token + 1 in firsts else "" if token in spaces.touching else WITHIN
            is_last = number + 1 == len(parts) and token + 1 == part.end
            found.append(spaces.after.get(token, "" if is_last else usual))
    return "".join(found)


@dataclass(frozen=True, eq=False)
class Part:
    """Words begin:end of a block, whose places in a document are those in the block, less `base`."""

    places: WordPlaces
    begin: int
    end: int
    base: int
    firsts: list[int]  # the first word of each sentence
    lines: Longs  # of all words of the block

    @property
    def words(self) -> list[str]:
        """The words."""
        return self.places.words[self.begin : self.end]

    @property
    def size(self) -> int:
        """The place in the document where the last word ends."""
        return int(self.places.stops[self.end - 1]) - self.base

    @property
    def lead(self) -> int:
        """The number of characters that stand before the first word, if it begins a text."""
        spaces = self.places.spaces
        return len(spaces.before.get(self.begin, "")) if spaces else 0

    @property
    def tail(self) -> int:
        """The number of characters that stand after the last word, if another one follows."""
        spaces = self.places.spaces
        return len(spaces.after.get(self.end - 1, LINE_END)) if spaces else len(LINE_END)


class Pairs(Sequence[Place]):
    """The places of the words of some parts, as pairs that are made when somebody looks at them: few formats do."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(part.end - part.begin for part in self._parts)

    @overload
    def __getitem__(self, place: int) -> Place: ...
    @overload
    def __getitem__(self, place: slice) -> list[Place]: ...
    def __getitem__(self, place: int | slice) -> Place | list[Place]:
        return self._pairs[place]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._pairs)

    @cached_property
    def _pairs(self) -> list[Place]:
        starts, stops = self.arrays
        return list(zip(starts.tolist(), stops.tolist(), strict=True))

    @cached_property
    def arrays(self) -> tuple[Longs, Longs]:
        """Where the words start, and where they end."""

        def joined(name: str) -> Longs:
            parts = [getattr(part.places, name)[part.begin : part.end] - part.base for part in self._parts]
            return np.concatenate(parts or [np.zeros(0, np.int64)])

        return joined("starts"), joined("stops")

    def firsts(self) -> list[int]:
        """The first word of each sentence, counted in all parts."""
        found: list[int] = []
        size = 0
        for part in self._parts:
            found += [first - part.begin + size for first in part.firsts]
            size += part.end - part.begin
        return found

    def line(self, word: int) -> int:
        """The line that a word stands on."""
        for part in self._parts:
            if word < part.end - part.begin:
                break
            word -= part.end - part.begin
        return int(part.lines[part.begin + word])
