"""The slope of a training's objectives in the vectors of tokens, sentence by sentence.

    ∂J/∂x_{t,d} = Σ_y ∂J/∂u_t(y) · factor_d θ_{d,y}

Every objective here says what a score of a token and a label adds to it, so each has this slope: decided and partial
labels, entropy, label shares. What depends on a whole text, such as shares, has the slope that `take` found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.features.dense import TokenTable
from sstag.foundation.arrays import Floats, Halves, Ints, Singles
from sstag.foundation.grouping import ABSENT
from sstag.foundation.parallel import Over
from sstag.model.batches import Batch, in_batches
from sstag.model.dataset import Dataset
from sstag.model.weight_map import DataMap, WeightMap, Weights
from sstag.training.criterion import closed
from sstag.training.looks import Part


@dataclass(frozen=True)
class Chunk:
    """Some sentences of a part, and the tokens whose vectors they look at."""

    part: int
    batch: Batch
    rows: Mapping[int, Ints]  # by the number of a table


class VectorSlopes:
    """Objectives of texts as functions of the vectors of tokens, at weights that `take` sets."""

    def __init__(self, weight_map: WeightMap, parts: Sequence[Part], tables: Sequence[Halves]) -> None:
        """Dense features that look into one of the `tables` see all that is changed there."""
        self.weight_map, self.parts = weight_map, parts
        self._table_of = {id(table): number for number, table in enumerate(tables)}
        self._maps = [DataMap(weight_map, part.data, once=True) for part in parts]
        self._slopes: list[list[Floats]] = []

    def chunks(self, tokens: int) -> list[Chunk]:
        """The sentences of all parts, about so many tokens together."""
        return [
            Chunk(number, batch, self._rows(part.data, batch))
            for number, part in enumerate(self.parts)
            for batch in in_batches(part.data, self.weight_map.labels, tokens)
        ]

    def take(self, theta: Floats, over: Over) -> None:
        """Takes weights; objectives of whole texts are looked at once with the vectors as they are."""
        self._weights = [Weights(one, theta, over) for one in self._maps]
        dense = self.weight_map.dense_parts(self.weight_map.parts(theta)["dense"])
        self._factors = [
            (standard.factor[:, None] * own).T for standard, own in zip(self.weight_map.dense, dense, strict=True)
        ]
        self._slopes = [[*self._known(number)] for number in range(len(self.parts))]

    def at(self, chunk: Chunk) -> tuple[float, dict[int, tuple[Ints, Singles]]]:
        """The part of a chunk in the objectives, and its slope in the rows of each table."""
        part = self.parts[chunk.part]
        lattice = self._weights[chunk.part].lattice(chunk.batch)
        value, d = 0.0, np.zeros((len(chunk.batch.edge_index), self.weight_map.labels))
        for objective, slope in zip(part.objectives, self._slopes[chunk.part], strict=True):
            side = objective.side(part.data, chunk.batch)
            value += float(np.vdot(slope, objective.gather(lattice, side)))
            d += objective.push(lattice, side, slope).unary
        return value, self._in_tables(chunk, d)

    def _in_tables(self, chunk: Chunk, d: Floats) -> dict[int, tuple[Ints, Singles]]:
        found = {}
        for table, rows in chunk.rows.items():
            sums = np.zeros((len(rows), self._factors_of(table)))
            for block, factors in zip(self.parts[chunk.part].data.dense, self._factors, strict=True):
                if self._table_of.get(id(block.numbers)) == table:
                    own = block.rows[chunk.batch.tokens]
                    here = own != ABSENT
                    sums[np.searchsorted(rows, own[here])] += d[here] @ factors  # each row once
            found[table] = rows, sums.astype(np.float32)
        return found

    def _factors_of(self, table: int) -> int:
        return next(
            len(standard.mean)
            for part in self.parts
            for block, standard in zip(part.data.dense, self.weight_map.dense, strict=True)
            if self._table_of.get(id(block.numbers)) == table
        )

    def _rows(self, data: Dataset, batch: Batch) -> dict[int, Ints]:
        found: dict[int, list[Ints]] = {}
        for block in data.dense:
            if (table := self._table_of.get(id(block.numbers))) is not None:
                found.setdefault(table, []).append(block.rows[batch.tokens])
        return {table: _present(np.concatenate(rows)) for table, rows in found.items()}

    def _known(self, number: int) -> Iterator[Floats]:
        """The slope of each objective of a part."""
        part = self.parts[number]
        if not part.twice:
            yield from (slope for slope in part.slopes if slope is not None)
            return
        sums: list[Floats] = []
        for batch in in_batches(part.data, self.weight_map.labels):
            lattice = self._weights[number].lattice(batch)
            own = [objective.gather(lattice, objective.side(part.data, batch)) for objective in part.objectives]
            sums = [a + b for a, b in zip(sums, own, strict=True)] if sums else own
        _, slopes = closed(0.0, part.objectives, part.factor, sums)
        yield from slopes


def with_tables(part: Part, changing: Mapping[int, Halves]) -> Part:
    """A part whose dense features look into other tables, by the identity of those that they look into."""
    dense = tuple(
        replace(block, numbers=changing[id(block.numbers)])
        if isinstance(block, TokenTable) and id(block.numbers) in changing
        else block
        for block in part.data.dense
    )
    return replace(part, data=replace(part.data, dense=dense))


def _present(rows: Ints) -> Ints:
    found: Ints = np.unique(rows[rows != ABSENT])
    return found
