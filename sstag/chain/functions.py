"""e^x and log x by the core: those of NumPy and of C libraries differ between processors in the last bit."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Floats

X = TypeVar("X", float, Floats)


def exp(x: X) -> X:
    """e^x of a number or of each of an array."""
    return _each(_core.exponentials, x)


def log(x: X) -> X:
    """The natural logarithm of a number or of each of an array: -∞ of 0, NaN of what is below."""
    return _each(_core.logarithms, x)


def _each(function: Callable[[Floats, Floats], None], x: X) -> X:
    given = np.ascontiguousarray(x, np.float64)
    out = np.empty_like(given)
    function(given.ravel(), out.ravel())
    return float(out[0]) if isinstance(x, float | int) else out
