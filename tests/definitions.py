"""What each objective is, written down over all label paths. A new objective needs a line in DEFINITIONS."""

import numpy as np

from sstag.lattice import Lattice
from sstag.objectives import objective
from tests import oracle


def likelihood(data, chunks, potentials) -> float:
    """Σ ω (log Z_Λ − log Z)."""
    value = 0.0
    for chunk, pot in zip(chunks, potentials, strict=True):
        allowed = data.allowed[data.sets[chunk.tokens]]
        difference = oracle.log_z(oracle.sentences(pot, allowed)) - oracle.log_z(oracle.sentences(pot))
        value += float(data.weights[chunk.sentences] @ difference)
    return value


def entropy(gamma, per_token=False):
    """−γ Σ ω H, each H divided by the tokens if asked for."""

    def value(data, chunks, potentials) -> float:
        total = 0.0
        for chunk, pot in zip(chunks, potentials, strict=True):
            omega = data.weights[chunk.sentences] / (np.diff(pot.offsets) if per_token else 1.0)
            total += float(omega @ oracle.entropy(oracle.sentences(pot)))
        return -gamma * total

    return value


# name, and what is set, if that matters → an instance, and its definition
DEFINITIONS = {
    "likelihood": (objective("likelihood"), likelihood),
    "entropy": (objective("entropy", gamma=0.7), entropy(0.7)),
    "entropy, gamma < 0": (objective("entropy", gamma=-0.3), entropy(-0.3)),
    "entropy, constrained": (objective("entropy", gamma=0.7, algorithm="constrained"), entropy(0.7)),
    "entropy, nested": (objective("entropy", gamma=0.7, algorithm="nested"), entropy(0.7)),
    "entropy per token": (objective("entropy", gamma=1.3, per="token"), entropy(1.3, per_token=True)),
}


def evaluated(made, data, chunks, potentials):
    """Value and ∂value/∂potentials of an objective over chunks, as the frame computes them."""
    sides = [made.side(data, chunk) for chunk in chunks]
    lattices = [Lattice(pot) for pot in potentials]
    gathered = [made.gather(lattice, side) for lattice, side in zip(lattices, sides, strict=True)]
    value, slope = made.close(np.sum(gathered, axis=0))
    return value, [made.push(lattice, side, slope) for lattice, side in zip(lattices, sides, strict=True)]
