"""The likelihood of a batch and its gradient, from weights to weights in one call of the core, without a lattice."""

from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.chain.forward_backward import expect_path, factor_edges
from sstag.chain.labelled import Labelled
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.model.batches import Batch
from sstag.model.weight_map import Gradient, Weights


class Chains(NamedTuple):
    """Potentials without those of nodes."""

    edge: Floats  # (K, L, L)
    edge_index: Ints  # (T,)
    offsets: Longs  # (S + 1,)


def differentiated(weights: Weights, batch: Batch, labelled: Labelled, scale: float, gradient: Gradient) -> Floats:
    """log Z_Λ − log Z of every sentence, (S,); ∂(scale · Σ ω (log Z_Λ − log Z))/∂θ is added to the gradient.

    Nothing may have dense numbers of tokens, whose scores the core does not add up here.
    """
    weights.refuse_size(batch)
    edge = weights.edges(batch)
    edges = factor_edges(edge) if len(batch.steps.indices) else weights.plain_edges
    chains = Chains(edge, batch.edge_index, batch.offsets)
    gain, d_edge = np.empty(len(batch.offsets) - 1), np.empty_like(edge)
    entries = weights.of.of_tokens(batch)
    into = gradient.weighing
    expect_path(_core.likelihood(chains, edges, labelled, entries, weights.weighing, into, scale, gain, d_edge))
    gradient.add_edges(d_edge, batch)
    return gain
