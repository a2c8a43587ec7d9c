"""Batches that are spread over what sentences mean: each sentence is far from those chosen before it.

    k-means++    the next one by chance, with a probability ∝ w d²      Arthur and Vassilvitskii 2007
    core-set     the next one is the farthest: the largest w d²          Gonzalez 1985; Sener and Savarese 2018

d² is the squared distance to the nearest sentence that was chosen, or was asked for before, 2 − 2 cos of their vectors.
The weight w is the score of the strategy less the smallest one, or 1 where chance is the strategy, and no label and no
model is needed. The first of all, if nothing was asked for before, is drawn by w for k-means++; a core-set begins in
the middle, with the sentence that is nearest to all others on average, by w.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sstag.features.sentence_vectors import cosines
from sstag.foundation.arrays import Floats, Longs, Singles
from sstag.foundation.parallel import Over
from sstag.foundation.registry import registered
from sstag.selection.budget import Basket
from sstag.selection.strategies import Spread

SOME = 64  # sentences to which distances are computed together


@dataclass(frozen=True, eq=False)
class Field:
    """The candidates as points: their vectors and weights, and the vectors of what was asked for before."""

    vectors: Singles  # (C, D)
    weights: Floats  # (C,) from 0 up, or −∞ for what is never chosen
    before: Singles  # (B, D)
    over: Over


def drawn(worth: Floats, rng: np.random.Generator) -> int:
    """One by chance, with a probability ∝ worth; where nothing is worth anything, any."""
    sums = np.cumsum(worth)
    if not sums[-1] > 0:
        return int(rng.integers(len(worth)))
    place = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return min(place, int(np.flatnonzero(worth)[-1]))  # rounding may put a draw behind the last


def farthest(worth: Floats, rng: np.random.Generator) -> int:
    """The one that is worth most, the first of equal ones."""
    return int(worth.argmax())


def spread_order(way: Spread, field: Field, basket: Basket, rng: np.random.Generator) -> Iterator[int]:
    """The candidates, one after another, each when it is known whether those before it went into the basket.

    A candidate without a vector is left out, since nothing is known of its place.
    """
    chosen = registered(way.where)
    left: Longs = np.flatnonzero((field.vectors != 0).any(axis=1) & (field.weights >= 0))
    distance = _distances(field, field.before[(field.before != 0).any(axis=1)])
    while len(left):
        far: Floats | float = distance[left]
        if np.isinf(far).any():  # nothing was chosen yet
            far = _centrality(field, left) if way.middle else 1.0
        place = chosen(field.weights[left] * far, rng)
        candidate, taken = int(left[place]), len(basket.chosen)
        yield candidate
        left = np.delete(left, place)
        if len(basket.chosen) > taken:
            distance = np.minimum(distance, _distances(field, field.vectors[candidate : candidate + 1]))


def _distances(field: Field, to: Singles) -> Floats:
    """The squared distance of each candidate to the nearest of some vectors, infinite if there are none."""  # (C,)
    nearest = np.full(len(field.vectors), np.inf)
    for begin in range(0, len(to), SOME):
        found = 2.0 - 2.0 * cosines(field.vectors, to[begin : begin + SOME], field.over)
        nearest = np.minimum(nearest, np.maximum(found, 0.0).min(axis=1))
    return nearest


def _centrality(field: Field, of: Longs) -> Floats:
    """How near each of some candidates is to all of them on average: 1 + the mean cosine."""
    middle = np.zeros((1, field.vectors.shape[1]))
    for begin in range(0, len(of), 2**13):
        middle += field.vectors[of[begin : begin + 2**13]].sum(axis=0, dtype=np.float64)
    result: Floats = 1.0 + cosines(field.vectors, (middle / len(of)).astype(np.float32), field.over)[of, 0]
    return result
