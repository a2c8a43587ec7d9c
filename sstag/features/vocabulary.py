"""Vocabularies, which number the attributes of some corpora; an attribute that is not in them has no number.

A feature's attributes are tuples of its terms' values, folded into one integer per token (a mixed radix over the sizes
of the value tables) and looked up in a sorted table: strings are touched once per distinct value. Attributes are
numbered by frequency, so that the weights that are used most lie together; equally frequent ones by first use.
"""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from sstag.features.attribute_tables import Table, folded, table
from sstag.features.same_text import Found, ambiguous, merged, text_of, worded
from sstag.features.series import Series, Words, series_of
from sstag.features.template import BY_SHARE, Feature, Number, Template
from sstag.features.term_values import View
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.grouping import ABSENT, distinct

ONCE = 0.1  # a larger share of attributes that occur once, of all that the tokens have, and they are left out


@dataclass(frozen=True)
class Vocabulary:
    """The attributes of a list of features."""

    features: tuple[Feature, ...]
    values: dict[Series, dict[str, int]]  # the values of each series of which attributes are made
    tables: tuple[Table, ...]  # one per feature
    size: int  # the number of attributes, A
    steps: bool  # whether they are attributes of the step from token to token, not of tokens

    def ids(self, view: View) -> Ints:
        """The attribute of each feature at each token, or ABSENT."""  # (F, T)
        result = np.full((len(self.features), view.corpus.tokens), ABSENT, np.int32)
        translations = {series: view.words.numbers(series, numbers) for series, numbers in self.values.items()}
        for row, feature, attributes in zip(result, self.features, self.tables, strict=True):
            codes = [translations[series_of(term)][view.codes(term)] for term in worded(feature)]
            keys, _ = folded(codes, radices(feature, self.values), attributes.stages, len(row))
            keys[~_present(feature, view, self.steps)] = ABSENT
            row[:] = attributes.numbers(keys)
        if self._readings:
            self._read_alike(view, result)
        return result

    def weights(self, view: View) -> Floats | None:
        """The product of the numbers of each feature at each token; None if no feature has a number."""  # (F, T)
        if not any(isinstance(term, Number) for feature in self.features for term in feature.terms):
            return None
        result = np.ones((len(self.features), view.corpus.tokens))
        for row, feature in zip(result, self.features, strict=True):
            for term in feature.terms:
                if isinstance(term, Number):
                    row *= view.numbers(term)[0]
        return result

    def _read_alike(self, view: View, ids: Ints) -> None:
        """Fills in attributes that a feature does not know, but whose text is that of a known attribute."""
        values = {series: view.values(series) for series in self.values}
        unknown, places, readings = [], [], []
        for row, feature, attributes in zip(ids, self.features, self.tables, strict=True):
            codes = [view.codes(term) for term in worded(feature)]
            keys, _ = folded(codes, radices(feature, values), None, len(row))
            keys[~_present(feature, view, self.steps) | (row != attributes.default)] = ABSENT
            first, _, numbers = distinct(keys)
            unknown.append(_components(codes, first))
            places.append(numbers)
            readings.append(np.full(len(first), attributes.default, np.int32))
        for index, attribute, text in ambiguous(self.features, unknown, values):
            readings[index][attribute] = self._readings.get(text, self.tables[index].default)
        for row, place, reading in zip(ids, places, readings, strict=True):
            row[place >= 0] = reading[place[place >= 0]]

    @cached_property
    def _readings(self) -> dict[str, int]:
        """The attributes, by their texts, whose text attributes of other values or features might have."""
        known = [one.components for one in self.tables]
        return {
            text: int(self.tables[index].ids[attribute])
            for index, attribute, text in ambiguous(self.features, known, self.values)
        }

    def texts(self, wanted: Longs | None = None) -> list[str]:
        """The text of every attribute; if only some are wanted, the others have an empty text."""
        result = [""] * self.size
        for feature, attributes in zip(self.features, self.tables, strict=True):
            if feature.default is not None:
                result[attributes.default] = feature.default
            words = [list(self.values[series_of(term)]) for term in worded(feature)]
            rows = slice(None) if wanted is None else np.isin(attributes.ids, wanted)
            for number, components in zip(
                attributes.ids[rows].tolist(), attributes.components[rows].tolist(), strict=True
            ):
                result[number] = text_of(feature, [words[i][code] for i, code in enumerate(components)])
        return result


def built(
    features: tuple[Feature, ...], views: Sequence[View], minimum_count: int = 1, steps: bool = False
) -> tuple[Vocabulary, list[Ints]]:
    """The vocabulary of all attributes that occur often enough in these corpora, and the `ids` of each corpus."""
    values = united(features, [view.words for view in views])
    found, rows = occurring(features, views, values, steps)
    vocabulary, ids_of = numbered(features, values, found, minimum_count, steps)
    for row, ids in zip(rows, ids_of, strict=True):
        row[:] = ids[row]
    bounds = np.cumsum([0, *(view.corpus.tokens for view in views)])
    return vocabulary, [rows[:, begin:end] for begin, end in pairwise(bounds)]


def least_count(template: Template, labelled: View | None) -> int:
    """How often an attribute must occur to be in the vocabulary: as the template says, or the labelled text.

    Of all attributes of a new token, about that share is new which occurs once in the text (Good 1953). In the text
    itself none is new, so weights lean on what will be missing: much where the share is large.
    """
    if template.minimum_count != BY_SHARE:
        return template.minimum_count
    if labelled is None:
        return 2
    values = united(template.features, [labelled.words])
    found, rows = occurring(template.features, [labelled], values, steps=False)
    once = sum(int((one.counts == 1).sum()) for one in found)
    return 2 if once > ONCE * (rows != ABSENT).sum() else 1


def united(features: Sequence[Feature], texts: Sequence[Words]) -> dict[Series, dict[str, int]]:
    """The numbers of the values of every series over all texts."""
    values: dict[Series, dict[str, int]] = {}
    for series in dict.fromkeys(series_of(term) for feature in features for term in worded(feature)):
        numbers = values[series] = {}
        for words in texts:
            for value in words.values(series):
                numbers.setdefault(value, len(numbers))
    return values


def occurring(
    features: Sequence[Feature], views: Sequence[View], values: Mapping[Series, Mapping[str, int]], steps: bool
) -> tuple[list[Found], Ints]:
    """The distinct attributes of each feature, by their values, and for each token the place of its own, or ABSENT."""
    rows = np.empty((len(features), sum(view.corpus.tokens for view in views)), np.int32)  # (F, T)
    found: list[Found] = []
    for row, feature in zip(rows, features, strict=True):
        codes = []
        for term in worded(feature):
            series = series_of(term)
            codes.append(
                np.concatenate([view.words.numbers(series, values[series])[view.codes(term)] for view in views])
            )
        keys, _ = folded(codes, radices(feature, values), None, len(row))
        keys[~np.concatenate([_present(feature, view, steps) for view in views])] = ABSENT
        first, counts, row[:] = distinct(keys)
        found.append(Found(_components(codes, first), first, counts))
    return found, rows


def numbered(
    features: tuple[Feature, ...],
    values: dict[Series, dict[str, int]],
    found: Sequence[Found],
    minimum_count: int,
    steps: bool,
) -> tuple[Vocabulary, list[Ints]]:
    """The vocabulary of attributes that were found, and the number of each, the last of a feature being for ABSENT."""
    same, counts, first = merged(features, found, values)
    kept = np.flatnonzero((counts >= minimum_count) & (same == np.arange(len(same))))
    numbers = np.full(len(same), ABSENT, np.int32)
    numbers[kept[np.lexsort((first[kept], -counts[kept]))]] = np.arange(len(kept))
    numbers = numbers[same]

    tables, size, every = [], len(kept), []
    defaults: dict[str, int] = {}
    starts = np.cumsum([0, *(len(one.first) for one in found)])
    for feature, one, start in zip(features, found, starts, strict=False):
        default = ABSENT
        if feature.default is not None:
            default = defaults.setdefault(feature.default, size + len(defaults))
        ids = numbers[start : start + len(one.first)]
        tables.append(table(one.components[ids >= 0], ids[ids >= 0], default, radices(feature, values)))
        every.append(np.append(np.where(ids == ABSENT, default, ids), ABSENT).astype(np.int32))
    return Vocabulary(features, values, tuple(tables), size + len(defaults), steps), every


def radices(feature: Feature, values: Mapping[Series, Sized]) -> list[int]:
    """The number of values that each term of a feature can have."""
    return [len(values[series_of(term)]) for term in worded(feature)]


def _components(codes: Sequence[Ints], first: Longs) -> Ints:
    """The values of each attribute, from one place that has it."""  # (A_f, terms)
    return np.array([code[first] for code in codes], np.int32).reshape(len(codes), len(first)).T


def _present(feature: Feature, view: View, steps: bool) -> Bools:
    """True at the tokens that have all numbers of a feature; no step leads to the first token of a sentence."""  # (T,)
    present = view.since > 0 if steps else np.ones(view.corpus.tokens, bool)
    for term in feature.terms:
        if isinstance(term, Number):
            present &= view.numbers(term)[1]
    return present
