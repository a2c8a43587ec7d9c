"""The figure that an hour more would bring, from the learning curve so far.

Power laws fit learning curves well (Figueroa et al. 2012): log(1 − F) is taken as a line in the logarithm of the
minutes, with the interval of a new point of the regression. But a curve may bend: a line through its later half is
drawn as well, the figure is that between the two, and the interval has both. A curve that was flat leaves no deviation
to judge by, although figures of other sentences would differ, so the deviation is at least that of a small change of F.
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
    used = sorted((math.log(minutes), math.log(max(1 - f1, LEAST_LEFT))) for minutes, f1 in points)
    parts = [part for part in (used, used[len(used) // 2 :]) if len({x for x, _ in part}) >= FEWEST_POINTS]
    if not parts:
        return None
    there = math.log(math.exp(used[-1][0]) + HOUR)
    lines = [_continued(part, there) for part in parts]
    middle = sum(line for line, _ in lines) / len(lines)
    low, high = max(line + width for line, width in lines), min(line - width for line, width in lines)
    f1, least, most = (round(max(1 - math.exp(min(y, 0.0)), 0.0), DIGITS) for y in (middle, low, high))
    return {"minutes": int(HOUR), "f1": f1, "low": least, "high": most}


def _continued(points: Sequence[tuple[float, float]], there: float) -> tuple[float, float]:
    """The height at a place of the line through points, and by how much a new point may differ from it."""
    from scipy.special import stdtrit

    n = len(points)
    mean_x, mean_y = (sum(column) / n for column in zip(*points, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    rest = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    deviation = max(math.sqrt(rest / (n - 2)), UNSURE / math.exp(mean_y))
    width = float(stdtrit(n - 2, (1 + CONFIDENCE) / 2)) * deviation
    width *= math.sqrt(1 + 1 / n + (there - mean_x) ** 2 / spread)
    return mean_y + slope * (there - mean_x), width
