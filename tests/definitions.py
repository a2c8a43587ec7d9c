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


# name → an instance, and its definition
DEFINITIONS = {"likelihood": (objective("likelihood"), likelihood)}


def evaluated(made, data, chunks, potentials):
    """Value and ∂value/∂potentials of an objective over chunks, as the frame computes them."""
    sides = [made.side(data, chunk) for chunk in chunks]
    lattices = [Lattice(pot) for pot in potentials]
    gathered = [made.gather(lattice, side) for lattice, side in zip(lattices, sides, strict=True)]
    value, slope = made.close(np.sum(gathered, axis=0))
    return value, [made.push(lattice, side, slope) for lattice, side in zip(lattices, sides, strict=True)]
