"""The values of a template's terms in a corpus: an integer for each token, with no string made per token.

A *series* is a term without its offset: a source, a lexicon over a source, or an edge of the sentence. The values of a
series are computed once per distinct word; the values of a term are those of its series, shifted by the offset.
"""

import math
import re
from dataclasses import dataclass, field, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.lexicon_places import PLACES, lexicon_places
from sstag.features.template import END, Clustered, Edge, Listed, Number, Similar, Source, Template, Text, Worded
from sstag.features.word_functions import WORD_FUNCTIONS, YES
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.grouping import ABSENT
from sstag.foundation.ranges import place_in_row

Series = Source | Listed | Similar | Clustered | Edge
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def series_of(term: Worded) -> Series:
    """The series of a term, which does not depend on the offset."""
    match term:
        case Text():
            return term.source
        case Listed() | Similar() | Clustered():
            return replace(term, offset=0)
    return term


@dataclass
class _Derived:
    """A series over a corpus: its distinct values, and the index of each token's value, or ABSENT."""

    values: list[str]
    codes: Ints  # (T,)
    outside: dict[int, int] = field(default_factory=dict)  # distance beyond the sentence (-1, +1, …) → code


class View:
    """A corpus seen through a template. Each series is computed once."""

    def __init__(self, corpus: Corpus, template: Template) -> None:
        self.corpus, self.template = corpus, template
        lengths = np.diff(corpus.offsets)
        self.since = place_in_row(corpus.offsets)  # tokens before, in sentence
        self._until = np.repeat(lengths, lengths) - 1 - self.since  # tokens after
        self._last = np.arange(corpus.tokens) + self._until  # where the sentence's last token is
        self._derived: dict[Series, _Derived] = {}
        self._reach = _farthest(template)

    def values(self, series: Series) -> list[str]:
        """The distinct values of a series here, by code."""
        return self._of(series).values

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
        column = self._column(term.column)
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

    def own_values(self, source: Source) -> tuple[Ints, list[str]]:
        """The value of a source at each token itself, or ABSENT, and what the codes stand for."""  # (T,)
        derived = self._of(source)
        return derived.codes, derived.values

    def moved(self, codes: Ints, offset: int) -> Ints:
        """The number of the token at an offset, or ABSENT beyond the sentence."""  # (T,)
        return codes if offset == 0 else self._shifted(_Derived([], codes), offset)

    def nearby(self, column: int, offset: int) -> tuple[Longs, int]:
        """Numbers for the values of a column at an offset, also outside the sentence, and their bound."""  # (T,)
        index = self._column(column)
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
                    self._derived[series] = self._words(series)
                case Listed():
                    self._derived[series] = self._listed(series)
                case Similar():
                    self._derived[series] = self._similar(series)
                case Clustered():
                    self._derived[series] = self._clustered(series)
                case Edge():
                    room = self._until if series.last else self.since
                    self._derived[series] = _Derived([YES], np.where(room == 0, 0, ABSENT).astype(np.int32))
        return self._derived[series]

    def _column(self, column: int) -> int:
        """The index in the corpus of a column of the template, found by its name if it has one."""
        names, here = self.template.columns, self.corpus.columns
        name = names[column] if names else here[column] if column < len(here) else None
        if name not in here or name == self.template.label:
            which = f"'{name}'" if names else f"column {column}, counted from 0"
            there = ", ".join(one for one in here if one != self.template.label)
            raise DataError(f"the template looks at {which}; here are {there}, and the label", self.corpus.path)
        return here.index(name)

    def _words(self, source: Source) -> _Derived:
        """The series of a column and the functions of it."""
        column = self._column(source.column)
        texts: list[str | None] = list(self.corpus.values[column])
        total = True
        for name, argument in source.functions:
            function = WORD_FUNCTIONS[name]
            made = function.made(argument)
            texts = [None if text is None else made(text) for text in texts]
            total = total and function.total
        number: dict[str, int] = {}
        of_code = np.array(
            [ABSENT if text is None else number.setdefault(text, len(number)) for text in texts], np.int32
        )
        outside = {}
        if total:
            before, after = self._reach[source]
            for distance in (*range(-1, -before - 1, -1), *range(1, after + 1)):
                outside[distance] = number.setdefault(f"_B{distance:+d}", len(number))
        codes = of_code[self.corpus.codes[column]] if source.functions else self.corpus.codes[column]
        return _Derived(list(number), codes, outside)

    def _listed(self, series: Listed) -> _Derived:
        derived = self._of(series.source)
        entries = self.template.lexica[series.lexicon]
        for name, argument in series.source.functions:
            made = WORD_FUNCTIONS[name].made(argument)
            entries = tuple(tuple(made(word) or "" for word in entry) for entry in entries)
        return _Derived(list(PLACES), lexicon_places(entries, derived.values, derived.codes, self.corpus.offsets))

    def _similar(self, series: Similar) -> _Derived:
        derived, near = self._of(series.source), self.template.similar[series.of]
        number: dict[str, int] = {}
        of_code = np.full(len(derived.values) + 1, ABSENT, np.int32)
        for code, word in enumerate(derived.values):
            prototypes = near.get(word, ())
            if series.rank < len(prototypes):
                of_code[code] = number.setdefault(prototypes[series.rank], len(number))
        return _Derived(list(number), of_code[derived.codes])

    def _clustered(self, series: Clustered) -> _Derived:
        derived, clusters = self._of(series.source), self.template.clusters[series.clusters]
        number: dict[str, int] = {}
        of_code = np.full(len(derived.values) + 1, ABSENT, np.int32)
        for code, word in enumerate(derived.values):
            if path := clusters.path(word):
                of_code[code] = number.setdefault(path[: series.length], len(number))
        return _Derived(list(number), of_code[derived.codes])


def _farthest(template: Template) -> dict[Source, tuple[int, int]]:
    """The farthest distances before and after a token at which the terms of each source look."""
    reach = {feature.source: (0, 0) for feature in template.dense if feature.source}
    for feature in (*template.features, *template.edges.features):
        for term in feature.terms:
            if isinstance(term, Text | Listed | Similar | Clustered):
                before, after = reach.get(term.source, (0, 0))
                offset = (term.offset or 0) if isinstance(term, Text) else 0
                reach[term.source] = (max(before, -offset), max(after, offset))
    return reach
