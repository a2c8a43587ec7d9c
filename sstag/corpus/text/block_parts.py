"""Parts of documents that stand in one block: their words and places, and the spans of each annotator.

Places are computed for all tokens and spans of a block at once, and counted from the beginning of a document when a
part is taken out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import repeat

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.column_names import ALIASES
from sstag.corpus.text.documents import Span
from sstag.corpus.text.word_places import Part, WordPlaces, texts_of, word_places
from sstag.foundation.arrays import Bools, Longs

MADE = partial(tuple.__new__, Span)  # without a call of Python for each: there are many spans


@dataclass(frozen=True, eq=False)
class Labelling:
    """The spans of one annotator in a block, in order: span i is tokens first[i]:stop[i]. Other tokens may be open."""

    by: str
    first: Longs
    stop: Longs
    labels: Sequence[tuple[str, ...]]
    open: Bools  # (T,)
    probability: Sequence[float] | None = None
    silent: Bools | None = None  # (T,) the open tokens of which nothing is said; None: all of them


class BlockParts:
    """The words, spans and columns of a block, of which a document takes its sentences."""

    def __init__(self, block: Block, said: Sequence[Labelling], kept: Sequence[str]) -> None:
        self.places = word_places(block)
        self._lines = block.lines
        self._offsets = block.offsets.tolist()
        self._starts = self.places.starts[block.offsets[:-1]].tolist()
        wanted = {ALIASES.get(name, name): name for name in kept}
        self.columns = {
            wanted[own]: texts_of(block, name) for name in block.columns if (own := ALIASES.get(name, name)) in wanted
        }
        self._said = [_Characters(one, block.offsets, self._starts, self.places) for one in said]

    def start(self, sentence: int) -> int:
        """The place where a sentence begins."""
        start: int = self._starts[sentence]
        return start

    def part(self, first: int, stop: int, base: int) -> Part:
        """The words of some sentences, whose places count from `base`."""
        begin, end = self._offsets[first], self._offsets[stop]
        return Part(self.places, begin, end, base, self._offsets[first:stop], self._lines)

    def of_sentences(self, column: Sequence[str], first: int, stop: int) -> Sequence[str]:
        """The values of a column in some sentences."""
        return column[self._offsets[first] : self._offsets[stop]]

    def spans(self, annotator: int, first: int, stop: int, base: int) -> list[Span]:
        """The spans of some sentences, whose places count from `base`."""
        return self._said[annotator].spans(first, stop, base)

    def beside(self, annotator: int, first: int, stop: int) -> int:
        """How many tokens of these sentences are in no span and have a label, or several, that is said of them."""
        said = self._said[annotator]
        return said.unsure and int(said.labelled[self._offsets[first] : self._offsets[stop]].sum())

    def is_open(self, annotator: int, first: int, stop: int) -> bool:
        """Whether some token of these sentences is open."""
        said = self._said[annotator]
        return said.unsure and bool(said.open[self._offsets[first] : self._offsets[stop]].any())


class _Characters:
    """The spans of one annotator in a block, by characters."""

    def __init__(self, said: Labelling, offsets: Longs, begins: list[int], places: WordPlaces) -> None:
        bounds = np.searchsorted(said.first, offsets)
        self._bounds, self._begins = bounds.tolist(), begins
        begin = np.repeat(np.array(begins, np.int64), np.diff(bounds))  # of the sentence of each span
        starts, stops = places.starts[said.first] - begin, places.stops[said.stop - 1] - begin
        sure: Iterable[float | None] = said.probability or repeat(None)
        each = zip(starts.tolist(), stops.tolist(), said.labels, sure, repeat(True), repeat(()), strict=False)
        self._spans: list[Span] = list(map(MADE, each))  # counted from the beginning of their sentence
        self.open, self.unsure = said.open, bool(said.open.any())
        self._said = said

    @cached_property
    def labelled(self) -> Bools:
        """The tokens in no span of which something is said."""  # (T,)
        said = self._said
        spans = np.zeros(len(said.open) + 1, np.int64)
        np.add.at(spans, said.first, 1)
        np.add.at(spans, said.stop, -1)
        return ~((np.cumsum(spans)[:-1] > 0) | (said.open if said.silent is None else said.silent))

    def spans(self, first: int, stop: int, base: int) -> list[Span]:
        found: list[Span] = []
        for sentence in range(first, stop):
            own, moved = self._spans[self._bounds[sentence] : self._bounds[sentence + 1]], self._begins[sentence] - base
            if moved:
                own = [MADE((start + moved, end + moved, *rest)) for start, end, *rest in own]
            found += own
        return found
