"""The values of a template's terms in a corpus: an integer for each token, with no string made per token.

The values of a series are found once per distinct word (`series.py`); those of a term are the values of its series,
shifted by the offset.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.lexicon_places import PLACES, lexicon_places
from sstag.features.series import Series, Words, series_of
from sstag.features.template import END, Clustered, Edge, Joined, Listed, Number, Similar, Source, Template, Worded
from sstag.features.word_functions import WORD_FUNCTIONS, YES
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.grouping import ABSENT
from sstag.foundation.ranges import place_in_row

NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)


@dataclass
class _Derived:
    """A series over a corpus: its distinct values, and the index of each token's value, or ABSENT."""

    values: list[str]
    codes: Ints  # (T,)
    outside: Mapping[int, int] = field(default_factory=dict)  # distance beyond the sentence (-1, +1, …) → code


class View:
    """A corpus seen through a template. Each series is computed once.

    Parts of a text that have the same distinct values can share what these tell, its `words`.
    """

    def __init__(self, corpus: Corpus, template: Template, words: Words | None = None) -> None:
        self.corpus, self.template = corpus, template
        self.words = words or Words(template, corpus.columns, corpus.values, corpus.path)
        lengths = np.diff(corpus.offsets)
        self.since = place_in_row(corpus.offsets)  # tokens before, in sentence
        self._until = np.repeat(lengths, lengths) - 1 - self.since  # tokens after
        self._last = np.arange(corpus.tokens) + self._until  # where the sentence's last token is
        self._derived: dict[Series, _Derived] = {}

    def values(self, series: Series) -> list[str]:
        """The distinct values of a series here, by code."""
        return self.words.values(series)

    def codes(self, term: Worded) -> Ints:
        """The value of a term at each token, as an index into `values`, or ABSENT."""  # (T,)
        derived = self._of(series_of(term))
        if isinstance(term, Edge) or term.offset == 0:
            return derived.codes
        if term.offset is END:
            return np.take(derived.codes, self._last)
        return self._shifted(derived, term.offset)

    def numbers(self, term: Number) -> tuple[Floats, Bools]:
        """The number in a column at each token, and whether there is a token at that offset."""  # (T,), (T,)
        column = self.words.column(term.column)
        numbers = np.full(len(self.corpus.values[column]), np.nan)
        for code, value in enumerate(self.corpus.values[column]):
            if NUMBER.fullmatch(value) and math.isfinite(float(value)):
                numbers[code] = float(value)
        codes = self.corpus.codes[column]
        wrong = np.flatnonzero(np.isnan(numbers[codes]))
        if len(wrong):
            shown = self.corpus.values[column][codes[wrong[0]]]
            name = self.corpus.columns[column]
            raise DataError(f"'{shown}' in column '{name}' is no number", *self.corpus.place(wrong[0]))
        at = self.moved(np.arange(self.corpus.tokens, dtype=np.int32), term.offset or 0)
        if term.offset is END:
            at = self._last.astype(np.int32)
        return np.where(at == ABSENT, 0.0, numbers[codes[at]]), at != ABSENT

    def own_values(self, source: Source | Joined) -> tuple[Ints, list[str]]:
        """The value of a source at each token itself, or ABSENT, and what the codes stand for."""  # (T,)
        if isinstance(source, Joined):
            return self._joined(source)
        derived = self._of(source)
        return derived.codes, derived.values

    def moved(self, codes: Ints, offset: int) -> Ints:
        """The number of the token at an offset, or ABSENT beyond the sentence."""  # (T,)
        return codes if offset == 0 else self._shifted(_Derived([], codes), offset)

    def nearby(self, column: int, offset: int) -> tuple[Longs, int]:
        """Numbers for the values of a column at an offset, also outside the sentence, and their bound."""  # (T,)
        index = self.words.column(column)
        count = len(self.corpus.values[index])
        room = self.since if offset < 0 else self._until
        beyond = np.maximum(abs(offset) - room, 0)
        at = np.clip(np.arange(self.corpus.tokens) + offset, 0, max(self.corpus.tokens - 1, 0))
        return np.where(beyond > 0, count + beyond - 1, self.corpus.codes[index][at]), count + abs(offset)

    def _shifted(self, derived: _Derived, offset: int) -> Ints:
        result = np.full(len(derived.codes), ABSENT, np.int32)
        room = self.since if offset < 0 else self._until
        beyond = np.flatnonzero(room < abs(offset))
        if offset < 0:
            result[-offset:] = derived.codes[:offset]
        elif offset < len(result):
            result[: len(result) - offset] = derived.codes[offset:]
        if not derived.outside:
            result[beyond] = ABSENT
        elif offset < 0:
            table = np.array([derived.outside[-distance] for distance in range(1, -offset + 1)], np.int32)
            result[beyond] = table[-offset - 1 - self.since[beyond]]
        else:
            table = np.array([derived.outside[distance] for distance in range(1, offset + 1)], np.int32)
            result[beyond] = table[offset - 1 - self._until[beyond]]
        return result

    def _of(self, series: Series) -> _Derived:
        if series not in self._derived:
            match series:
                case Source():
                    known, codes = self.words.of(series), self.corpus.codes[self.words.column(series.column)]
                    own = codes if known.of_code is None else known.of_code[codes]
                    self._derived[series] = _Derived(known.values, own, known.outside)
                case Similar() | Clustered():
                    known = self.words.of(series)
                    assert known.of_code is not None
                    self._derived[series] = _Derived(known.values, known.of_code[self._of(series.source).codes])
                case Listed():
                    self._derived[series] = _Derived(list(PLACES), self._listed(series))
                case Edge():
                    room = self._until if series.last else self.since
                    self._derived[series] = _Derived([YES], np.where(room == 0, 0, ABSENT).astype(np.int32))
        return self._derived[series]

    def _joined(self, source: Joined) -> tuple[Ints, list[str]]:
        """The values of several sources as one, in the order in which they first occur here."""
        having = np.flatnonzero(np.logical_and.reduce([self.codes(text) != ABSENT for text in source.texts]))
        rows = np.zeros(len(having), np.int64)
        for text in source.texts:
            rows = rows * len(self.values(text.source)) + self.codes(text)[having]
            _, first, rows = np.unique(rows, return_index=True, return_inverse=True)
        values = [[self.values(text.source)[code] for code in self.codes(text)[having[first]]] for text in source.texts]
        texts = ["|".join(row) for row in zip(*values, strict=True)]
        number: dict[str, int] = {}
        order = np.argsort(first).tolist()
        number_of_row = np.zeros(len(texts), np.int32)
        number_of_row[order] = [number.setdefault(texts[row], len(number)) for row in order]
        codes = np.full(self.corpus.tokens, ABSENT, np.int32)
        codes[having] = number_of_row[rows]
        return codes, list(number)

    def _listed(self, series: Listed) -> Ints:
        derived = self._of(series.source)
        entries = self.template.lexica[series.lexicon]
        for name, argument in series.source.functions:
            made = WORD_FUNCTIONS[name].made(argument)
            entries = tuple(tuple(made(word) or "" for word in entry) for entry in entries)
        return lexicon_places(entries, derived.values, derived.codes, self.corpus.offsets)
