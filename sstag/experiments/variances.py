"""Whether one system varies more than another over the draws, or by chance."""

from collections.abc import Sequence

import numpy as np

from sstag.foundation.arrays import Floats

PERMUTATIONS = 9_999
TIE = 1e-12


def unlike_spread(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Two-sided p of two samples whose spread is the same: Brown and Forsythe (1974), by permutation.

    What is compared is the mean distance from the median; p = (c + 1) / (R + 1), if c of R random divisions of all
    distances differ as much.
    """
    away = np.concatenate([_from_median(ours), _from_median(theirs)])
    count = len(ours)
    observed = abs(away[:count].mean() - away[count:].mean())
    rng = np.random.default_rng(0)
    shuffled = rng.permuted(np.tile(away, (PERMUTATIONS, 1)), axis=1)
    differences = np.abs(shuffled[:, :count].mean(axis=1) - shuffled[:, count:].mean(axis=1))
    return float(((differences >= observed - TIE).sum() + 1) / (PERMUTATIONS + 1))


def _from_median(values: Sequence[float]) -> Floats:
    numbers = np.asarray(values, np.float64)
    away: Floats = np.abs(numbers - np.median(numbers))
    return away
