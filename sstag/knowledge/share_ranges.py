"""Shares that are known within bounds, `0.6-0.9`, and the shares within all bounds that are nearest to those found.

The nearest by Kullback-Leibler divergence KL(p̂ ‖ p) are p̂ = min(max(c p, low), high), those by squared distance
min(max(p + c, low), high), with the c at which they add up to 1. Shares that keep to the bounds are the nearest
themselves.
"""

import re
from collections.abc import Sequence

import numpy as np

from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError
from sstag.foundation.sums import in_order

Range = tuple[float, float]

EXACT = 1e-12  # bounds that differ by no more are one share
WRONG = 0.02  # the largest difference of a sum of exact shares from 1
_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})(?:-({_NUMBER}))?", re.ASCII)


def range_of(text: str, most: float = 1.0) -> Range:
    """The bounds that a text says: a number is both."""
    found = _RANGE.fullmatch(text)
    if not found:
        raise ConfigError(f"'{text}' is neither a number such as 0.8 nor a range such as 0.6-0.9")
    low = float(found[1])
    high = low if found[2] is None else float(found[2])
    if not 0 <= low <= high <= most:
        raise ConfigError(f"'{text}' is not from 0 to {most:g}, the smaller number first")
    return low, high


def refuse_impossible(ranges: Sequence[Range], rest: bool) -> None:
    """Raises an error if no shares within these bounds add up to 1; `rest` is whether something else may have some."""
    least, most = in_order(low for low, _ in ranges), in_order(high for _, high in ranges)
    if least > 1 + WRONG:
        raise ConfigError(f"the shares add up to at least {least:g}, more than 1")
    if not rest and most < 1 - WRONG:
        raise ConfigError(f"the shares add up to at most {most:g}, less than 1")


def nearest_shares(found: Floats, low: Floats, high: Floats, distance: str) -> Floats:
    """The shares within the bounds that are nearest to those found, all (C,)."""
    if (low <= found).all() and (found <= high).all():
        return found
    by_factor = distance == "kl"
    with np.errstate(divide="ignore", invalid="ignore"):
        places = np.concatenate([low / found, high / found] if by_factor else [low - found, high - found])
    places = np.unique(places[np.isfinite(places)])

    def within(c: float) -> Floats:
        moved = c * found if by_factor else found + c
        return np.minimum(np.maximum(moved, low), high)

    totals = np.array([within(c).sum() for c in places])  # which never fall
    after = int(np.searchsorted(totals, 1.0))
    if after == 0 or after == len(places):
        return within(places[min(after, len(places) - 1)])
    a, b = totals[after - 1], totals[after]
    c = places[after - 1] + (places[after] - places[after - 1]) * (1.0 - a) / (b - a)
    return within(float(c))
