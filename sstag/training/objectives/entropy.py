"""Entropy regularisation (Jiao et al. 2006, eq. 2): raw text whose labels should be sure.

    −γ Σ_i ω_i H(Y|x_i) = γ Σ_i ω_i Σ_y p(y|x_i) log p(y|x_i)        ∂/∂clique = γ ω_i Cov(score(y), clique)

H is that of a whole sentence, as in the paper; `per` token it is divided by the number of tokens. γ > 0 makes labels
surer, γ < 0 less sure; 0 changes nothing. Not concave: the start matters, and all labels the same is an optimum of it.

Three algorithms find the same: the covariance kernel, O(n L²), which takes about as long as forward, backward and
marginals; M07's H^σ, O(n L²); and J06's nested dynamic programme, O(n² L³).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.nested_entropy import nested_entropy_gradient
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats
from sstag.model.batches import Batch
from sstag.model.dataset import Dataset
from sstag.training.objectives import EntropyParameters
from sstag.training.objectives.contract import Ground


@dataclass(frozen=True)
class Entropy:
    """−γ Σ ω H, over all labels of every sentence."""

    gamma: float
    per: str = "sentence"
    algorithm: str = "covariance"

    @property
    def slope(self) -> Floats:
        return np.ones(1)

    def side(self, data: Dataset, batch: Batch) -> Floats:
        """γ ω of each sentence."""  # (S,)
        lengths = np.diff(batch.offsets)
        omega = data.omega[batch.sentences]
        return self.gamma * (omega / lengths if self.per == "token" else omega)

    def gather(self, lattice: Lattice, side: Floats) -> Floats:
        return self.statistics(self._found(lattice, side)[0], side)

    def statistics(self, entropies: Floats, side: Floats) -> Floats:
        """−Σ γ ω H, from the entropies of a batch."""
        return np.array([-(side * entropies).sum()])

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        return float(statistics[0]), self.slope

    def push(self, lattice: Lattice, side: Floats, slope: Floats) -> Potentials:
        gradient = self._found(lattice, side)[1]
        return gradient if slope[0] == 1.0 else float(slope[0]) * gradient

    def curvature(self, lattice: Lattice, side: Floats) -> None:
        return None

    def within(self, corpus: Corpus) -> "Entropy":
        return self

    def _found(self, lattice: Lattice, side: Floats) -> tuple[Floats, Potentials]:
        """H, and ∂(−Σ γ ω H)/∂potentials: found together, so kept from the one question to the other."""
        return lattice.once((self, id(side)), lambda: ALGORITHMS[self.algorithm](lattice, side))


def entropy(parameters: EntropyParameters, ground: Ground, opened: None) -> Entropy:
    """Entropy regularisation, which is alike for all texts."""
    return Entropy(parameters.gamma, parameters.per, parameters.algorithm)


def constrained(lattice: Lattice, weights: Floats) -> tuple[Floats, Potentials]:
    """By M07's subsequence constrained entropies: ∂(−H)/∂clique = H^σ + H p."""
    h = lattice.entropy
    return h, lattice.subsequence_entropies(weights) + lattice.marginals(weights * h)


ALGORITHMS: Mapping[str, Callable[[Lattice, Floats], tuple[Floats, Potentials]]] = {
    "covariance": Lattice.entropy_gradient,
    "constrained": constrained,
    "nested": nested_entropy_gradient,
}
