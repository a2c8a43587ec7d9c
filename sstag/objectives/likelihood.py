"""The restricted conditional log-likelihood (Tsuboi et al. 2008, eq. 3–5; weighted: Sokolovska 2011, eq. 2).

    ℓ = Σ_i ω_i (log Z_Λ(i) − log Z(i))          ∂ℓ/∂potentials = ω_i (marginals under Λ − marginals)

Z_Λ sums over the paths that take an allowed label at every position. Where each position allows one label, log Z_Λ is
the score of that path and its marginals are 0 and 1: the supervised likelihood. Where all labels are allowed everywhere
a sentence adds 0. Full, ambiguous, partial and weighted sentences differ in nothing else. Cost: a pass over the chunk,
and one more over the sentences that are neither. Limits: singleton sets are the CRF, weight 2 is the sentence twice.
"""

from dataclasses import dataclass

import numpy as np

from sstag.arrays import Bools, Floats, Ints, Longs
from sstag.chunks import Chunk
from sstag.dataset import Dataset
from sstag.lattice import Lattice
from sstag.potentials import Potentials


@dataclass(frozen=True, eq=False)
class Side:
    """The labels of a chunk. A sentence is full (one label everywhere), masked, or free; a free one adds nothing."""

    weights: Floats  # (S,) ω, 0 for free sentences
    full: Floats  # (S,) ω, 0 for sentences that are not full
    gold: Ints  # (T,) the label, any label where a sentence is not full
    inner: Longs  # the positions of full sentences that a step leads into
    owner: Longs  # (T,) the sentence of each position
    masked: Longs  # the masked sentences
    rows: Longs  # the positions of the masked sentences
    offsets: Longs  # of the masked sentences among themselves
    allowed: Bools  # (len(rows), L)


@dataclass(frozen=True)
class Likelihood:
    """ℓ, summed over sentences."""

    @property
    def slope(self) -> Floats:
        return np.ones(1)

    def side(self, data: Dataset, chunk: Chunk) -> Side:
        lengths = np.diff(chunk.offsets)
        owner = np.repeat(np.arange(len(lengths)), lengths)
        if data.sets is None:
            gold = np.zeros(len(owner), np.int32)
        else:
            sets = data.sets[chunk.tokens]
            gold = data.allowed.argmax(axis=1)[sets].astype(np.int32)
        full = data.full[chunk.sentences]
        masked = ~full & ~data.free[chunk.sentences]
        weights = np.ones(len(lengths)) if data.weights is None else data.weights[chunk.sentences]
        begins = np.isin(np.arange(len(owner)), chunk.offsets[:-1])
        rows = np.flatnonzero(masked[owner])
        return Side(
            weights=np.where(full | masked, weights, 0.0),
            full=np.where(full, weights, 0.0),
            gold=gold,
            inner=np.flatnonzero(full[owner] & ~begins),
            owner=owner,
            masked=np.flatnonzero(masked),
            rows=rows,
            offsets=np.concatenate([[0], np.cumsum(lengths[masked])]),
            allowed=data.allowed[data.sets[chunk.tokens][rows]] if data.sets is not None else data.allowed[:0],
        )

    def gather(self, lattice: Lattice, side: Side) -> Floats:
        full = np.flatnonzero(side.full)  # elsewhere `gold` may be no path at all
        value = (side.full[full] * lattice.path_scores(side.gold)[full]).sum() - (side.weights * lattice.log_z).sum()
        if len(side.masked):
            value += (side.weights[side.masked] * _restricted(lattice, side).log_z).sum()
        return np.array([value])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: Side, slope: Floats) -> Potentials:
        scale = float(slope[0])
        d = lattice.marginals(-scale * side.weights)
        index, gold = lattice.potentials.edge_index, side.gold
        d.unary[np.arange(len(gold)), gold] += scale * side.full[side.owner]
        at = side.inner
        np.add.at(d.edge, (index[at], gold[at - 1], gold[at]), scale * side.full[side.owner[at]])
        if len(side.masked):
            under = _restricted(lattice, side).marginals(scale * side.weights[side.masked])
            d.unary[side.rows] += under.unary
            d = d.with_values(d.unary, d.edge + under.edge)
        return d

    def curvature(self, lattice: Lattice, side: Side) -> Potentials:
        """ω p(1 − p) at a position; for steps, which are few, ω p."""
        p = lattice.marginals(side.weights)
        return p.with_values(p.unary * (1.0 - lattice.nodes), p.edge)


def _restricted(lattice: Lattice, side: Side) -> Lattice:
    """The lattice of the masked sentences over what they allow."""

    def made() -> Lattice:
        whole = lattice.potentials
        part = Potentials(whole.unary[side.rows], whole.edge, whole.edge_index[side.rows], side.offsets)
        return lattice.restricted(side.allowed, part)

    return lattice.once(side, made)
