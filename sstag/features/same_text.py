"""Attributes of different features that have the same text, and therefore are one attribute.

Texts are made only where two attributes could have the same: of features whose text begins like that of another one,
and of values that contain a character that stands between values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.features.template import Feature, Number, Worded
from sstag.features.term_values import Series, series_of
from sstag.foundation.arrays import Ints, Longs


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
    of_series = {series: list(texts) for series, texts in values.items()}
    together = {series: "\n".join(texts) for series, texts in of_series.items()}
    words = [[of_series[series_of(term)] for term in worded(feature)] for feature in features]
    patterns = [_pattern(feature, texts) for feature, texts in zip(features, words, strict=True)]
    shared = _beginning_alike([literals[0] for literals in patterns])
    for index, (feature, components, texts, literals) in enumerate(zip(features, found, words, patterns, strict=True)):
        suspect = np.full(len(components), index in shared)
        between = literals[1:-1]
        if between:
            marks = set("".join(between))
            for term, column, codes in zip(worded(feature), texts, components.T, strict=True):
                if "" in between:
                    suspect[:] = True
                elif any(mark in together[series_of(term)] for mark in marks):
                    suspect |= np.array([not marks.isdisjoint(text) for text in column], bool)[codes]
        for attribute in np.flatnonzero(suspect).tolist():
            codes = components[attribute].tolist()
            yield index, attribute, text_of(feature, [texts[i][code] for i, code in enumerate(codes)])


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
