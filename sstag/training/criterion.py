"""The criterion that training maximises: objectives over datasets, and the prior; its value and gradient at θ.

    J(θ) = Σ objectives − l2/2 ‖θ‖²

A weight that stands for the equal shares of m weights (`tied`) has the prior l2/m, and one that has the prior λ l2
(`priors`) is as a share of 1/λ.

Batches are looked at in a fixed number of shards, each with a gradient of its own; shards and their sums are in an
order that the data gives, so the threads that share the work change nothing. If the slope of an objective is known
only when its statistics are complete, the batches of its dataset are visited twice; lattices are kept in between as
far as a budget of bytes allows, and made again beyond it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from sstag.chain import _core
from sstag.chain.buffers import Buffers
from sstag.chain.forward_backward import lattice_bytes, whole_vectors
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import Over, even_shards
from sstag.model.batches import Batch, in_batches
from sstag.model.dataset import Dataset
from sstag.model.weight_map import DataMap, Gradient, WeightMap, Weights, total
from sstag.training import direct
from sstag.training.objectives.contract import Objective
from sstag.training.objectives.expectation import ListedSide

SHARDS = 8
GRADIENTS = 128 * 2**20  # bytes that the shards' gradients may take; there are at least two shards
TRUSTED = 30.0  # of the curvature along single weights (measured on chunking: 10 to 100 are as good)
LEAST = 1e-2  # curvature, where there is no prior
KEPT = 512 * 2**20  # bytes of lattices kept between two visits


@dataclass(frozen=True)
class Part:
    """A dataset, the objectives that look at it, and by how much they count."""

    data: Dataset
    objectives: tuple[Objective, ...]
    factor: float = 1.0


@dataclass(frozen=True)
class _Visit:
    """A batch, and whatever the objectives prepared for it."""

    part: int
    batch: Batch
    sides: tuple[object, ...]
    direct: bool  # without a lattice
    kept: Buffers | None  # where its lattice is kept between two visits,
    weights: Floats | None  # or, without one, the weights of its forward pass (T, W)


@dataclass(frozen=True)
class _Shard:
    """Some visits, and what they add to the gradient, by part; its memory is used again in every pass."""

    visits: list[_Visit]
    gradients: dict[int, Gradient]
    buffers: Buffers

    def lattice(self, visit: _Visit, weights: Sequence[Weights]) -> Lattice:
        """The lattice of a visit, which lives until the next visit unless it is kept."""
        buffers = visit.kept or self.buffers
        buffers.restart()
        return weights[visit.part].lattice(visit.batch, buffers=buffers)

    def clear(self) -> None:
        """Forgets what was added."""
        for gradient in self.gradients.values():
            gradient.clear()


class Criterion:
    """J and its gradient; `over` shares the shards among threads."""

    def __init__(
        self, weight_map: WeightMap, parts: Sequence[Part], l2: float, over: Over, shares: float | Floats = 1.0
    ) -> None:
        self.weight_map, self.parts, self.l2, self.shares = weight_map, tuple(parts), l2, shares
        self._over = over
        self._maps = [DataMap(weight_map, part.data) for part in self.parts]
        self._taken: list[Weights] | None = None
        self._slopes = [[_scaled(one.slope, part.factor) for one in part.objectives] for part in self.parts]
        self._twice = [any(slope is None for slope in slopes) for slopes in self._slopes]
        visits = self._visits()
        sums = max(
            weight_map.size + max((prod(one.rows) for one in self._maps), default=0), 1
        )  # numbers of a shard's gradient
        cells = sum(part.data.unary.rows for part in self.parts) * weight_map.labels
        count = int(np.clip(min(GRADIENTS // (8 * sums), cells // sums), 2, SHARDS))
        count = 1 << count.bit_length() - 1  # a power of two, which few threads share evenly
        sizes = [visit.batch.tokens.stop - visit.batch.tokens.start for visit in visits]
        self._shards = [self._shard([visits[i] for i in some]) for some in even_shards(sizes, count)]

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """J(θ) and ∂J/∂θ."""
        weights = self._weights(theta)
        looks = self._over(lambda shard: self._look(shard, weights), self._shards)
        gradient = theta / self.shares
        value = -0.5 * self.l2 * _core.dot(theta, gradient)
        slopes: list[list[Floats]] = []
        for number, part in enumerate(self.parts):
            slopes.append([])
            for index, objective in enumerate(part.objectives):
                statistics = [look.statistics[number][index] for look in looks if number in look.statistics]
                closed, slope = objective.close(sum(statistics[1:], start=statistics[0]))
                value += part.factor * closed
                slopes[-1].append(part.factor * slope)
        if any(self._twice):
            both = list(zip(self._shards, looks, strict=True))
            self._over(lambda pair: self._look_again(pair[0], pair[1], weights, slopes), both)
        gradient *= -self.l2
        for number in range(len(self.parts)):
            gradient += self._total(number)
        return value, gradient

    def curvature(self, theta: Floats) -> Floats:
        """About how much −J curves along each weight: what the optimiser begins from.

        The likelihood alone has l2 + Σ value · p(1 − p). But the many attributes of one token curve together, and of
        directions among frequent attributes some curve no more than the prior does, so what is added to l2 is never
        more than TRUSTED.
        """
        weights = self._weights(theta)
        self._over(lambda shard: self._look_around(shard, weights), self._shards)
        result = np.zeros(len(theta))
        for number in range(len(self.parts)):
            found = self._total(number, curvature=True)
            result += np.abs(found, out=found)
        bound = result + TRUSTED
        result *= np.divide(TRUSTED, bound, out=bound)
        result += self.l2
        np.maximum(result, LEAST, out=result)
        result /= self.shares  # as each of them does, so that the climb is theirs
        return result

    def _weights(self, theta: Floats) -> list[Weights]:
        """θ for each part, in memory that every pass uses again."""
        if self._taken is None:
            self._taken = [Weights(one, theta, self._over) for one in self._maps]
        else:
            for weights in self._taken:
                weights.take(theta, self._over)
        return self._taken

    def _shard(self, visits: list[_Visit]) -> _Shard:
        return _Shard(
            visits, {part: Gradient(self._maps[part]) for part in {visit.part for visit in visits}}, Buffers()
        )

    def _visits(self) -> list[_Visit]:
        visits, room = [], KEPT
        for number, part in enumerate(self.parts):
            is_direct = direct.is_direct(part.objectives)
            for batch in in_batches(part.data, self.weight_map.labels):
                tokens, labels = len(batch.edge_index), self.weight_map.labels
                size = tokens, whole_vectors(labels)
                need = 8 * prod(size) if is_direct else lattice_bytes(tokens, labels, len(batch.steps.indptr) - 1)
                kept = self._twice[number] and need <= room
                room -= need if kept else 0
                sides = tuple(objective.side(part.data, batch) for objective in part.objectives)
                buffers = Buffers() if kept and not is_direct else None
                w = np.empty(size) if kept and is_direct else None
                visits.append(_Visit(number, batch, sides, is_direct, buffers, w))
        return visits

    def _look(self, shard: _Shard, weights: Sequence[Weights]) -> "_Look":
        """Gathers from the batches of a shard; pushes where nothing has to be waited for."""
        look = _Look({}, {})
        shard.clear()
        for index, visit in enumerate(shard.visits):
            part = self.parts[visit.part]
            if visit.direct:
                self._look_directly(visit, shard, weights[visit.part], look)
                continue
            lattice = shard.lattice(visit, weights)
            sides = zip(part.objectives, visit.sides, strict=True)
            look.add(visit.part, [objective.gather(lattice, side) for objective, side in sides])
            if not self._twice[visit.part]:
                slopes = [slope for slope in self._slopes[visit.part] if slope is not None]
                shard.gradients[visit.part].add(self._pushed(visit, lattice, slopes), visit.batch)
            elif visit.kept:
                look.lattices[index] = lattice
        return look

    def _look_directly(self, visit: _Visit, shard: _Shard, weights: Weights, look: "_Look") -> None:
        """Gathers from a batch without a lattice."""
        part, into = self.parts[visit.part], shard.gradients[visit.part]
        (objective,), (side,) = part.objectives, visit.sides
        (before,) = look.statistics.get(visit.part, [None])
        look.statistics[visit.part] = [
            direct.gathered(
                objective, side, weights, visit.batch, part.factor, into, shard.buffers, visit.weights, before
            )
        ]

    def _look_again(
        self, shard: _Shard, look: "_Look", weights: Sequence[Weights], slopes: Sequence[Sequence[Floats]]
    ) -> None:
        """Pushes through the batches of a shard when the slopes are known."""
        for index, visit in enumerate(shard.visits):
            if not self._twice[visit.part]:
                continue
            if visit.direct:
                (side,), (slope,), into = visit.sides, slopes[visit.part], shard.gradients[visit.part]
                assert isinstance(side, ListedSide)
                direct.push(side, weights[visit.part], visit.batch, slope, into, shard.buffers, visit.weights)
            else:
                lattice = look.lattices.pop(index, None) or shard.lattice(visit, weights)
                d = self._pushed(visit, lattice, slopes[visit.part])
                shard.gradients[visit.part].add(d, visit.batch)

    def _look_around(self, shard: _Shard, weights: Sequence[Weights]) -> None:
        """How the objectives of a shard curve."""
        shard.clear()
        for visit in shard.visits:
            lattice = shard.lattice(visit, weights)
            for objective, side in zip(self.parts[visit.part].objectives, visit.sides, strict=True):
                curves = objective.curvature(lattice, side)
                if curves is not None:
                    shard.gradients[visit.part].add(self.parts[visit.part].factor * curves, visit.batch)

    def _total(self, part: int, curvature: bool = False) -> Floats:
        """The gradient of a part, or its curvature, in θ."""
        gradients = [shard.gradients[part] for shard in self._shards if part in shard.gradients]
        return total(gradients, self._over, curvature)

    def _pushed(self, visit: _Visit, lattice: Lattice, slopes: Sequence[Floats]) -> Potentials:
        objectives = self.parts[visit.part].objectives
        pushed = [
            objective.push(lattice, side, slope)
            for objective, side, slope in zip(objectives, visit.sides, slopes, strict=True)
        ]
        return sum(pushed[1:], start=pushed[0])


@dataclass(frozen=True)
class _Look:
    """The outcome of a shard: the statistics of each objective, by part, and the lattices that it keeps."""

    statistics: dict[int, list[Floats]]
    lattices: dict[int, Lattice]

    def add(self, part: int, gathered: list[Floats]) -> None:
        """Adds the statistics of a batch, one array for each objective."""
        before = self.statistics.get(part)
        self.statistics[part] = [a + b for a, b in zip(before, gathered, strict=True)] if before else gathered


def _scaled(slope: Floats | None, factor: float) -> Floats | None:
    return None if slope is None else factor * slope
