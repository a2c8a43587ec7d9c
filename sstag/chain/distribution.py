"""The distribution of labellings that scores define: both passes, computed when they are asked for, and its marginals.

    p(y|x) = exp(score(y)) / Z      score(y) = Σ_t u_t(y_t) + Σ_{t≥2} e_t(y_{t-1}, y_t)

A `Distribution` is the part of a `Lattice` that all questions share.
"""

from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from sstag.chain import _core
from sstag.chain.buffers import Buffers
from sstag.chain.forward_backward import (
    Backward,
    Edges,
    Forward,
    factor_edges,
    refuse,
    run_backward,
    run_best_suffixes,
    run_forward,
)
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Longs

Passes: TypeAlias = tuple[Potentials, Edges, Forward, Backward]


class Segments(NamedTuple):
    """Segments as the core takes them: the labels of kind k are members[bounds[k]:bounds[k + 1]]."""

    first: Longs
    stop: Longs
    kind: Longs
    members: Longs
    bounds: Longs
    joined: Bools  # (L, L)


class Distribution:
    """p(y|x) of every sentence of a batch, over the labellings that `allowed` (T, L) leaves; None leaves all."""

    def __init__(
        self,
        potentials: Potentials,
        allowed: Bools | None,
        buffers: Buffers,
        budget: int,
        edges: Edges | None = None,
    ) -> None:
        refuse(potentials, allowed, budget)
        self.potentials = potentials
        self.allowed: Bools | None = None if allowed is None else np.require(allowed, np.bool_, ["C", "A"])
        self.buffers, self.budget = buffers, budget
        self._edges = edges

    def restricted(self, potentials: Potentials, allowed: Bools | None) -> "Distribution":
        """The distribution over other labellings of potentials that have the same edge matrices."""
        return Distribution(potentials, allowed, self.buffers, self.budget, self.edges)

    # ------------------------------------------------------------------ the passes

    @property
    def edges(self) -> Edges:
        if self._edges is None:
            self._edges = factor_edges(self.potentials.edge)
        return self._edges

    @cached_property
    def forward(self) -> Forward:
        return run_forward(self.potentials, self.allowed, self.edges, self.buffers)

    @cached_property
    def backward(self) -> Backward:
        return run_backward(self.potentials, self.allowed, self.edges, self.forward, self.buffers)

    @property
    def passes(self) -> Passes:
        """The arrays of both passes, as the core takes them.

        The backward pass is done first: it turns sentences of the forward pass into logs where it lost precision.
        """
        backward = self.backward
        return self.potentials, self.edges, self.forward, backward

    @cached_property
    def best_suffixes(self) -> Floats:
        """The score of the best path from every label to the end of its sentence, (T, L)."""
        return run_best_suffixes(self.potentials, self.allowed, self.buffers)

    # ------------------------------------------------------------------ marginals

    @cached_property
    def nodes(self) -> Floats:
        """p_t(y), (T, L)."""
        return self._weighted_nodes(self.ones)

    def marginals(self, weights: Floats | None) -> Potentials:
        """ω p_t(y), and ω p_t(y', y) summed over the positions of each matrix."""
        nodes = self.nodes if weights is None else self._weighted_nodes(self.checked(weights))
        edge = np.empty_like(self.potentials.edge)
        _core.edge_counts(*self.passes, self.checked(weights), edge)
        return self.potentials.with_values(nodes, edge)

    def edge_marginals(self, sentence: int) -> Floats:
        """p_t(y', y) of one sentence, (n - 1, L, L)."""
        start, stop = self.potentials.offsets[sentence : sentence + 2].tolist()
        out = np.empty((stop - start - 1, *self.potentials.edge.shape[1:]))
        _core.edge_marginals(*self.passes, sentence, out)
        return out

    def segment_probabilities(self, first: Longs, stop: Longs, kind: Longs, kinds: Longs, joined: Bools) -> Floats:
        """The probability of each segment; `Lattice.segment_probabilities` says what the arrays are."""
        members = np.argsort(kinds, kind="stable")
        bounds = np.searchsorted(kinds[members], np.arange(kinds.max(initial=-1) + 2))
        out = np.empty(len(first))
        _core.segment_probabilities(*self.passes, Segments(first, stop, kind, members, bounds, joined), out)
        return out

    # ------------------------------------------------------------------ parts that several questions share

    @cached_property
    def ones(self) -> Floats:
        return np.ones(len(self.potentials.offsets) - 1)

    def checked(self, weights: Floats | None) -> Floats:
        """The weights of the sentences, (S,), 1 if none are given."""
        if weights is None:
            return self.ones
        if weights.shape != self.ones.shape:
            raise ValueError(f"{weights.shape} weights for {len(self.ones)} sentences")
        return np.require(weights, np.float64, ["C", "A"])

    def _weighted_nodes(self, omega: Floats) -> Floats:
        mu = np.empty_like(self.potentials.unary)
        _core.node_marginals(*self.passes, omega, mu)
        return mu
