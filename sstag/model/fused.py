"""Objectives of a batch and their gradients, from weights to weights in one call of the core, without a lattice."""

from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.chain.forward_backward import Edges, expect_path, factor_edges
from sstag.chain.labelled import Labelled
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.model.batches import Batch
from sstag.model.sparse_weights import Entries
from sstag.model.weight_map import Gradient, Weights


class Chains(NamedTuple):
    """Potentials without those of nodes."""

    edge: Floats  # (K, L, L)
    edge_index: Ints  # (T,)
    offsets: Longs  # (S + 1,)


def likelihoods(weights: Weights, batch: Batch, labelled: Labelled, scale: float, gradient: Gradient) -> Floats:
    """log Z_Λ − log Z of every sentence, (S,); ∂(scale · Σ ω (log Z_Λ − log Z))/∂θ is added to the gradient."""
    chains, edges, entries = _chains(weights, batch)
    gain, d_edge = np.empty(len(batch.offsets) - 1), np.empty_like(chains.edge)
    own, into, numbers = weights.weighing, gradient.weighing, weights.numbers(batch, gradient)
    expect_path(_core.likelihood(chains, edges, labelled, entries, own, into, numbers, scale, gain, d_edge))
    gradient.add_edges(d_edge, batch)
    return gain


def entropies(weights: Weights, batch: Batch, omega: Floats, gradient: Gradient) -> Floats:
    """H(Y|x) of every sentence, (S,); ∂(−Σ ω H)/∂θ is added to the gradient."""
    return np.maximum(-_covariance(weights, batch, omega, None, None, None, gradient), 0.0)


def add_expected(
    weights: Weights,
    batch: Batch,
    omega: Floats,
    lines: Entries,
    q: Floats,
    kept: Floats | None,
) -> None:
    """Adds Σ ω p_t(y) over the tokens that have each line to q, (M, L); `kept` (T, W) is filled for `covariances`."""
    chains, edges, entries = _chains(weights, batch)
    numbers = weights.numbers(batch, None)
    expect_path(_core.expected_lines(chains, edges, omega, entries, weights.weighing, numbers, lines, q, kept))


def covariances(
    weights: Weights,
    batch: Batch,
    omega: Floats,
    lines: Entries,
    slopes: Floats,
    kept: Floats | None,
    gradient: Gradient,
) -> None:
    """Adds ∂(Σ ω E[r])/∂θ to the gradient, r being the sum of the slopes (M, L) of the lines of each token.

    `kept` (T, W) is what `add_expected` kept of the same weights and batch, if it did.
    """
    _covariance(weights, batch, omega, lines, slopes, kept, gradient)


def _covariance(
    weights: Weights,
    batch: Batch,
    omega: Floats,
    lines: Entries | None,
    slopes: Floats | None,
    kept: Floats | None,
    gradient: Gradient,
) -> Floats:
    """E[r] of every sentence, (S,), and its gradient; without lines r is log p(y|x)."""
    chains, edges, entries = _chains(weights, batch)
    mean, d_edge = np.empty(len(batch.offsets) - 1), np.empty_like(chains.edge)
    omega = np.require(omega, np.float64, ["C", "A"])
    own, into, numbers = weights.weighing, gradient.weighing, weights.numbers(batch, gradient)
    expect_path(
        _core.fused_covariance(chains, edges, omega, entries, own, into, numbers, lines, slopes, kept, mean, d_edge)
    )
    gradient.add_edges(d_edge, batch)
    return mean


def _chains(weights: Weights, batch: Batch) -> tuple[Chains, Edges, Entries]:
    """The scores of steps of a batch and its entries, as the core takes them; too large a batch is an error."""
    weights.refuse_size(batch)
    edge = weights.edges(batch)
    edges = factor_edges(edge) if len(batch.steps.indices) else weights.plain_edges
    return Chains(edge, batch.edge_index, batch.offsets), edges, weights.of.of_tokens(batch)
