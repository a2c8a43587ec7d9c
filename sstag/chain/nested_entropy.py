"""The entropy gradient by the nested dynamic programme of Jiao et al. (2006), O(n² L³): the reference for timings."""

import numpy as np

from sstag.chain.kernels.nested import nested_products
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats


def nested_entropy_gradient(lattice: Lattice, weights: Floats) -> tuple[Floats, Potentials]:
    """H(Y|x) per sentence, (S,), and ∂(−Σ_s ω_s H)/∂potentials = ω (E[score · clique] − E[score] p(clique))."""
    pot, score, p = lattice.potentials, lattice.score, lattice.nodes
    labels, n = pot.unary.shape[1], int(np.diff(pot.offsets).max())
    nodes, edge, mean = np.zeros_like(pot.unary), np.zeros_like(pot.edge), np.empty(len(weights))
    p_edge, m, after = np.empty((n, labels, labels)), np.zeros((n, labels, labels)), np.empty((n, labels))
    summary, longer = np.empty((2, labels, labels))
    mass, left, right = np.empty((3, 1, labels))
    for s, (start, stop) in enumerate(zip(pot.offsets[:-1].tolist(), pot.offsets[1:].tolist(), strict=True)):
        before = p[start : stop - 1, :, None]
        p_edge[1 : stop - start] = lattice.edge_marginals(s)
        m[1 : stop - start] = 0.0
        np.divide(p_edge[1 : stop - start], before, out=m[1 : stop - start], where=before > 0.0)
        mean[s] = nested_products(
            start, stop, pot.edge_index, score.unary, score.edge, p, p_edge, m, summary, longer, mass, left, right,
            after, float(weights[s]), nodes, edge,
        )  # fmt: skip
    away = lattice.marginals(weights * mean)
    return np.maximum(lattice.log_z - mean, 0.0), pot.with_values(nodes - away.unary, edge - away.edge)
