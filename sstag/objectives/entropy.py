"""Entropy regularisation (Jiao et al. 2006, eq. 2): raw text whose labels should be sure.

    −γ Σ_i ω_i H(Y|x_i) = γ Σ_i ω_i Σ_y p(y|x_i) log p(y|x_i)        ∂/∂clique = γ ω_i Cov(score(y), clique)

H is that of a whole sentence, as in the paper; `per` token it is divided by the number of tokens. γ > 0 makes labels
surer, γ < 0 less sure; 0 changes nothing. Not concave: the start matters, and all labels the same is an optimum of it.
Cost: O(n L²) beside forward and backward.
"""

from dataclasses import dataclass

import numpy as np

from sstag.arrays import Floats
from sstag.chunks import Chunk
from sstag.dataset import Dataset
from sstag.lattice import Lattice
from sstag.potentials import Potentials


@dataclass(frozen=True)
class Entropy:
    """−γ Σ ω H, over all labels of every sentence."""

    gamma: float
    per: str = "sentence"
    algorithm: str = "covariance"

    @property
    def slope(self) -> Floats:
        return np.array([-self.gamma])

    def side(self, data: Dataset, chunk: Chunk) -> Floats:
        """ω of each sentence."""  # (S,)
        lengths = np.diff(chunk.offsets)
        omega = np.ones(len(lengths)) if data.weights is None else data.weights[chunk.sentences]
        return omega / lengths if self.per == "token" else omega

    def gather(self, lattice: Lattice, side: Floats) -> Floats:
        return np.array([(side * lattice.entropy).sum()])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return -self.gamma * float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: Floats, slope: Floats) -> Potentials:
        return lattice.covariance(lattice.score, -slope[0] * side)

    def curvature(self, lattice: Lattice, side: Floats) -> None:
        return None
