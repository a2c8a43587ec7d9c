"""Attributes that read alike are one: which could, and which do.

Texts are only made where two attributes could read alike: of features of which one begins as another does, and of
values that contain a character that stands between values.
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
    """The terms that make an attribute what it is; numbers only weigh it."""
    return [term for term in feature.terms if not isinstance(term, Number)]


def text_of(feature: Feature, words: Sequence[str]) -> str:
    """The text of an attribute from the values of its terms."""
    remaining = iter(words)
    values = ["" if isinstance(term, Number) else next(remaining) for term in feature.terms]
    return "".join(text for pair in zip(feature.literals, [*values, ""], strict=True) for text in pair)


def merged(
    features: Sequence[Feature], found: Sequence[Found], values: dict[Series, dict[str, int]]
) -> tuple[Longs, Longs, Longs]:
    """Attributes that read alike are one: for each attribute the first that has its text, counts, first uses.

    Texts are made only where two attributes could read alike: features of which one begins as another does, and values
    that contain a character that stands between values.
    """
    starts = np.cumsum([0, *(len(one.first) for one in found)])
    same = np.arange(starts[-1])
    counts = np.concatenate([one.counts for one in found]) if found else np.zeros(0, np.int64)
    position = [one.first * len(found) + index for index, one in enumerate(found)]
    first = np.concatenate(position) if found else np.zeros(0, np.int64)
    owners: dict[str, int] = {}
    for index, attribute, text in ambiguous(features, found, values):
        number = int(starts[index]) + attribute
        owner = owners.setdefault(text, number)
        if owner != number:
            same[number] = owner
            counts[owner] += counts[number]
            first[owner] = min(first[owner], first[number])
    return same, counts, first


def ambiguous(
    features: Sequence[Feature], found: Sequence[Found], values: Mapping[Series, Iterable[str]]
) -> Iterator[tuple[int, int, str]]:
    """Feature, attribute and text of all that might read like another."""
    words = [[list(values[series_of(term)]) for term in worded(feature)] for feature in features]
    patterns = [_pattern(feature, texts) for feature, texts in zip(features, words, strict=True)]
    shared = _beginning_alike([literals[0] for literals in patterns])
    for index, (feature, one, texts, literals) in enumerate(zip(features, found, words, patterns, strict=True)):
        suspect = np.full(len(one.first), index in shared)
        between = literals[1:-1]
        if between:
            marks = set("".join(between))
            for column, codes in zip(texts, one.components.T, strict=True):
                may_mislead = ["" in between or not marks.isdisjoint(text) for text in column]
                suspect |= np.array(may_mislead, bool)[codes]
        for attribute in np.flatnonzero(suspect).tolist():
            codes = one.components[attribute].tolist()
            yield index, attribute, text_of(feature, [texts[i][code] for i, code in enumerate(codes)])


def _pattern(feature: Feature, words: Sequence[Sequence[str]]) -> list[str]:
    """The literal texts around the values that vary; a feature without one ends in a mark that no text contains."""
    literals = [feature.literals[0]]
    remaining = iter(words)
    for term, literal in zip(feature.terms, feature.literals[1:], strict=True):
        if isinstance(term, Number) or next(remaining) == [""]:
            literals[-1] += literal
        else:
            literals.append(literal)
    return literals if len(literals) > 1 else [literals[0] + "\0"]


def _beginning_alike(beginnings: Sequence[str]) -> set[int]:
    """Which texts begin with another one, or another one with them."""
    result = set()
    open_ones: list[int] = []  # in sorted order, each the beginning of the next
    for index in sorted(range(len(beginnings)), key=beginnings.__getitem__):
        while open_ones and not beginnings[index].startswith(beginnings[open_ones[-1]]):
            open_ones.pop()
        if open_ones:
            result |= {index, open_ones[-1]}
        open_ones.append(index)
    return result
