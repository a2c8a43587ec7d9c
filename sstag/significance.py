"""How far a figure, or the difference of two, may be chance: bootstrap intervals and paired randomisation.

Efron 1979; Noreen 1989. Both choose whole sentences. Sentences with equal counts are interchangeable, so they are drawn
together: how often each distinct row is chosen is multinomial, how often it is swapped is binomial. That is the same
distribution at a cost that does not grow with the sentences.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from sstag.arrays import Floats, Longs

INTERVAL = 0.95
DRAWS = 2**20  # numbers drawn at a time: memory stays the same however many sentences there are
TIE = 1e-12  # differences of figures that are equal but for rounding

Figures = Callable[[Floats], Floats]  # sums of counts → figures, over the last axis
Tell = Callable[[int], None]  # how many resamples are done


def bootstrap(
    rows: Longs, figures: Figures, resamples: int, rng: np.random.Generator, tell: Tell = lambda done: None
) -> Floats:
    """Percentile intervals of figures when sentences are drawn with replacement."""  # (S, K) → (2, F)
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    parts = []
    for begin, end in _slices(resamples, len(distinct)):
        chosen = rng.multinomial(len(rows), times / len(rows), size=end - begin)
        parts.append(figures(chosen.astype(np.float64) @ distinct))
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
    distinct, times = np.unique(np.hstack([first, second]), axis=0, return_counts=True)
    one, two = np.hsplit(distinct.astype(np.float64), 2)
    ours, theirs = times @ one, times @ two
    unlike = (one != two).any(axis=1)
    change, times = (two - one)[unlike], times[unlike]
    observed = np.abs(figures(ours) - figures(theirs))
    as_large = np.zeros(observed.shape, np.int64)
    for begin, end in _slices(resamples, len(change)):
        moved = rng.binomial(times, 0.5, size=(end - begin, len(times))).astype(np.float64) @ change
        differences = np.abs(figures(ours + moved) - figures(theirs - moved))
        as_large += (differences >= observed - TIE).sum(axis=0)
        tell(end)
    result: Floats = (as_large + 1) / (resamples + 1)
    return result


def _slices(resamples: int, width: int) -> Iterator[tuple[int, int]]:
    """Ranges of resamples in which so many numbers each are drawn; what is drawn does not depend on them."""
    step = max(1, DRAWS // max(width, 1))
    return pairwise([*range(0, resamples, step), resamples])
