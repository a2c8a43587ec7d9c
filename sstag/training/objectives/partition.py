"""The sum over the labels that are allowed, Σ_i ω_i log Z_Λ(i), a term of log p(x) (`methods/prototype.py`).

    ∂/∂potentials = ω_i · marginals under Λ

It is no criterion by itself, since it has no highest value. Limit: with all labels allowed it is Σ ω log Z.
"""

from dataclasses import dataclass

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset


@dataclass(frozen=True, eq=False)
class AllowedSide:
    """The sentences of a batch: ω, and the labels that their tokens may have."""

    weights: Floats  # (S,)
    allowed: Bools | None  # (T, L)


@dataclass(frozen=True)
class Partition:
    """Σ ω log Z_Λ."""

    @property
    def slope(self) -> Floats:
        return np.ones(1)

    def side(self, data: Dataset, batch: Batch) -> AllowedSide:
        weights = np.ones(len(batch.offsets) - 1) if data.weights is None else data.weights[batch.sentences]
        return AllowedSide(weights, None if data.sets is None else data.allowed[data.sets[batch.tokens]])

    def gather(self, lattice: Lattice, side: AllowedSide) -> Floats:
        return np.array([(side.weights * _allowed(lattice, side).log_z).sum()])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: AllowedSide, slope: Floats) -> Potentials:
        return _allowed(lattice, side).marginals(float(slope[0]) * side.weights)

    def curvature(self, lattice: Lattice, side: AllowedSide) -> None:
        return None


def _allowed(lattice: Lattice, side: AllowedSide) -> Lattice:
    allowed = side.allowed
    return lattice if allowed is None else lattice.once(side, lambda: lattice.restricted(allowed))
