"""The distribution of labellings that scores define: both passes, computed when they are asked for, and its marginals.

    p(y|x) = exp(score(y)) / Z      score(y) = Σ_t u_t(y_t) + Σ_{t≥2} e_t(y_{t-1}, y_t)

A `Distribution` is the part of a `Lattice` that all questions share. `sstag.chain.kernels` says what the arrays of the
passes hold.
"""

from functools import cached_property

import numpy as np

from sstag.chain.buffers import Loan, Workspace
from sstag.chain.forward_backward import (
    NO_EDGES,
    NO_MASK,
    NO_NODES,
    Backward,
    Edges,
    Forward,
    factor_edges,
    refuse,
    run_backward,
    run_best_suffixes,
    run_forward,
)
from sstag.chain.kernels import marginals, segments
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Longs


class Distribution:
    """p(y|x) of every sentence of a batch, over the labellings that `allowed` (T, L) leaves."""

    def __init__(self, potentials: Potentials, allowed: Bools | None, workspace: Workspace, budget: int) -> None:
        refuse(potentials, allowed, budget)
        self.potentials = potentials
        self.allowed: Bools = NO_MASK if allowed is None else np.require(allowed, np.bool_, ["C", "W", "A"])
        self.workspace, self.budget = workspace, budget
        self._loans = [Loan(workspace)]  # of all arrays that live as long as the distribution; none is handed out

    def restricted(self, potentials: Potentials, allowed: Bools | None) -> "Distribution":
        """The distribution over other labellings of potentials that have the same edge matrices."""
        other = Distribution(potentials, allowed, self.workspace, self.budget)
        other.edges = self.edges
        other._loans += self._loans
        return other

    # ------------------------------------------------------------------ the passes

    @cached_property
    def edges(self) -> Edges:
        return factor_edges(self.potentials.edge, self._loans[0].take)

    @cached_property
    def forward(self) -> Forward:
        return run_forward(self.potentials, self.allowed, self.edges, self._loans[0].take)

    @cached_property
    def backward(self) -> Backward:
        return run_backward(self.potentials, self.allowed, self.edges, self.forward, self._loans[0].take)

    @property
    def settled(self) -> Forward:
        """The forward pass, after the backward pass has turned sentences into logs where it lost precision."""
        _ = self.backward
        return self.forward

    @cached_property
    def best_suffixes(self) -> Floats:
        """The score of the best path from every label to the end of its sentence, (T, L)."""
        return run_best_suffixes(self.potentials, self.allowed, self._loans[0].take)

    # ------------------------------------------------------------------ marginals

    @cached_property
    def nodes(self) -> Floats:
        """p_t(y), (T, L)."""
        return self._weighted_nodes(self.ones)

    def marginals(self, weights: Floats | None) -> Potentials:
        """ω p_t(y), and ω p_t(y', y) summed over the positions of each matrix."""
        nodes = self.nodes if weights is None else self._weighted_nodes(self.checked(weights))
        edge = self.products(weights) * self.edges.p
        self.add_log_edges(self.checked(weights), 1.0, 0.0, NO_NODES, NO_NODES, NO_EDGES, edge)
        return self.potentials.with_values(nodes, edge)

    def edge_marginals(self, sentence: int) -> Floats:
        """p_t(y', y) of one sentence, (n - 1, L, L)."""
        pot, f, (beta, v) = self.potentials, self.forward, self.backward
        start, stop = pot.offsets[sentence : sentence + 2].tolist()
        out = np.empty((stop - start - 1, *pot.edge.shape[1:]))
        marginals.edge_marginals(
            f.w, self.edges.p, self.edges.log_p, pot.edge_index, start, stop, f.alpha, f.c, beta, v,
            bool(f.in_log[sentence]), out,
        )  # fmt: skip
        return out

    def segment_probabilities(self, first: Longs, stop: Longs, kind: Longs, kinds: Longs, joined: Bools) -> Floats:
        """The probability of each segment; `Lattice.segment_probabilities` says what the arrays are."""
        pot, e, f, (beta, v) = self.potentials, self.edges, self.forward, self.backward
        members = np.argsort(kinds, kind="stable")
        bounds = np.searchsorted(kinds[members], np.arange(kinds.max(initial=-1) + 2))
        out = np.empty(len(first))
        segments.segment_probabilities(
            f.w, e.p, e.p_transposed, e.log_p, pot.edge_index, pot.offsets, f.alpha, f.c, beta, v, f.in_log,
            first, stop, kind, members, bounds, joined, self.rows(2), out,
        )  # fmt: skip
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
        return np.require(weights, np.float64, ["C", "W", "A"])

    def rows(self, count: int) -> Floats:
        """Scratch rows (count, L) for a kernel, which itself may not allocate."""
        return np.empty((count, self.potentials.unary.shape[1]))

    @property
    def longest(self) -> int:
        """The number of tokens of the longest sentence."""
        return int(np.diff(self.potentials.offsets).max())

    def products(self, weights: Floats | None) -> Floats:
        """Σ ω α_{t-1}ᵀ v_t per matrix: the edge counts of the scaled sentences, but for the factor P."""
        if weights is None:
            return self._plain_products
        out = np.zeros_like(self.potentials.edge)
        self.add_outer(self.forward.alpha, self.backward.v, self.checked(weights), out)
        return out

    @cached_property
    def _plain_products(self) -> Floats:
        return self.products(self.ones)

    def add_outer(self, a: Floats, b: Floats, omega: Floats, out: Floats) -> None:
        """Adds Σ ω a_{t-1}ᵀ b_t to the matrix of each position, for the scaled sentences."""
        pot = self.potentials
        block = marginals.BLOCK
        marginals.add_outer(
            a, b, pot.edge_index, pot.offsets, self.forward.in_log, omega, self.rows(block), self.rows(block), out
        )

    def add_log_edges(
        self, omega: Floats, base: float, power: float, x: Floats, z: Floats, g: Floats, out: Floats
    ) -> None:
        """Adds the edge terms of the sentences whose rows are logarithms; `marginals.add_log_edges` has the formula."""
        pot, f = self.potentials, self.forward
        if f.in_log.any():
            marginals.add_log_edges(
                f.w, self.edges.log_p, pot.edge_index, pot.offsets, f.alpha, f.c, self.backward.beta, f.in_log,
                omega, base, power, x, z, g, out,
            )  # fmt: skip

    @cached_property
    def p_log_p(self) -> Floats:
        """P ∘ log P, 0 where P is 0, (K, L, L)."""
        return self.edges.p * self.finite_log_p

    @cached_property
    def finite_log_p(self) -> Floats:
        """log P, 0 where P is 0, (K, L, L)."""
        log_p = self.edges.log_p
        return np.where(log_p > -np.inf, log_p, 0.0)

    def _weighted_nodes(self, omega: Floats) -> Floats:
        mu = np.empty_like(self.potentials.unary)
        f, (beta, _) = self.forward, self.backward
        marginals.node_marginals(f.alpha, beta, self.potentials.offsets, f.in_log, omega, mu)
        return mu
