"""The figure that an hour more would bring, from the learning curve so far.

Power laws fit learning curves well (Figueroa et al. 2012): log(1 − F) is taken as a line in the logarithm of the
minutes. The interval is that of a new point of the regression. A curve that was flat so far leaves no deviation to
judge by, although figures of another hundred sentences would differ, so the deviation is at least that of a small
change of F.
"""

import math
from collections.abc import Sequence

from sstag.foundation.json_values import Json

HOUR = 60.0  # minutes
FEWEST_POINTS = 4  # of a curve that is extrapolated
CONFIDENCE = 0.9  # of the interval
UNSURE = 0.005  # by how much an F differs from the line at least, as a standard deviation
LEAST_LEFT = 1e-3  # 1 − F
DIGITS = 4


def forecast(points: Sequence[tuple[float, float]]) -> dict[str, Json] | None:
    """F after 60 more minutes, with an interval; None if there are too few points of minutes and F."""
    from scipy.special import stdtrit

    used = [(math.log(minutes), math.log(max(1 - f1, LEAST_LEFT))) for minutes, f1 in points]
    if len({x for x, _ in used}) < FEWEST_POINTS:
        return None
    n = len(used)
    mean_x, mean_y = (sum(column) / n for column in zip(*used, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in used)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in used) / spread
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in used)
    there = math.log(max(minutes for minutes, _ in points) + HOUR)
    middle = mean_y + slope * (there - mean_x)
    deviation = max(math.sqrt(rest / (n - 2)), UNSURE / math.exp(mean_y))
    width = float(stdtrit(n - 2, (1 + CONFIDENCE) / 2)) * deviation
    width *= math.sqrt(1 + 1 / n + (there - mean_x) ** 2 / spread)
    f1, low, high = (
        round(max(1 - math.exp(min(y, 0.0)), 0.0), DIGITS) for y in (middle, middle + width, middle - width)
    )
    return {"minutes": int(HOUR), "f1": f1, "low": low, "high": high}
