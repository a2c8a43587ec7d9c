"""Series over the distinct words of a text, which are the same wherever in the text they are looked at.

A *series* is a term of a template without its offset: a source, a lexicon over a source, or an edge of the sentence.
Its values follow from the distinct values of the columns, so that strings are touched once for each of these, and once
for all parts of a text that is looked at in parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sstag.features.attribute_tables import UNSEEN
from sstag.features.lexicon_places import PLACES
from sstag.features.template import Clustered, Edge, Joined, Listed, Similar, Source, Template, Text, Worded
from sstag.features.word_functions import WORD_FUNCTIONS, YES
from sstag.foundation.arrays import Ints
from sstag.foundation.errors import DataError
from sstag.foundation.grouping import ABSENT

Series = Source | Listed | Similar | Clustered | Edge


def series_of(term: Worded) -> Series:
    """The series of a term, which does not depend on the offset."""
    match term:
        case Text():
            return term.source
        case Listed() | Similar() | Clustered():
            return replace(term, offset=0)
    return term


@dataclass(frozen=True, eq=False)
class Known:
    """A series over distinct words: its values, and which of them each word has."""

    values: list[str]
    of_code: Ints | None  # by the code of the column or, of words that are near others, of the source; None: the same
    outside: Mapping[int, int] = field(default_factory=dict)  # distance beyond the sentence (-1, +1, …) → code


class Words:
    """The distinct values of the columns of a text, and every series of a template over them, each made once."""

    def __init__(self, template: Template, columns: Sequence[str], values: Sequence[list[str]], path: str) -> None:
        self.template, self.columns, self.distinct, self.path = template, tuple(columns), tuple(values), path
        self._known: dict[Series, Known] = {}
        self._texts: dict[Source, Sequence[str | None]] = {}
        self._numbers: dict[tuple[Series, int], tuple[Mapping[str, int], Ints]] = {}
        self._reach = _farthest(template)

    def values(self, series: Series) -> list[str]:
        """The distinct values of a series, by code."""
        match series:
            case Listed():
                return list(PLACES)
            case Edge():
                return [YES]
        return self.of(series).values

    def of(self, series: Source | Similar | Clustered) -> Known:
        """A series over the words."""
        if series not in self._known:
            match series:
                case Source():
                    self._known[series] = self._by_functions(series)
                case Similar():
                    self._known[series] = self._similar(series)
                case Clustered():
                    self._known[series] = self._clustered(series)
        return self._known[series]

    def numbers(self, series: Series, numbers: Mapping[str, int]) -> Ints:
        """The numbers that others give the values of a series, UNSEEN where they give none; the last is for ABSENT."""
        key = series, id(numbers)
        if key not in self._numbers:
            found = np.array([*(numbers.get(value, UNSEEN) for value in self.values(series)), ABSENT], np.int32)
            self._numbers[key] = numbers, found  # which keeps them alive, and so their identity
        return self._numbers[key][1]

    def column(self, column: int) -> int:
        """The index in the text of a column of the template, found by its name if it has one."""
        here, label = self.columns, self.template.label
        names = self.template.columns or here
        name = names[column] if column < len(names) else None
        if name not in here or name == label:
            which = f"'{name}'" if self.template.columns and name else f"column {column}, counted from 0"
            there = ", ".join(one for one in here if one != label)
            raise DataError(f"the template looks at {which}; here are {there}, and the label", self.path)
        return here.index(name)

    def _by_functions(self, source: Source) -> Known:
        """The series of a column and the functions of it."""
        texts = self._texts_of(source)
        total = all(WORD_FUNCTIONS[name].total for name, _ in source.functions)
        number: dict[str, int] = {}
        of_code = np.array(
            [ABSENT if text is None else number.setdefault(text, len(number)) for text in texts], np.int32
        )
        outside = {}
        if total:
            before, after = self._reach[source]
            for distance in (*range(-1, -before - 1, -1), *range(1, after + 1)):
                outside[distance] = number.setdefault(f"_B{distance:+d}", len(number))
        return Known(list(number), of_code if source.functions else None, outside)

    def _texts_of(self, source: Source) -> Sequence[str | None]:
        """The value of a source for each distinct word; the values that another function takes are kept."""
        if not source.functions:
            return self.distinct[self.column(source.column)]
        *inner, (name, argument) = source.functions
        of = Source(source.column, tuple(inner))
        if inner and of not in self._texts:
            self._texts[of] = self._texts_of(of)
        made = WORD_FUNCTIONS[name].made(argument)
        return [None if text is None else made(text) for text in self._texts.get(of) or self._texts_of(of)]

    def _similar(self, series: Similar) -> Known:
        words, near = self.values(series.source), self.template.similar[series.of]
        number: dict[str, int] = {}
        of_code = np.full(len(words) + 1, ABSENT, np.int32)
        for code, word in enumerate(words):
            prototypes = near.get(word, ())
            if series.rank < len(prototypes):
                of_code[code] = number.setdefault(prototypes[series.rank], len(number))
        return Known(list(number), of_code)

    def _clustered(self, series: Clustered) -> Known:
        words, clusters = self.values(series.source), self.template.clusters[series.clusters]
        number: dict[str, int] = {}
        of_code = np.full(len(words) + 1, ABSENT, np.int32)
        for code, word in enumerate(words):
            if path := clusters.path(word):
                of_code[code] = number.setdefault(path[: series.length], len(number))
        return Known(list(number), of_code)


def _farthest(template: Template) -> dict[Source, tuple[int, int]]:
    """The farthest distances before and after a token at which the terms of each source look."""
    reach = {feature.source: (0, 0) for feature in template.dense if isinstance(feature.source, Source)}
    joined = (feature.source.texts for feature in template.dense if isinstance(feature.source, Joined))
    for terms in (*(feature.terms for feature in (*template.features, *template.edges.features)), *joined):
        for term in terms:
            if isinstance(term, Text | Listed | Similar | Clustered):
                before, after = reach.get(term.source, (0, 0))
                offset = (term.offset or 0) if isinstance(term, Text) else 0
                reach[term.source] = (max(before, -offset), max(after, offset))
    return reach
