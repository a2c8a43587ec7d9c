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

from sstag.features.attribute_tables import UNSEEN, Table, folded, table
from sstag.features.same_text import Found, ambiguous, merged, text_of, worded
from sstag.features.template import Feature, Number
from sstag.features.term_values import Series, View, series_of
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.grouping import ABSENT, distinct


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
        translations = {
            series: np.array([*(numbers.get(value, UNSEEN) for value in view.values(series)), ABSENT], np.int32)
            for series, numbers in self.values.items()
        }
        for row, feature, attributes in zip(result, self.features, self.tables, strict=True):
            codes = [translations[series_of(term)][view.codes(term)] for term in worded(feature)]
            keys, _ = folded(codes, _radices(feature, self.values), attributes.stages, len(row))
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
            keys, _ = folded(codes, _radices(feature, values), None, len(row))
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
    values, translations = _united(features, views)
    bounds = np.cumsum([0, *(view.corpus.tokens for view in views)])
    rows = np.empty((len(features), bounds[-1]), np.int32)  # numbers within the feature, or ABSENT
    found: list[Found] = []
    for row, feature in zip(rows, features, strict=True):
        codes = []
        for term in worded(feature):
            series = series_of(term)
            parts = [
                translation[view.codes(term)] for view, translation in zip(views, translations[series], strict=True)
            ]
            codes.append(np.concatenate(parts))
        keys, _ = folded(codes, _radices(feature, values), None, len(row))
        keys[~np.concatenate([_present(feature, view, steps) for view in views])] = ABSENT
        first, counts, row[:] = distinct(keys)
        found.append(Found(_components(codes, first), first, counts))

    same, counts, first = merged(features, found, values)
    kept = np.flatnonzero((counts >= minimum_count) & (same == np.arange(len(same))))
    numbers = np.full(len(same), ABSENT, np.int32)
    numbers[kept[np.lexsort((first[kept], -counts[kept]))]] = np.arange(len(kept))
    numbers = numbers[same]

    tables, size = [], len(kept)
    defaults: dict[str, int] = {}
    starts = np.cumsum([0, *(len(one.first) for one in found)])
    for row, feature, one, start in zip(rows, features, found, starts, strict=False):
        default = ABSENT
        if feature.default is not None:
            default = defaults.setdefault(feature.default, size + len(defaults))
        ids = numbers[start : start + len(one.first)]
        tables.append(table(one.components[ids >= 0], ids[ids >= 0], default, _radices(feature, values)))
        row[:] = np.append(np.where(ids == ABSENT, default, ids), ABSENT)[row]
    vocabulary = Vocabulary(features, values, tuple(tables), size + len(defaults), steps)
    return vocabulary, [rows[:, begin:end] for begin, end in pairwise(bounds)]


def _radices(feature: Feature, values: Mapping[Series, Sized]) -> list[int]:
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


def _united(
    features: Sequence[Feature], views: Sequence[View]
) -> tuple[dict[Series, dict[str, int]], dict[Series, list[Ints]]]:
    """The values of every series over all corpora, and for each corpus, its codes translated to the united ones.

    The code ABSENT stays ABSENT.
    """
    values: dict[Series, dict[str, int]] = {}
    translations: dict[Series, list[Ints]] = {}
    for series in dict.fromkeys(series_of(term) for feature in features for term in worded(feature)):
        numbers = values[series] = {}
        translations[series] = [
            np.array([*(numbers.setdefault(value, len(numbers)) for value in view.values(series)), ABSENT], np.int32)
            for view in views
        ]
    return values, translations
