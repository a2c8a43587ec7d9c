"""How far to go: a step that meets the strong Wolfe conditions (Nocedal & Wright 2006, algorithms 3.5 and 3.6).

With φ(t) = f(θ + t d), to be maximised, φ'(0) > 0:

    sufficient increase    φ(t) ≥ φ(0) + 0.0001 t φ'(0)
    curvature              |φ'(t)| ≤ 0.9 φ'(0)

Along a path with corners, as OWL-QN's, there is no φ'(t): the first is all that is asked, with aᵀ(θ(t) - θ) in the
place of t φ'(0) (Andrew & Gao 2007, section 3.2), and the step is halved until it holds.

Differs: the book's two phases are one loop here, an interval without an upper end being the first of them.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

from sstag.foundation.arrays import Floats

INCREASE = 1e-4
CURVATURE = 0.9
TRIALS = 30


@dataclass(frozen=True, slots=True)
class Trial:
    """A point of the path. What cannot be computed there has the value -∞."""

    step: float
    value: float  # φ(t)
    slope: float  # φ'(t); NaN where the value is -∞ or the path has corners
    promised: float  # t φ'(0): what the value would grow by if the slope stayed as it is
    theta: Floats  # (n,)
    gradient: Floats  # of f, (n,)


def wolfe_step(path: Callable[[float], Trial], origin: Trial, first: float) -> Trial | None:
    """The first step tried, from `first` on, that meets the conditions.

    If there is none (at the edge of the region in which f can be computed), the best with sufficient increase; if there
    is none such either (at the limit of precision, or d leads nowhere), None.
    """
    # `low` is the best trial with sufficient increase; the way from it to `high`, if there is one yet, begins uphill
    # and contains steps that meet the conditions.
    low, high = origin, None
    step, width = first, math.inf
    for _ in range(TRIALS):
        here = path(step)
        before = low
        if not here.value >= max(low.value, origin.value + INCREASE * here.promised):
            high = here
        elif math.isnan(here.slope) or abs(here.slope) <= CURVATURE * origin.slope:
            return here
        else:
            if here.slope < 0 if high is None else here.slope * (high.step - low.step) < 0:
                high = low
            low = here
        if high is None:
            step = _further(before, low)
            continue
        before_width, width = width, abs(high.step - low.step)
        if width * origin.slope <= sys.float_info.epsilon * abs(origin.value):
            break
        step = _between(low, high, halve=width > before_width * 2 / 3)
    return low if low.step > 0 else None


def _further(before: Trial, last: Trial) -> float:
    """Beyond `last`, where it is still uphill: the top of the cubic, at least as far again, at most nine times."""
    distance, top = last.step - before.step, _cubic_top(before, last)
    return last.step + (min(max(top - last.step, distance), 9 * distance) if top > last.step else 9 * distance)


def _between(low: Trial, high: Trial, halve: bool) -> float:
    """The top of the cubic, but not within a tenth of either end; the middle where there is none or on request."""
    way = high.step - low.step
    part = (_cubic_top(low, high) - low.step) / way
    return low.step + way * (0.5 if halve or math.isnan(part) else min(max(part, 0.1), 0.9))


def _cubic_top(a: Trial, b: Trial) -> float:
    """Where the cubic with the values and slopes of both has its maximum, or NaN (Nocedal & Wright, equation 3.59)."""
    way = b.step - a.step
    d1 = 3 * (b.value - a.value) / way - a.slope - b.slope
    square = d1 * d1 - a.slope * b.slope
    if not 0 <= square < math.inf:
        return math.nan
    d2 = math.copysign(math.sqrt(square), way)
    below = a.slope - b.slope + 2 * d2
    return b.step - way * (d2 - d1 - b.slope) / below if below else math.nan
