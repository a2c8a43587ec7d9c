"""Looks at some sentences from weights: the statistics of objectives over them, and their gradient.

The batches are looked at in a fixed number of shards, each with a gradient of its own; shards and their sums are in an
order that the data gives, so the threads that share the work change nothing. If the slope of an objective is known only
when its statistics are complete, the batches of its dataset are visited twice; lattices are kept in between as far as a
budget of bytes allows, and made again beyond it.

What is looked at in every pass of a climb keeps its memory from pass to pass (`Looks(…, staying=True)`); what is one of
many volumes leaves nothing behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

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
KEPT = 512 * 2**20  # bytes of lattices kept between two visits


@dataclass(frozen=True)
class Part:
    """A dataset, the objectives that look at it, and by how much they count."""

    data: Dataset
    objectives: tuple[Objective, ...]
    factor: float = 1.0

    @property
    def slopes(self) -> list[Floats | None]:
        """∂value/∂statistics of each objective, as far as it is known before anything is looked at."""
        return [None if one.slope is None else self.factor * one.slope for one in self.objectives]

    @property
    def twice(self) -> bool:
        """Whether it has to be visited twice."""
        return any(slope is None for slope in self.slopes)


@dataclass(frozen=True)
class _Visit:
    """A batch, and whatever the objectives prepared for it."""

    part: int
    batch: Batch
    sides: tuple[object, ...]
    direct: bool  # without a lattice
    kept: Buffers | None  # where its lattice is kept between two visits,
    weights: Floats | None  # or, without one, the weights of its forward pass (T, W)


class _Shard:
    """Some visits, and what they add to the gradient, by part."""

    def __init__(self, visits: list[_Visit], maps: Sequence[DataMap]) -> None:
        self.visits = visits
        self.gradients = {part: Gradient(maps[part]) for part in {visit.part for visit in visits}}
        self.buffers = Buffers()
        self.lattices: dict[int, Lattice] = {}  # by the number of the visit
        self.statistics: dict[int, list[Floats]] = {}  # of each objective, by part

    def lattice(self, visit: _Visit, weights: Sequence[Weights]) -> Lattice:
        """The lattice of a visit, which lives until the next visit unless it is kept."""
        buffers = visit.kept or self.buffers
        buffers.restart()
        return weights[visit.part].lattice(visit.batch, buffers=buffers)

    def clear(self) -> None:
        """Forgets what was added."""
        self.statistics = {}
        for gradient in self.gradients.values():
            gradient.clear()

    def add(self, part: int, gathered: list[Floats]) -> None:
        """Adds the statistics of a batch, one array for each objective."""
        before = self.statistics.get(part)
        self.statistics[part] = [a + b for a, b in zip(before, gathered, strict=True)] if before else gathered


class Looks:
    """Parts of texts that are looked at together."""

    def __init__(self, weight_map: WeightMap, parts: Sequence[Part], staying: bool) -> None:
        self.parts, self.staying = tuple(parts), staying
        self._visits = self._made_visits(weight_map.labels)
        maps = self._maps_to(weight_map)
        sums = max(
            weight_map.size + max((prod(one.rows) for one in maps), default=0), 1
        )  # numbers of a shard's gradient
        cells = sum(part.data.unary.rows for part in self.parts) * weight_map.labels
        count = int(np.clip(min(GRADIENTS // (8 * sums), cells // sums), 2, SHARDS))
        count = 1 << count.bit_length() - 1  # a power of two, which few threads share evenly
        sizes = [visit.batch.tokens.stop - visit.batch.tokens.start for visit in self._visits]
        self._cut = even_shards(sizes, count)
        self._weights: list[Weights] = []
        self._shards: list[_Shard] = []

    def _maps_to(self, weight_map: WeightMap) -> list[DataMap]:
        return [DataMap(weight_map, part.data, once=not self.staying) for part in self.parts]

    def begin(self, weight_map: WeightMap, theta: Floats, over: Over) -> None:
        """Takes weights, with which the looks that follow are made."""
        if self._weights:
            for weights in self._weights:
                weights.take(theta, over)
            return
        maps = self._maps_to(weight_map)
        self._weights = [Weights(one, theta, over) for one in maps]
        self._shards = [_Shard([self._visits[i] for i in some], maps) for some in self._cut]

    def end(self) -> None:
        """Gives memory back that no later pass of these looks uses."""
        if not self.staying:
            self._weights, self._shards = [], []

    def look(self, over: Over) -> dict[int, list[Floats]]:
        """The statistics of the objectives of each part; where nothing has to be waited for, the gradient, too."""
        over(self._look, self._shards)
        found: dict[int, list[Floats]] = {}
        for shard in self._shards:
            for number, statistics in shard.statistics.items():
                before = found.get(number)
                found[number] = [a + b for a, b in zip(before, statistics, strict=True)] if before else statistics
        return found

    def look_again(self, slopes: Sequence[Sequence[Floats]], over: Over) -> None:
        """The gradient of the parts that are visited twice, when the slopes of all parts are known."""
        over(lambda shard: self._look_again(shard, slopes), self._shards)

    def look_around(self, over: Over) -> None:
        """How the objectives curve, in place of the gradient."""
        over(self._look_around, self._shards)

    def total(self, part: int, over: Over, curvature: bool = False) -> Floats:
        """The gradient of a part, or its curvature, in θ."""
        gradients = [shard.gradients[part] for shard in self._shards if part in shard.gradients]
        return total(gradients, over, curvature)

    def _made_visits(self, labels: int) -> list[_Visit]:
        visits, room = [], KEPT if self.staying else 0
        for number, part in enumerate(self.parts):
            is_direct = direct.is_direct(part.objectives)
            for batch in in_batches(part.data, labels):
                tokens = len(batch.edge_index)
                size = tokens, whole_vectors(labels)
                need = 8 * prod(size) if is_direct else lattice_bytes(tokens, labels, len(batch.steps.indptr) - 1)
                kept = part.twice and need <= room
                room -= need if kept else 0
                sides = tuple(objective.side(part.data, batch) for objective in part.objectives)
                buffers = Buffers() if kept and not is_direct else None
                w = np.empty(size) if kept and is_direct else None
                visits.append(_Visit(number, batch, sides, is_direct, buffers, w))
        return visits

    def _look(self, shard: _Shard) -> None:
        """Gathers from the batches of a shard; pushes where nothing has to be waited for."""
        shard.clear()
        for index, visit in enumerate(shard.visits):
            part = self.parts[visit.part]
            if visit.direct:
                self._look_directly(visit, shard)
                continue
            lattice = shard.lattice(visit, self._weights)
            sides = zip(part.objectives, visit.sides, strict=True)
            shard.add(visit.part, [objective.gather(lattice, side) for objective, side in sides])
            if not part.twice:
                slopes = [slope for slope in part.slopes if slope is not None]
                shard.gradients[visit.part].add(self._pushed(visit, lattice, slopes), visit.batch)
            elif visit.kept:
                shard.lattices[index] = lattice

    def _look_directly(self, visit: _Visit, shard: _Shard) -> None:
        """Gathers from a batch without a lattice."""
        part, into = self.parts[visit.part], shard.gradients[visit.part]
        (objective,), (side,) = part.objectives, visit.sides
        (before,) = shard.statistics.get(visit.part, [None])
        shard.statistics[visit.part] = [
            direct.gathered(
                objective,
                side,
                self._weights[visit.part],
                visit.batch,
                part.factor,
                into,
                visit.weights,
                before,
            )
        ]

    def _look_again(self, shard: _Shard, slopes: Sequence[Sequence[Floats]]) -> None:
        """Pushes through the batches of a shard when the slopes are known."""
        for index, visit in enumerate(shard.visits):
            if not self.parts[visit.part].twice:
                continue
            if visit.direct:
                (side,), (slope,), into = visit.sides, slopes[visit.part], shard.gradients[visit.part]
                assert isinstance(side, ListedSide)
                weights = self._weights[visit.part]
                direct.push(side, weights, visit.batch, slope, into, visit.weights)
            else:
                lattice = shard.lattices.pop(index, None) or shard.lattice(visit, self._weights)
                d = self._pushed(visit, lattice, slopes[visit.part])
                shard.gradients[visit.part].add(d, visit.batch)

    def _look_around(self, shard: _Shard) -> None:
        """How the objectives of a shard curve."""
        shard.clear()
        for visit in shard.visits:
            lattice = shard.lattice(visit, self._weights)
            for objective, side in zip(self.parts[visit.part].objectives, visit.sides, strict=True):
                curves = objective.curvature(lattice, side)
                if curves is not None:
                    shard.gradients[visit.part].add(self.parts[visit.part].factor * curves, visit.batch)

    def _pushed(self, visit: _Visit, lattice: Lattice, slopes: Sequence[Floats]) -> Potentials:
        objectives = self.parts[visit.part].objectives
        pushed = [
            objective.push(lattice, side, slope)
            for objective, side, slope in zip(objectives, visit.sides, slopes, strict=True)
        ]
        return sum(pushed[1:], start=pushed[0])
