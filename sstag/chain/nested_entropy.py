"""The entropy gradient by the nested dynamic programme of Jiao et al. (2006), O(n² L³): the reference for timings."""

import numpy as np

from sstag.chain import _core
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats


def nested_entropy_gradient(lattice: Lattice, weights: Floats) -> tuple[Floats, Potentials]:
    """H(Y|x) per sentence, (S,), and ∂(−Σ_s ω_s H)/∂potentials = ω (E[score · clique] − E[score] p(clique))."""
    pot, score, p = lattice.potentials, lattice.score, lattice.nodes
    labels, n = pot.unary.shape[1], int(np.diff(pot.offsets).max())
    nodes, edge, mean = np.zeros_like(pot.unary), np.zeros_like(pot.edge), np.empty(len(weights))
    p_edge, m = np.zeros((2, n, labels, labels))
    for s, (start, stop) in enumerate(zip(pot.offsets[:-1].tolist(), pot.offsets[1:].tolist(), strict=True)):
        steps, before = slice(1, stop - start), p[start : stop - 1, :, None]
        p_edge[steps] = lattice.edge_marginals(s)
        m[steps] = 0.0
        np.divide(p_edge[steps], before, out=m[steps], where=before > 0.0)
        own, every = slice(start, stop), slice(stop - start)
        mean[s] = _core.nested_products(score, s, p[own], p_edge[every], m[every], float(weights[s]), nodes[own], edge)
    away = lattice.marginals(weights * mean)
    return np.maximum(lattice.log_z - mean, 0.0), pot.with_values(nodes - away.unary, edge - away.edge)
