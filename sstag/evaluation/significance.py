"""Tests of whether a figure, or the difference of two, may be chance: bootstrap, randomisation, signed ranks.

Efron 1979; Noreen 1989; Wilcoxon 1945; and for several of them Holm 1979. The first two choose whole sentences of one
test set, because figures are functions of sums of the sentences' counts. Counts are whole numbers far below 2⁵³, so
their sums in floating point are exact, in any order. The third compares two systems over several draws of the data.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from sstag.foundation.arrays import Floats, Longs

INTERVAL = 0.95
DRAWS = 2**20  # numbers drawn at a time, so that memory does not grow with the sentences
TIE = 1e-12  # differences of figures that are equal but for rounding

Figures = Callable[[Floats], Floats]  # sums of counts → figures, over the last axis
Tell = Callable[[int], None]  # is told how many resamples are done


def bootstrap(
    rows: Longs, figures: Figures, resamples: int, rng: np.random.Generator, tell: Tell = lambda done: None
) -> Floats:
    """Percentile intervals of figures when sentences are drawn with replacement."""  # (S, K) → (2, F)
    parts, numbers = [], rows.astype(np.float64)
    for begin, end in _slices(resamples, len(rows)):
        drawn = rng.integers(len(rows), size=(end - begin, len(rows)))
        drawn += len(rows) * np.arange(end - begin)[:, None]
        times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        parts.append(figures(times.astype(np.float64) @ numbers))
        tell(end)
    tail = (1 - INTERVAL) / 2
    bounds: Floats = np.quantile(np.concatenate(parts), [tail, 1 - tail], axis=0)
    return bounds


def randomisation(
    first: Longs,
    second: Longs,
    figures: Figures,
    resamples: int,
    rng: np.random.Generator,
    tell: Tell = lambda done: None,
) -> Floats:
    """Two-sided p of each figure's difference: how often swapping sentences at random makes one as large.

    p = (c + 1) / (R + 1), if c of R swaps do.
    """  # (S, K), (S, K) → (F,)
    change = (second - first).astype(np.float64)
    change = change[change.any(axis=1)]  # swapping sentences with the same counts changes nothing
    ours, theirs = (rows.sum(axis=0).astype(np.float64) for rows in (first, second))
    observed = np.abs(figures(ours) - figures(theirs))
    as_large = np.zeros(observed.shape, np.int64)
    for begin, end in _slices(resamples, len(change)):
        swapped = rng.random((end - begin, len(change))) < 0.5
        moved = swapped.astype(np.float64) @ change
        differences = np.abs(figures(ours + moved) - figures(theirs - moved))
        as_large += (differences >= observed - TIE).sum(axis=0)
        tell(end)
    result: Floats = (as_large + 1) / (resamples + 1)
    return result


def signed_rank(differences: Sequence[float]) -> float:
    """Two-sided p of Wilcoxon's test that paired differences lie around 0: exact, ties or not; zeros are left out.

    If they do, each rank is as likely to belong to a gain as to a loss: all 2ⁿ assignments are counted, by their sums.
    """
    given = np.asarray(differences, np.float64)
    given = given[np.abs(given) > TIE]
    sizes = np.round(np.abs(given) / TIE)
    _, place, times = np.unique(sizes, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    ranks = (2 * last - times + 1)[place]  # twice the mean rank of equal sizes, which is a whole number
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    gains = int(ranks[given > 0].sum())
    tail = min(ways[: gains + 1].sum(), ways[gains:].sum())
    return min(1.0, 2 * float(tail / ways.sum()))


def holm(chances: Sequence[float]) -> list[float]:
    """p of several tests that are reported together: if all below a level are believed, one is wrong that often."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    found, most = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        most = max(most, min(1.0, (len(chances) - rank) * chances[place]))
        found[place] = most
    return found


def _slices(resamples: int, width: int) -> Iterator[tuple[int, int]]:
    """Ranges of resamples that are drawn together to limit memory; the draws do not depend on the ranges."""
    step = max(1, DRAWS // max(width, 1))
    return pairwise([*range(0, resamples, step), resamples])
