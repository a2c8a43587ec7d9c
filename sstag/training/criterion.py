"""The criterion that training maximises: objectives over texts, and the prior; its value and gradient at θ.

    J(θ) = Σ objectives − l2/2 ‖θ‖²

A weight that stands for the equal shares of m weights (`tied`) has the prior l2/m, and one that has the prior λ l2
(`priors`) is as a share of 1/λ.

A text that lies in volumes is looked at one volume after another, wherever they lie: each gives its statistics and its
gradient, and these are added up in pairs by the numbers of the volumes. Objectives whose slope is known only when the
statistics of all volumes are, such as expectations, are looked at twice; the others, such as the entropy, once, with
the second look.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice
from operator import not_
from typing import NamedTuple, TypeAlias

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import Over
from sstag.foundation.shelves import Shelf
from sstag.model.large_data import Encoded
from sstag.model.weight_map import WeightMap
from sstag.training.direct import is_direct
from sstag.training.looks import Looks, Part
from sstag.training.objectives.contract import Objective, OfVolumes

TRUSTED = 30.0  # of the curvature along single weights (measured on chunking: 10 to 100 are as good)
LEAST = 1e-2  # curvature, where there is no prior
_Group: TypeAlias = tuple[OfVolumes, ...]  # objectives that look at a text together


@dataclass(frozen=True)
class LargePart:
    """A text in volumes, the objectives that look at it, and by how much they count."""

    volumes: Shelf[Encoded]
    objectives: tuple[OfVolumes, ...]
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class _Seen:
    """The part of volumes in a sum: statistics of each objective that is looked at once, and the gradient of all."""

    statistics: list[Floats]
    gradient: Floats

    def __add__(self, other: "_Seen") -> "_Seen":
        return _Seen(_added(self.statistics, other.statistics), self.gradient + other.gradient)


@dataclass(frozen=True, eq=False)
class _Statistics:
    """The part of volumes in a sum: statistics of each objective that is looked at twice."""

    found: list[Floats]

    def __add__(self, other: "_Statistics") -> "_Statistics":
        return _Statistics(_added(self.found, other.found))


def _added(some: list[Floats], others: list[Floats]) -> list[Floats]:
    return [one + other for one, other in zip(some, others, strict=True)]


class _OfVolume(NamedTuple):
    """A volume as the objectives see it that are looked at twice, and as the others do."""

    twice: Looks
    once: Looks


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
        self._twice, self._once = _apart(large.objectives) if large else ([], [])
        if large:
            self._volumes = large.volumes.made(_looks, weight_map, self._twice, self._once, large.factor)

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """J(θ) and ∂J/∂θ."""
        self._here.begin(self.weight_map, theta, self._over)
        found = self._here.look(self._over)
        gradient = theta / self.shares
        value = -0.5 * self.l2 * _core.dot(theta, gradient)
        slopes: list[list[Floats]] = []
        for number, part in enumerate(self._here.parts):
            value, slope = closed(value, part.objectives, part.factor, found[number])
            slopes.append(slope)
        if any(part.twice for part in self._here.parts):
            self._here.look_again(slopes, self._over)
        gradient *= -self.l2
        for number in range(len(self._here.parts)):
            gradient += self._here.total(number, self._over)
        if self._large:
            return self._with_volumes(self._large, value, gradient, theta)
        return value, gradient

    def _with_volumes(self, large: LargePart, value: float, gradient: Floats, theta: Floats) -> tuple[float, Floats]:
        """A value and gradient with those of the text in volumes added."""
        known: list[list[Floats]] = []
        given = self._volumes.given(theta)
        if self._twice:
            found = iter(self._volumes.summed(_statistics, self.weight_map, given).found)
            for group in self._twice:
                value, slope = closed(value, group, large.factor, [*islice(found, len(group))])
                known.append(slope)
        seen = self._volumes.summed(_seen, self.weight_map, given, known)
        value, _ = closed(value, [*chain.from_iterable(self._once)], large.factor, seen.statistics)
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


def closed(
    value: float, objectives: Sequence[Objective], factor: float, statistics: Sequence[Floats]
) -> tuple[float, list[Floats]]:
    """A value with those of some objectives added, and the slopes of their statistics."""
    slopes = []
    for objective, sums in zip(objectives, statistics, strict=True):
        closed, slope = objective.close(sums)
        value += factor * closed
        slopes.append(factor * slope)
    return value, slopes


def _apart(objectives: Sequence[OfVolumes]) -> tuple[list[_Group], list[_Group]]:
    """Objectives that look twice and once, in groups: alone what the core does alone, the others on lattices."""
    alone: list[_Group] = [(one,) for one in objectives if is_direct((one,))]
    together = tuple(one for one in objectives if not is_direct((one,)))
    groups = [*alone, together] if together else alone
    waiting = [any(one.slope is None for one in group) for group in groups]
    return [*compress(groups, waiting)], [*compress(groups, map(not_, waiting))]


def _looks(
    encoded: Encoded,
    over: Over,
    weight_map: WeightMap,
    twice: Sequence[_Group],
    once: Sequence[_Group],
    factor: float,
) -> _OfVolume:
    """A volume as groups of objectives see it."""

    def looks(groups: Sequence[_Group]) -> Looks:
        here = [tuple(one.within(encoded.volume.corpus) for one in group) for group in groups]
        return Looks(weight_map, [Part(encoded.data, own, factor) for own in here], staying=False)

    return _OfVolume(looks(twice), looks(once))


def _statistics(volume: _OfVolume, over: Over, weight_map: WeightMap, theta: Floats) -> _Statistics:
    """The statistics of a volume that have to be known before there is a gradient."""
    volume.twice.begin(weight_map, theta, over)
    found = volume.twice.look(over)
    volume.twice.end()
    return _Statistics([*chain.from_iterable(found[part] for part in range(len(found)))])


def _seen(
    volume: _OfVolume, over: Over, weight_map: WeightMap, theta: Floats, slopes: Sequence[Sequence[Floats]]
) -> _Seen:
    """The gradient of a volume when those statistics are known, and its other statistics."""
    volume.once.begin(weight_map, theta, over)
    found = volume.once.look(over)
    gradients = [*(volume.once.total(part, over) for part in range(len(volume.once.parts)))]
    volume.once.end()
    if slopes:
        volume.twice.begin(weight_map, theta, over)
        volume.twice.look_again(slopes, over)
        gradients += (volume.twice.total(part, over) for part in range(len(volume.twice.parts)))
        volume.twice.end()
    for gradient in gradients[1:]:
        gradients[0] += gradient
    return _Seen([*chain.from_iterable(found[part] for part in range(len(found)))], gradients[0])
