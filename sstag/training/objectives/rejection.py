"""Chunks that sentences have, and others that they do not have: half of a person's answers to questions of yes and no.

    Σ_i ω_i log P(every accepted chunk, none of the rejected ones | Λ_i) = Σ_i ω_i (log Z_{Λ,chunks}(i) − log Z_Λ(i))
    ∂/∂potentials = ω_i · (marginals under Λ and the chunks − marginals under Λ)

For one rejected chunk of a raw sentence that is log(1 − P(chunk)), bounds and type. Several are no product of such
terms: the labellings without any of them are the paths of a larger chain (`chain/chunk_automaton.py`), so the sum
over them is exact. Λ are the labels that the tokens may have, so that with the likelihood, log Z_Λ − log Z, this is
one likelihood, of all that is said of a sentence. Cost: a pass over the sentences with chunks, and one over their
larger chains; one more if labels are known as well. Limits: without chunks it is 0; a chunk that cannot be there
changes nothing.
"""

from dataclasses import dataclass

import numpy as np

from sstag.chain.chunk_automaton import Automaton, KnownChunks, automata
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Longs
from sstag.foundation.errors import NoPathError
from sstag.foundation.ranges import rows_of
from sstag.model.batches import Batch, in_batches
from sstag.model.dataset import Dataset


@dataclass(frozen=True, eq=False)
class ChunkSide:
    """The sentences of a batch that have chunks; the masked ones are those with a label that is not open."""

    larger: tuple[tuple[Automaton, Floats], ...]  # with the ω of their sentences
    unmasked: Floats  # (S,) ω of sentences with chunks whose labels are all open, 0 for others
    masked: Floats  # ω of the masked sentences
    rows: Longs  # their positions
    offsets: Longs
    allowed: Bools  # (len(rows), L)


@dataclass(frozen=True, eq=False)
class Rejection:
    """Σ ω log P(chunks | Λ); the chunks are those of the dataset it is used with."""

    chunks: KnownChunks

    @property
    def slope(self) -> Floats:
        return np.ones(1)

    def side(self, data: Dataset, batch: Batch) -> ChunkSide:
        within = (self.chunks.first >= batch.tokens.start) & (self.chunks.first < batch.tokens.stop)
        chunks = self.chunks.part(within, batch.tokens.start)
        allowed = None if data.sets is None else data.allowed[data.sets[batch.tokens]]
        omega = data.omega[batch.sentences]
        larger = automata(chunks, batch.edge_index, batch.offsets, allowed)
        has = np.zeros(len(omega), bool)
        has[chunks.sentences(batch.offsets)] = True
        closed = np.zeros(len(omega), bool)
        if allowed is not None:
            closed = ~np.logical_and.reduceat(allowed.all(axis=1), batch.offsets[:-1])
        masked = np.flatnonzero(has & closed)
        offsets, rows = rows_of(batch.offsets, masked)
        return ChunkSide(
            larger=tuple((one, omega[one.sentences]) for one in larger),
            unmasked=np.where(has & ~closed, omega, 0.0),
            masked=omega[masked],
            rows=rows,
            offsets=offsets,
            allowed=np.zeros((0, 0), bool) if allowed is None else allowed[rows],
        )

    def gather(self, lattice: Lattice, side: ChunkSide) -> Floats:
        value = -float((side.unmasked * lattice.log_z).sum())
        for (_, omega), chain in zip(side.larger, _larger(lattice, side), strict=True):
            value += float((omega * chain.log_z).sum())
        if len(side.masked):
            value -= float((side.masked * _restricted(lattice, side).log_z).sum())
        return np.array([value])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: ChunkSide, slope: Floats) -> Potentials:
        scale = float(slope[0])
        d = lattice.marginals(-scale * side.unmasked)
        unary, edge = d.unary, d.edge
        _add_counts(lattice, side, scale, unary, edge)
        if len(side.masked):
            under = _restricted(lattice, side).marginals(scale * side.masked)
            unary[side.rows] -= under.unary
            edge -= under.edge
        return d.with_values(unary, edge)

    def counts(self, lattice: Lattice, side: ChunkSide) -> Potentials:
        """ω times the expected counts of labels and steps, given the chunks and Λ."""
        pot = lattice.potentials
        unary, edge = np.zeros_like(pot.unary), np.zeros_like(pot.edge)
        _add_counts(lattice, side, 1.0, unary, edge)
        return pot.with_values(unary, edge)

    def contradicted(self, data: Dataset, labels: int) -> int | None:
        """The first sentence whose labels allow no labelling with these chunks, or without them."""
        for batch in in_batches(data, labels):
            unary = np.zeros((len(batch.edge_index), labels))
            edge = np.zeros((len(batch.steps.indptr) - 1, labels, labels))
            nothing = Potentials(unary, edge, batch.edge_index, batch.offsets)
            for chain, _ in self.side(data, batch).larger:
                try:
                    Lattice(chain.potentials(nothing)).log_z  # noqa: B018 - it is computed here
                except NoPathError as error:
                    return int(batch.sentences.start + chain.sentences[error.sentence])
        return None

    def curvature(self, lattice: Lattice, side: ChunkSide) -> None:
        """Not concave."""


def _add_counts(lattice: Lattice, side: ChunkSide, scale: float, unary: Floats, edge: Floats) -> None:
    for (one, omega), chain in zip(side.larger, _larger(lattice, side), strict=True):
        one.add(chain.marginals(scale * omega), unary, edge)


def _larger(lattice: Lattice, side: ChunkSide) -> list[Lattice]:
    """The lattices of the larger chains."""
    pot = lattice.potentials
    return lattice.once((side, "larger"), lambda: [Lattice(one.potentials(pot)) for one, _ in side.larger])


def _restricted(lattice: Lattice, side: ChunkSide) -> Lattice:
    """The lattice of the masked sentences over what they allow."""

    def made() -> Lattice:
        whole = lattice.potentials
        part = Potentials(whole.unary[side.rows], whole.edge, whole.edge_index[side.rows], side.offsets)
        return lattice.restricted(side.allowed, part)

    return lattice.once((side, "restricted"), made)
