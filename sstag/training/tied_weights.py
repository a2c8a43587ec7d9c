"""Weights that no data can tell apart are climbed as one.

Whatever occurs once, at the same token, adds up there: of the weights θ_1 … θ_m that such attributes have for a label,
all scores see φ = Σ θ_i alone. Of all θ with that sum equal shares, φ/m, have the least of either penalty,

    l2/2 Σ θ_i² = l2/(2m) φ²        l1 Σ |θ_i| = l1 |φ|

so φ with the prior l2/m has the same optimum; weights with priors λ_i l2 have shares as 1/λ_i, and m is Σ 1/λ_i. In
most templates half of the weights belong to such attributes; one for each token and label is left of them.

Of what occurs nowhere, only the prior says anything: weights that begin at 0 stay there, and no φ stands for them. So a
climb on a few labelled sentences does not carry the weights that raw text will need later.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.grouping import ABSENT, distinct
from sstag.foundation.parallel import Over
from sstag.foundation.ranges import row_of_each
from sstag.foundation.shelves import Shelf
from sstag.model.dataset import Dataset
from sstag.model.large_data import Encoded
from sstag.model.sparse_weights import PairMap, Pairs
from sstag.model.weight_map import WeightMap


@dataclass(frozen=True)
class Tied:
    """Where the weights φ that stand for θ are, and how."""

    weight_map: WeightMap
    number: Ints  # (n,) the φ that each θ is a share of; n' where θ stays 0
    shares: Floats  # (n',) m
    parts: Floats | None = None  # (n,) 1/λ of each θ, if they are not all 1

    def sums(self, theta: Floats) -> Floats:
        """φ of θ."""
        return np.bincount(self.number, theta, len(self.shares) + 1)[:-1].astype(np.float64)

    def spread(self, phi: Floats) -> Floats:
        """θ of φ, in shares that are equal where their priors are."""
        theta: Floats = np.append(phi / self.shares, 0.0)[self.number]
        return theta if self.parts is None else theta * self.parts


def tied(
    weight_map: WeightMap,
    datasets: Sequence[Dataset],
    start: Floats,
    priors: Floats | None = None,
    volumes: Shelf[Encoded] | None = None,
) -> Tied:
    """Ties attributes that occur once in all the texts: the first of a token has the weights of the others too.

    A climb begins at `start`. The prior of each weight is that of all, or `priors` times as strong.
    """
    pairs, labels = weight_map.unary.pairs, weight_map.labels
    times, token = _occurrences_in_all(datasets, len(pairs.indptr) - 1, volumes)
    token = np.where(times == 1, token, ABSENT)
    once = np.flatnonzero(token != ABSENT)
    _, first, place = np.unique(token[once], return_index=True, return_inverse=True)
    stands_for = np.arange(len(token))
    stands_for[once] = once[first[place]]

    sizes = np.diff(pairs.indptr)
    keys = np.repeat(stands_for, sizes) * labels + pairs.labels
    keys[np.repeat(times == 0, sizes) & (start[: len(keys)] == 0.0)] = ABSENT
    example, shares, number = distinct(keys)
    attribute, label = np.divmod(keys[example], labels)
    unary = Pairs(np.searchsorted(attribute, np.arange(len(token) + 1)), label.astype(np.int32))
    rest = np.arange(len(shares), len(shares) + weight_map.size - len(keys), dtype=np.int32)
    number[number == ABSENT] = len(shares) + len(rest)
    reduced, number = replace(weight_map, unary=PairMap(unary, labels)), np.append(number, rest)
    if priors is None:
        return Tied(reduced, number, np.append(shares, np.ones(len(rest))).astype(np.float64))
    parts = 1.0 / priors
    return Tied(reduced, number, np.bincount(number, parts, reduced.size + 1)[:-1].astype(np.float64), parts)


def _occurrences_in_all(datasets: Sequence[Dataset], attributes: int, volumes: Shelf[Encoded] | None) -> Longs:
    """The `occurrences` of each attribute in all texts, through which tokens are counted."""  # (2, A)
    sums = np.zeros((2, attributes), np.int64)
    before = 0
    for data in datasets:
        sums += occurrences(data, attributes, before)
        before += data.unary.rows
    if volumes:
        sums += volumes.summed(_of_volume, attributes, before)
    return sums


def occurrences(data: Dataset, attributes: int, before: int) -> Longs:
    """How often each attribute occurs, twice if not as 1, and its token if it occurs once; tokens count from `before`.

    Those of several texts add up: what occurs once in all has no token in any but one.
    """  # (2, A)
    unary, bundles = data.unary, data.bundles
    first_bundle = attributes + data.rows_of_words
    size = first_bundle + (bundles.rows if bundles else 0)
    often, last = np.bincount(unary.indices, minlength=size), np.zeros(size, np.int64)
    last[unary.indices] = before + row_of_each(unary.indptr)
    if unary.values is not None:
        often += np.bincount(unary.indices[unary.values != 1.0], minlength=size)
    if bundles:
        bundle = first_bundle + row_of_each(bundles.indptr)
        np.add.at(often, bundles.indices, often[bundle])
        inside = often[bundle] > 0
        last[bundles.indices[inside]] = last[bundle[inside]]
    often, last = often[:attributes], last[:attributes]
    return np.array([often, np.where(often == 1, last, 0)])


def _of_volume(encoded: Encoded, over: Over, attributes: int, before: int) -> Longs:
    return occurrences(encoded.data, attributes, before + encoded.volume.first)
