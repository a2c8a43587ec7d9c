"""Attributes of different features that have the same text, and therefore are one attribute.

Texts are made only where two attributes could have the same: of features whose text begins like that of another one,
and of values that contain a character that stands between values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.features.series import Series, series_of
from sstag.features.template import Feature, Number, Worded
from sstag.foundation.arrays import Bools, Ints, Longs


@dataclass(frozen=True)
class Found:
    """The distinct attributes of one feature."""

    components: Ints  # (A_f, terms)
    first: Longs  # (A_f,) the first token that has it
    counts: Longs  # (A_f,)


def worded(feature: Feature) -> list[Worded]:
    """The terms whose values are in the text of an attribute; numbers only weigh it."""
    return [term for term in feature.terms if not isinstance(term, Number)]


def text_of(feature: Feature, words: Sequence[str]) -> str:
    """The text of an attribute from the values of its terms."""
    remaining = iter(words)
    values = ["" if isinstance(term, Number) else next(remaining) for term in feature.terms]
    return "".join(text for pair in zip(feature.literals, [*values, ""], strict=True) for text in pair)


def merged(
    features: Sequence[Feature], found: Sequence[Found], values: dict[Series, dict[str, int]]
) -> tuple[Longs, Longs, Longs]:
    """The first attribute that has the text of each attribute, and the counts and first uses of those that share it."""
    starts = np.cumsum([0, *(len(one.first) for one in found)])
    same = np.arange(starts[-1])
    counts = np.concatenate([one.counts for one in found]) if found else np.zeros(0, np.int64)
    position = [one.first * len(found) + index for index, one in enumerate(found)]
    first = np.concatenate(position) if found else np.zeros(0, np.int64)
    owners: dict[str, int] = {}
    for index, attribute, text in ambiguous(features, [one.components for one in found], values):
        number = int(starts[index]) + attribute
        owner = owners.setdefault(text, number)
        if owner != number:
            same[number] = owner
            counts[owner] += counts[number]
            first[owner] = min(first[owner], first[number])
    return same, counts, first


def ambiguous(
    features: Sequence[Feature], found: Sequence[Ints], values: Mapping[Series, Iterable[str]]
) -> Iterator[tuple[int, int, str]]:
    """The feature, the index and the text of each attribute that might have the text of another one.

    `found` has the values of the attributes of each feature, (A_f, terms).
    """
    suspects = Suspects(features, values)
    words = _words(features, values)
    for index, (feature, components, texts) in enumerate(zip(features, found, words, strict=True)):
        for attribute in np.flatnonzero(suspects.among(index, components)).tolist():
            codes = components[attribute].tolist()
            yield index, attribute, text_of(feature, [texts[i][code] for i, code in enumerate(codes)])


def _words(features: Sequence[Feature], values: Mapping[Series, Iterable[str]]) -> list[list[list[str]]]:
    """The values of each term of each feature."""
    of_series = {series: list(texts) for series, texts in values.items()}
    return [[of_series[series_of(term)] for term in worded(feature)] for feature in features]


class Suspects:
    """The attributes of some features that might have the text of another one, as their values tell."""

    def __init__(self, features: Sequence[Feature], values: Mapping[Series, Iterable[str]]) -> None:
        every = _words(features, values)
        patterns = [_pattern(feature, texts) for feature, texts in zip(features, every, strict=True)]
        self._shared = _beginning_alike([literals[0] for literals in patterns])
        self._between = [literals[1:-1] for literals in patterns]
        together = {series: "\n".join(texts) for series, texts in values.items()}
        self._having = [
            [
                np.array([not marks.isdisjoint(text) for text in texts], bool)
                if any(mark in together[series_of(term)] for mark in marks)
                else None
                for term, texts in zip(worded(feature), words, strict=True)
            ]
            for feature, words, marks in zip(
                features, every, (set("".join(between)) for between in self._between), strict=True
            )
        ]

    def among(self, index: int, components: Ints) -> Bools:
        """Which of some attributes of a feature are suspect."""
        between = self._between[index]
        suspect = np.full(len(components), index in self._shared or "" in between)
        if between and not suspect.all():
            for having, codes in zip(self._having[index], components.T, strict=True):
                if having is not None:
                    suspect |= having[codes]
        return suspect


def _pattern(feature: Feature, words: Sequence[Sequence[str]]) -> list[str]:
    """The literal texts around the values that vary; those of a feature without any end in NUL, which no text has."""
    literals = [feature.literals[0]]
    remaining = iter(words)
    for term, literal in zip(feature.terms, feature.literals[1:], strict=True):
        if isinstance(term, Number) or next(remaining) == [""]:
            literals[-1] += literal
        else:
            literals.append(literal)
    return literals if len(literals) > 1 else [literals[0] + "\0"]


def _beginning_alike(beginnings: Sequence[str]) -> set[int]:
    """The indices of texts that begin with another text, or with which another text begins."""
    result = set()
    open_ones: list[int] = []  # in sorted order, each the beginning of the next
    for index in sorted(range(len(beginnings)), key=beginnings.__getitem__):
        while open_ones and not beginnings[index].startswith(beginnings[open_ones[-1]]):
            open_ones.pop()
        if open_ones:
            result |= {index, open_ones[-1]}
        open_ones.append(index)
    return result
