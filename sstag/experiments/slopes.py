"""How a figure grows with a size: the slope of logarithms, and its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# The 97.5 % quantiles of Student's t with 1, 2, … degrees of freedom.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


@dataclass(frozen=True)
class Slope:
    """y ∝ x^value, and the 95 % interval of the regression."""

    value: float
    low: float
    high: float


def slope(x: Sequence[float], y: Sequence[float]) -> Slope | None:
    """The least-squares slope of log y over log x; None of fewer than three points."""
    if len(x) < 3:
        return None
    across, up = np.log(x), np.log(y)
    away = across - across.mean()
    value = float((away * up).sum() / (away**2).sum())
    residuals = up - up.mean() - value * away
    degrees = len(x) - 2
    error = float(np.sqrt((residuals**2).sum() / degrees / (away**2).sum()))
    width = T[min(degrees, len(T)) - 1] * error
    return Slope(value, value - width, value + width)


def upper_half(sizes: Sequence[float]) -> list[float]:
    """The larger half of some sizes."""
    return sorted(sizes)[len(sizes) // 2 :]
