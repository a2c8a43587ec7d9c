"""One dynamic programme over a batch of chains, and every question asked of it (methods §2).

    p(y|x) = exp(score(y)) / Z      score(y) = Σ_t u_t(y_t) + Σ_{t≥2} e_t(y_{t-1}, y_t)

A `Lattice` computes what is asked for when it is asked for, once: `log_z` runs the forward pass only, the marginals and
all that rests on them the backward pass too. It belongs to one thread at a time; the kernels hold no lock, so different
threads work on different batches at full speed. Everything is O(T L²) unless it says otherwise.
"""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from sstag.chain.buffers import Loan, Workspace
from sstag.chain.forward_backward import (
    BUDGET,
    NO_EDGES,
    NO_MASK,
    NO_NODES,
    Backward,
    Edges,
    Forward,
    expect_path,
    factor_edges,
    refuse,
    run_backward,
    run_best_suffixes,
    run_forward,
    transposed,
    whole_vectors,
    widened,
)
from sstag.chain.kernels import beam, covariance, entropy, marginals, paths, segments
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import NumericalError

R = TypeVar("R")

STEPS = 32


class Lattice:
    """The distribution p(y|x) of every sentence of a batch, over the paths that `allowed` (T, L) leaves (T08 §3)."""

    def __init__(
        self,
        potentials: Potentials,
        allowed: Bools | None = None,
        *,
        workspace: Workspace | None = None,
        budget: int = BUDGET,
    ) -> None:
        self._workspace = workspace or Workspace()
        self._loans = [Loan(self._workspace)]  # of all arrays that live as long as the lattice; none is handed out
        self._budget = budget
        self._derived: dict[Hashable, Any] = {}
        refuse(potentials, allowed, budget)
        self.potentials = potentials
        self.allowed: Bools = NO_MASK if allowed is None else np.require(allowed, np.bool_, ["C", "W", "A"])

    def restricted(self, allowed: Bools, part: Potentials | None = None) -> "Lattice":
        """The same potentials, or a part of them with the same edge matrices, over the paths that `allowed` leaves.

        What does not depend on it is shared.
        """
        other = Lattice(part or self.potentials, allowed, workspace=self._workspace, budget=self._budget)
        other._edges = self._edges
        other._loans += self._loans
        return other

    def once(self, key: Hashable, make: Callable[[], R]) -> R:
        """What an objective derives from this lattice, made once and kept as long as it."""
        if key not in self._derived:
            self._derived[key] = make()
        result: R = self._derived[key]
        return result

    # ------------------------------------------------------------------ log Z and marginals

    @property
    def log_z(self) -> Floats:
        """log Z per sentence, (S,)."""
        return self._forward.log_z

    @cached_property
    def nodes(self) -> Floats:
        """p_t(y), (T, L)."""
        return self._weighted_nodes(self._ones)

    def marginals(self, weights: Floats | None = None) -> Potentials:
        """∂(Σ_s ω_s log Z_s)/∂potentials: ω p_t(y), and ω p_t(y', y) summed over the positions of each matrix."""
        nodes = self.nodes if weights is None else self._weighted_nodes(self._weights(weights))
        return self.potentials.with_values(nodes, self._edge_counts(weights))

    def edge_marginals(self, sentence: int) -> Floats:
        """p_t(y', y) of one sentence, (n - 1, L, L)."""
        pot, f, (beta, v) = self.potentials, self._forward, self._backward
        start, stop = pot.offsets[sentence : sentence + 2].tolist()
        out = np.empty((stop - start - 1, *pot.edge.shape[1:]))
        marginals.edge_marginals(
            f.w, self._edges.p, self._edges.log_p, pot.edge_index, start, stop, f.alpha, f.c, beta, v,
            bool(f.in_log[sentence]), out,
        )  # fmt: skip
        return out

    def segment_probabilities(self, first: Longs, stop: Longs, kind: Longs, kinds: Longs, joined: Bools) -> Floats:
        """The probability of each segment: y_first is of its kind, and the steps that are joined are those within it.

        `kinds` (L,) is the kind of each label, -1 for none; `joined` (L, L) [from, to] are the steps at which a segment
        goes on, between labels of one kind. Segments are positions of the batch, ascending, each within a sentence.
        O((stop - first) R² + L R) each, for R labels of its kind.
        """
        pot, e, f, (beta, v) = self.potentials, self._edges, self._forward, self._backward
        members = np.argsort(kinds, kind="stable")
        bounds = np.searchsorted(kinds[members], np.arange(kinds.max(initial=-1) + 2))
        out = np.empty(len(first))
        segments.segment_probabilities(
            f.w, e.p, e.p_transposed, e.log_p, pot.edge_index, pot.offsets, f.alpha, f.c, beta, v, f.in_log,
            first, stop, kind, members, bounds, joined, self._rows(2), out,
        )  # fmt: skip
        return out

    # ------------------------------------------------------------------ expectation and covariance

    @cached_property
    def score(self) -> Potentials:
        """The potentials as an additive function: 0 where they are -∞ or not allowed, since there p log p = 0."""
        finite = self.potentials.finite()
        if not len(self.allowed):
            return finite
        return finite.with_values(np.where(self.allowed, finite.unary, 0.0), finite.edge)

    def expectation(self, r: Potentials) -> Floats:
        """E[r(y)] per sentence, (S,)."""
        return self._expectation(*self._additive(r))

    def covariance(self, r: Potentials, weights: Floats | None = None) -> Potentials:
        """∂(Σ_s ω_s E[r])/∂potentials with r held fixed = ω Cov(r, clique indicators) (methods §2.1).

        With r = ∂h/∂marginals it is the gradient of any criterion h(marginals); with r = `score`, of -H(Y|x). An r on
        nodes only costs a third less.
        """
        return self._covariance(*self._additive(r), weights)[1]

    def entropy_gradient(self, weights: Floats | None = None) -> tuple[Floats, Potentials]:
        """H(Y|x) per sentence, (S,), and ∂(-Σ_s ω_s H)/∂potentials, the covariance of log p(y|x) with the cliques."""
        mean, gradient = self._covariance(NO_NODES, self._finite_log_p, self._p_log_p, weights)
        return np.maximum(-mean, 0.0), gradient

    # ------------------------------------------------------------------ entropies

    @property
    def entropy(self) -> Floats:
        """H(Y|x) = -E[log p(y|x)] per sentence, (S,), in nats."""
        return np.maximum(-self._expectation(NO_NODES, self._finite_log_p, self._p_log_p), 0.0)

    @cached_property
    def token_entropy(self) -> Floats:
        """H(Y_t|x) of every position by itself, (T,)."""
        out = np.empty(len(self.nodes))
        entropy.token_entropies(self.nodes, out)
        return out

    def span_entropy(self, first: Ints, last: Ints) -> Floats:
        """H(Y_first..Y_last | x), positions of the batch with both ends included: H(Y_a) + Σ_{a<t≤b} H(Y_t | Y_{t-1}).

        Any number of spans, O(1) each after one pass.
        """
        starts = self.potentials.offsets
        a, b = np.asarray(first), np.asarray(last)
        if (
            not ((a >= 0) & (a <= b) & (b < len(self.nodes))).all()
            or (np.searchsorted(starts, a, side="right") != np.searchsorted(starts, b, side="right")).any()
        ):
            raise ValueError("a span must lie within one sentence")
        sums = self._entropy_sums
        result: Floats = np.asarray(self.token_entropy[a] + (sums[b + 1] - sums[a + 1]))
        return result

    @cached_property
    def side_entropies(self) -> tuple[Floats, Floats]:
        """M07 §4: Hα_t(y) = H(Y_1..Y_{t-1} | Y_t=y) and Hβ_t(y) = H(Y_{t+1}..Y_n | Y_t=y), both (T, L), both ≥ 0.

        With y_a..y_b fixed, the entropy of the rest is Hα_a(y_a) + Hβ_b(y_b). A label that no path uses has 0.
        """
        pot, e, f, (beta, v) = self.potentials, self._edges, self._forward, self._backward
        h_alpha, h_beta = np.empty_like(beta), np.empty_like(beta)
        entropy.alpha_entropies(
            e.log_p, e.p, self._p_log_p, pot.edge_index, pot.offsets, f.alpha, beta, f.in_log,
            self._rows(4), h_alpha,
        )  # fmt: skip
        entropy.beta_entropies(
            e.log_p, e.p_transposed, transposed(self._p_log_p), pot.edge_index, pot.offsets, f.alpha, f.c, beta, v,
            f.w, f.in_log, self._rows(3), h_beta,
        )  # fmt: skip
        return h_alpha, h_beta

    def subsequence_entropies(self, weights: Floats | None = None) -> Potentials:
        """M07's H^σ of every clique: Σ of p(y) log p(y) over the paths through it = p log p - p (Hα + Hβ), times ω.

        ∂(-H)/∂clique = H^σ + H p, so this plus `marginals(entropy)` is `covariance(score)`, by another road.
        """
        pot, e, f, (beta, v) = self.potentials, self._edges, self._forward, self._backward
        omega = self._weights(weights)
        h_alpha, h_beta = self.side_entropies
        loan = Loan(self._workspace)
        x, z = loan.take(*pot.unary.shape), loan.take(*pot.unary.shape)
        nodes = np.empty_like(pot.unary)
        entropy.subsequence_terms(f.alpha, beta, v, pot.offsets, f.in_log, omega, h_alpha, h_beta, nodes, x, z)
        edge = np.zeros_like(pot.edge)
        self._add_outer(x, v, omega, edge)
        self._add_outer(f.alpha, z, omega, edge)
        edge *= e.p
        edge += self._products(weights) * self._p_log_p
        self._add_log_edges(omega, 0.0, 1.0, x, z, NO_EDGES, edge)
        return pot.with_values(nodes, edge)

    # ------------------------------------------------------------------ paths

    def viterbi(self) -> tuple[Ints, Floats]:
        """The best path of every sentence, (T,), and its score, (S,).

        Of several paths with the same computed score, the first in the order of labels.
        """
        pot = self.potentials
        y = np.zeros(len(pot.unary), dtype=np.int32)
        scores = np.empty(len(pot.offsets) - 1)
        paths.viterbi(pot.edge, pot.edge_index, pot.offsets, self._best_suffixes, y, scores)
        return y, scores

    def k_best(self, sentence: int, k: int) -> tuple[Ints, Floats]:
        """The k best paths of one sentence, best first, (m, n), and their scores, (m,); m < k if there are only m.

        The first is the Viterbi path; equal scores come in a fixed order. O(k n L) after the Viterbi pass.
        """
        if k < 1:
            raise ValueError("k must be at least 1")
        pot, best = self.potentials, self._best_suffixes
        start, stop = pot.offsets[sentence : sentence + 2].tolist()
        y = np.zeros((k, stop - start), dtype=np.int32)
        scores = np.empty(k)
        kept = np.empty((3, k), dtype=np.int64)
        found = paths.k_best(pot.unary, pot.edge, pot.edge_index, start, stop, best, k, kept, y, scores)
        return y[:found], scores[:found]

    def penalised(self, costs: Penalties, k: int) -> tuple[Ints, Floats, Longs]:
        """The k best labellings of every sentence by score less penalties, (k, T), their scores, (k, S), and how many
        there are, (S,); rows beyond these repeat the best.

        Exact if no rule is for whole sentences, or k labellings are all; else what a beam of k finds. O(k T L).
        """
        if k < 1:
            raise ValueError("k must be at least 1")
        pot, (tokens, _) = self.potentials, self.potentials.unary.shape
        sentences, longest = len(pot.offsets) - 1, self._longest
        ahead = np.empty_like(pot.unary)
        expect_path(
            beam.best_completions(
                pot.unary, self.allowed, pot.edge, pot.edge_index, pot.offsets, costs.nodes, costs.steps, ahead
            )
        )
        y, scores, found = np.empty((k, tokens), np.int32), np.empty((k, sentences)), np.empty(sentences, np.int64)
        beam.beam(
            pot.unary, pot.edge, pot.edge_index, pot.offsets, costs.nodes, costs.steps, costs.bits, costs.again,
            costs.wanted, costs.missing, ahead, np.empty((2, k)), np.empty((2, k)), np.empty((2, k), np.int64),
            np.empty((2, k), np.int64), np.zeros((longest, k), np.int32), np.empty((longest, k), np.int32),
            y, scores, found,
        )  # fmt: skip
        return y, scores, found

    def path_scores(self, y: Ints) -> Floats:
        """score(y) per sentence, (S,), of one path each, (T,): log Z of the lattice that allows only y."""
        pot = self.potentials
        labels = np.require(y, np.int32, ["C", "W", "A"])
        if labels.shape != (len(pot.unary),) or labels.min() < 0 or labels.max() >= pot.unary.shape[1]:
            raise ValueError("a path needs one label for every position")
        scores = np.empty(len(pot.offsets) - 1)
        paths.path_scores(pot.unary, pot.edge, pot.edge_index, pot.offsets, labels, scores)
        return scores

    def sample(self, rng: np.random.Generator, count: int = 1) -> Ints:
        """`count` independent draws of y ~ p(y|x) for every sentence, (count, T). Needs the forward pass only."""
        pot, f = self.potentials, self._forward
        y = np.zeros((count, len(pot.unary)), dtype=np.int32)
        for row in y:
            uniform = rng.random(len(pot.unary))
            paths.sample(
                self._edges.p, self._edges.log_p, pot.edge_index, pot.offsets, f.alpha, f.in_log, uniform,
                self._rows(1)[0], row,
            )  # fmt: skip
        return y

    # ------------------------------------------------------------------ what the above share

    @cached_property
    def _edges(self) -> Edges:
        return factor_edges(self.potentials.edge, self._loans[0].take)

    @cached_property
    def _forward(self) -> Forward:
        return run_forward(self.potentials, self.allowed, self._edges, self._loans[0].take)

    @cached_property
    def _backward(self) -> Backward:
        return run_backward(self.potentials, self.allowed, self._edges, self._forward, self._loans[0].take)

    @cached_property
    def _best_suffixes(self) -> Floats:
        return run_best_suffixes(self.potentials, self.allowed, self._loans[0].take)

    @cached_property
    def _ones(self) -> Floats:
        return np.ones(len(self.potentials.offsets) - 1)

    def _rows(self, count: int) -> Floats:
        """Where a kernel that may not allocate keeps what it needs at one position."""
        return np.empty((count, self.potentials.unary.shape[1]))

    def _weights(self, weights: Floats | None) -> Floats:
        if weights is None:
            return self._ones
        if weights.shape != self._ones.shape:
            raise ValueError(f"{weights.shape} weights for {len(self._ones)} sentences")
        return np.require(weights, np.float64, ["C", "W", "A"])

    def _weighted_nodes(self, omega: Floats) -> Floats:
        mu = np.empty_like(self.potentials.unary)
        f, (beta, _) = self._forward, self._backward
        marginals.node_marginals(f.alpha, beta, self.potentials.offsets, f.in_log, omega, mu)
        return mu

    def _add_outer(self, a: Floats, b: Floats, omega: Floats, out: Floats) -> None:
        pot = self.potentials
        block = marginals.BLOCK
        marginals.add_outer(
            a, b, pot.edge_index, pot.offsets, self._forward.in_log, omega, self._rows(block), self._rows(block), out
        )

    def _add_log_edges(
        self, omega: Floats, base: float, power: float, x: Floats, z: Floats, g: Floats, out: Floats
    ) -> None:
        pot, f = self.potentials, self._forward
        if f.in_log.any():
            marginals.add_log_edges(
                f.w, self._edges.log_p, pot.edge_index, pot.offsets, f.alpha, f.c, self._backward.beta, f.in_log,
                omega, base, power, x, z, g, out,
            )  # fmt: skip

    def _products(self, weights: Floats | None) -> Floats:
        """Σ ω α_{t-1}ᵀ v_t per matrix: the edge counts of the scaled sentences, but for the factor P."""
        if weights is None:
            return self._plain_products
        out = np.zeros_like(self.potentials.edge)
        self._add_outer(self._forward.alpha, self._backward.v, self._weights(weights), out)
        return out

    @cached_property
    def _plain_products(self) -> Floats:
        return self._products(self._ones)

    def _edge_counts(self, weights: Floats | None) -> Floats:
        edge = self._products(weights) * self._edges.p
        self._add_log_edges(self._weights(weights), 1.0, 0.0, NO_NODES, NO_NODES, NO_EDGES, edge)
        return edge

    def _additive(self, r: Potentials) -> tuple[Floats, Floats, Floats]:
        """f, g and P ∘ g of an additive function; the last two without rows if it has no edge part."""
        if r.unary.shape != self.potentials.unary.shape or r.edge.shape != self.potentials.edge.shape:
            raise ValueError("r must have the shape of the potentials")
        if not (np.isfinite(r.unary).all() and np.isfinite(r.edge).all()):
            raise NumericalError("an additive function must be finite (Potentials.finite puts 0 for -inf)")
        return r.unary, *((r.edge, self._edges.p * r.edge) if r.edge.any() else (NO_EDGES, NO_EDGES))

    def _expectation(self, r: Floats, g: Floats, p_g: Floats) -> Floats:
        pot, e, f = self.potentials, self._edges, self._settled
        mean, (f_rows, rho) = np.empty_like(f.log_z), self._wide_rows(self._longest, self._longest)
        covariance.expectations(
            pot.unary, f.shift, f.w, widened(e.p, True), e.log_p, pot.edge_index, pot.offsets, f.alpha, f.c, f.in_log,
            r, g, widened(p_g), f_rows, rho, mean,
        )  # fmt: skip
        return mean

    def _covariance(self, r: Floats, g: Floats, p_g: Floats, weights: Floats | None) -> tuple[Floats, Potentials]:
        """E[r] and ω Cov(r, ·)."""
        pot, e, f, (beta, v) = self.potentials, self._edges, self._settled, self._backward
        mean, nodes, edge = np.empty_like(f.log_z), np.empty_like(pot.unary), np.zeros_like(pot.edge)
        before, after = np.empty((2, pot.unary.shape[1], STEPS)), np.stack(self._wide_rows(STEPS, STEPS))
        f_rows, rho, z, sigma = self._wide_rows(self._longest, self._longest, self._longest, 1)
        covariance.covariance(
            pot.unary, f.shift, f.w, widened(e.p, True), widened(e.p_transposed, True), e.log_p, pot.edge_index,
            pot.offsets, f.alpha, f.c, beta, v, f.in_log, self._weights(weights), r, g, widened(p_g),
            widened(transposed(p_g)), f_rows, rho, z, sigma, before, after, widened(edge), widened(edge), mean, nodes,
            edge,
        )  # fmt: skip
        return mean, pot.with_values(nodes, edge)

    def _wide_rows(self, *counts: int) -> list[Floats]:
        """So many rows as wide as `widened` matrices."""
        width = whole_vectors(self.potentials.unary.shape[1])
        return [np.zeros((count, width)) for count in counts]

    @property
    def _longest(self) -> int:
        return int(np.diff(self.potentials.offsets).max())

    @property
    def _settled(self) -> Forward:
        """The forward pass when it is known which sentences the backward pass loses."""
        _ = self._backward
        return self._forward

    @cached_property
    def _p_log_p(self) -> Floats:
        return self._edges.p * self._finite_log_p

    @cached_property
    def _finite_log_p(self) -> Floats:
        log_p = self._edges.log_p
        return np.where(log_p > -np.inf, log_p, 0.0)

    @cached_property
    def _conditional_entropies(self) -> Floats:
        pot, f, (beta, v) = self.potentials, self._forward, self._backward
        out = np.empty(len(pot.unary))
        entropy.conditional_entropies(
            self._edges.log_p, transposed(self._p_log_p), pot.edge_index, pot.offsets, f.alpha, f.c, beta, v, f.w,
            f.in_log, self._rows(1), out,
        )  # fmt: skip
        return out

    @cached_property
    def _entropy_sums(self) -> Floats:
        return np.concatenate(([0.0], np.cumsum(self._conditional_entropies)))
