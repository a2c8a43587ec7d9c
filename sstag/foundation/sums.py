"""Sums that have the same bits with every Python: since 3.12 `sum` corrects what rounding takes from floats."""

from collections.abc import Iterable
from functools import reduce
from operator import add


def in_order(numbers: Iterable[float]) -> float:
    """The sum of some numbers, one after another."""
    return reduce(add, numbers, 0.0)
