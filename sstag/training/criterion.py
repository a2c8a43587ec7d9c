"""The criterion that training maximises: objectives over texts, and the prior; its value and gradient at θ.

    J(θ) = Σ objectives − l2/2 ‖θ‖²

A weight that stands for the equal shares of m weights (`tied`) has the prior l2/m, and one that has the prior λ l2
(`priors`) is as a share of 1/λ.

A text that lies in volumes is looked at one volume after another, wherever they lie: each gives its statistics and its
gradient, and these are added up in pairs by the numbers of the volumes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import Over
from sstag.foundation.shelves import Shelf
from sstag.model.large_data import Encoded
from sstag.model.weight_map import WeightMap
from sstag.training.looks import Looks, Part
from sstag.training.objectives.contract import Objective, OfVolumes

TRUSTED = 30.0  # of the curvature along single weights (measured on chunking: 10 to 100 are as good)
LEAST = 1e-2  # curvature, where there is no prior


@dataclass(frozen=True)
class LargePart:
    """A text in volumes, the objectives that look at it, and by how much they count."""

    volumes: Shelf[Encoded]
    objectives: tuple[OfVolumes, ...]
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class _Seen:
    """The part of volumes in a sum: statistics of each objective, and a gradient if there is one."""

    statistics: list[Floats]
    gradient: Floats | None

    def __add__(self, other: "_Seen") -> "_Seen":
        sums = [a + b for a, b in zip(self.statistics, other.statistics, strict=True)]
        if self.gradient is None or other.gradient is None:
            return _Seen(sums, None)
        return _Seen(sums, self.gradient + other.gradient)


class Criterion:
    """J and its gradient; `over` shares the work among threads."""

    def __init__(
        self,
        weight_map: WeightMap,
        parts: Sequence[Part],
        l2: float,
        over: Over,
        shares: float | Floats = 1.0,
        large: LargePart | None = None,
    ) -> None:
        self.weight_map, self.l2, self.shares, self._over = weight_map, l2, shares, over
        self._here = Looks(weight_map, parts, staying=True)
        self._large = large
        self._volumes = large.volumes.made(_looks, weight_map, large.objectives, large.factor) if large else None

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """J(θ) and ∂J/∂θ."""
        self._here.begin(self.weight_map, theta, self._over)
        found = self._here.look(self._over)
        gradient = theta / self.shares
        value = -0.5 * self.l2 * _core.dot(theta, gradient)
        slopes: list[list[Floats]] = []
        for number, part in enumerate(self._here.parts):
            value, slope = _closed(value, part.objectives, part.factor, found[number])
            slopes.append(slope)
        seen = self._volumes.summed(_seen, self.weight_map, theta) if self._volumes else None
        if any(part.twice for part in self._here.parts):
            self._here.look_again(slopes, self._over)
        gradient *= -self.l2
        for number in range(len(self._here.parts)):
            gradient += self._here.total(number, self._over)
        if seen and self._large and self._volumes:
            value, slope = _closed(value, self._large.objectives, self._large.factor, seen.statistics)
            if seen.gradient is None:
                seen = self._volumes.summed(_seen_again, self.weight_map, theta, slope)
            assert seen.gradient is not None
            gradient += seen.gradient
        return value, gradient

    def curvature(self, theta: Floats) -> Floats:
        """About how much −J curves along each weight: what the optimiser begins from.

        The likelihood alone has l2 + Σ value · p(1 − p). But the many attributes of one token curve together, and of
        directions among frequent attributes some curve no more than the prior does, so what is added to l2 is never
        more than TRUSTED. Of volumes nothing is known: no objective that looks at them is concave.
        """
        self._here.begin(self.weight_map, theta, self._over)
        self._here.look_around(self._over)
        result = np.zeros(len(theta))
        for number in range(len(self._here.parts)):
            found = self._here.total(number, self._over, curvature=True)
            result += np.abs(found, out=found)
        bound = result + TRUSTED
        result *= np.divide(TRUSTED, bound, out=bound)
        result += self.l2
        np.maximum(result, LEAST, out=result)
        result /= self.shares  # as each of them does, so that the climb is theirs
        return result


def _closed(
    value: float, objectives: Sequence[Objective], factor: float, statistics: Sequence[Floats]
) -> tuple[float, list[Floats]]:
    """A value with those of some objectives added, and the slopes of their statistics."""
    slopes = []
    for objective, sums in zip(objectives, statistics, strict=True):
        closed, slope = objective.close(sums)
        value += factor * closed
        slopes.append(factor * slope)
    return value, slopes


def _looks(
    encoded: Encoded, over: Over, weight_map: WeightMap, objectives: Sequence[OfVolumes], factor: float
) -> Looks:
    """A volume as the objectives see it."""
    here = tuple(objective.within(encoded.volume.corpus) for objective in objectives)
    return Looks(weight_map, [Part(encoded.data, here, factor)], staying=False)


def _seen(looks: Looks, over: Over, weight_map: WeightMap, theta: Floats) -> _Seen:
    """The statistics of a volume; and its gradient, unless these have to be known first."""
    looks.begin(weight_map, theta, over)
    statistics = looks.look(over)[0]
    gradient = None if looks.parts[0].twice else looks.total(0, over)
    looks.end()
    return _Seen(statistics, gradient)


def _seen_again(looks: Looks, over: Over, weight_map: WeightMap, theta: Floats, slopes: list[Floats]) -> _Seen:
    """The gradient of a volume when all statistics are known."""
    looks.begin(weight_map, theta, over)
    looks.look_again([slopes], over)
    gradient = looks.total(0, over)
    looks.end()
    return _Seen([], gradient)
