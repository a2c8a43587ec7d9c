"""One dynamic programme over a batch of chains, and every question asked of it (methods §2).

    p(y|x) = exp(score(y)) / Z      score(y) = Σ_t u_t(y_t) + Σ_{t≥2} e_t(y_{t-1}, y_t)

A `Lattice` computes what is asked for when it is asked for, once: `log_z` runs the forward pass only, the marginals and
all that rests on them the backward pass too. It belongs to one thread at a time; the core holds no lock, so different
threads work on different batches at full speed. Everything is O(T L²) unless it says otherwise. The answers are
computed in `distribution`, `covariance`, `entropies` and `paths`.
"""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TypeVar, cast

import numpy as np

from sstag.chain import covariance, entropies, paths
from sstag.chain.buffers import Buffers
from sstag.chain.distribution import Distribution
from sstag.chain.forward_backward import BUDGET, Edges
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Ints, Longs

R = TypeVar("R")


class Lattice:
    """The distribution p(y|x) of every sentence of a batch, over the paths that `allowed` (T, L) leaves (T08 §3)."""

    def __init__(
        self,
        potentials: Potentials,
        allowed: Bools | None = None,
        *,
        edges: Edges | None = None,
        buffers: Buffers | None = None,
        budget: int = BUDGET,
    ) -> None:
        """`edges` are those of the potentials if they are known; in `buffers` the lattice lives until their restart."""
        self._distribution = Distribution(potentials, allowed, buffers or Buffers(), budget, edges)
        self._derived: dict[Hashable, object] = {}

    @property
    def potentials(self) -> Potentials:
        return self._distribution.potentials

    def restricted(self, allowed: Bools, part: Potentials | None = None) -> "Lattice":
        """A lattice over the paths that `allowed` leaves, of these potentials or a part with the same edge matrices.

        The two share what does not depend on `allowed`.
        """
        other = object.__new__(Lattice)
        other._distribution, other._derived = self._distribution.restricted(part or self.potentials, allowed), {}
        return other

    def once(self, key: Hashable, make: Callable[[], R]) -> R:
        """A result that an objective derives from this lattice, made once and kept as long as the lattice."""
        if key not in self._derived:
            self._derived[key] = make()
        return cast(R, self._derived[key])

    # ------------------------------------------------------------------ log Z and marginals

    @property
    def log_z(self) -> Floats:
        """log Z per sentence, (S,)."""
        return self._distribution.forward.log_z

    @property
    def nodes(self) -> Floats:
        """p_t(y), (T, L)."""
        return self._distribution.nodes

    def marginals(self, weights: Floats | None = None) -> Potentials:
        """∂(Σ_s ω_s log Z_s)/∂potentials: ω p_t(y), and ω p_t(y', y) summed over the positions of each matrix."""
        return self._distribution.marginals(weights)

    def edge_marginals(self, sentence: int) -> Floats:
        """p_t(y', y) of one sentence, (n - 1, L, L)."""
        return self._distribution.edge_marginals(sentence)

    def segment_probabilities(self, first: Longs, stop: Longs, kind: Longs, kinds: Longs, joined: Bools) -> Floats:
        """The probability of each segment: y_first is of its kind, and the steps that are joined are those within it.

        `kinds` (L,) is the kind of each label, -1 for none; `joined` (L, L) [from, to] are the steps at which a segment
        goes on, between labels of one kind. Segments are positions of the batch, ascending, each within a sentence.
        O((stop - first) R² + L R) each, for R labels of its kind.
        """
        return self._distribution.segment_probabilities(first, stop, kind, kinds, joined)

    # ------------------------------------------------------------------ expectation and covariance

    @cached_property
    def score(self) -> Potentials:
        """The potentials as an additive function: 0 where they are -∞ or not allowed, since there p log p = 0."""
        return covariance.additive_score(self._distribution)

    def expectation(self, r: Potentials) -> Floats:
        """E[r(y)] per sentence, (S,)."""
        return covariance.expectation(self._distribution, r)

    def covariance(self, r: Potentials, weights: Floats | None = None) -> Potentials:
        """∂(Σ_s ω_s E[r])/∂potentials with r held fixed = ω Cov(r, clique indicators) (methods §2.1).

        With r = ∂h/∂marginals it is the gradient of any criterion h(marginals); with r = `score`, of -H(Y|x). An r on
        nodes only costs a third less.
        """
        return covariance.covariance(self._distribution, r, weights)[1]

    # ------------------------------------------------------------------ entropies

    @property
    def entropy(self) -> Floats:
        """H(Y|x) = -E[log p(y|x)] per sentence, (S,), in nats."""
        return np.maximum(-covariance.expectation(self._distribution, None), 0.0)

    def entropy_gradient(self, weights: Floats | None = None) -> tuple[Floats, Potentials]:
        """H(Y|x) per sentence, (S,), and ∂(-Σ_s ω_s H)/∂potentials, the covariance of log p(y|x) with the cliques."""
        mean, gradient = covariance.covariance(self._distribution, None, weights)
        return np.maximum(-mean, 0.0), gradient

    @cached_property
    def token_entropy(self) -> Floats:
        """H(Y_t|x) of every position by itself, (T,)."""
        return entropies.token_entropies(self._distribution)

    def span_entropy(self, first: Ints, last: Ints) -> Floats:
        """H(Y_first..Y_last | x) of each span: positions of the batch, both ends included, within one sentence.

        There may be as many spans as one likes, O(1) each after one pass.
        """
        return entropies.span_entropies(self._distribution, self.token_entropy, self._conditional_sums, first, last)

    @cached_property
    def _conditional_sums(self) -> Floats:
        return entropies.conditional_sums(self._distribution)

    @property
    def side_entropies(self) -> tuple[Floats, Floats]:
        """M07 §4: Hα_t(y) = H(Y_1..Y_{t-1} | Y_t=y) and Hβ_t(y) = H(Y_{t+1}..Y_n | Y_t=y), both (T, L), both ≥ 0.

        With y_a..y_b fixed, the entropy of the rest is Hα_a(y_a) + Hβ_b(y_b). A label that no path uses has 0.
        """
        labels = self.potentials.unary.shape[1]
        h_alpha, h_beta = self._side_entropies
        return h_alpha[:, :labels], h_beta[:, :labels]

    @cached_property
    def _side_entropies(self) -> tuple[Floats, Floats]:
        return entropies.side_entropies(self._distribution)

    def subsequence_entropies(self, weights: Floats | None = None) -> Potentials:
        """M07's H^σ of every clique: Σ of p(y) log p(y) over the paths through it = p log p - p (Hα + Hβ), times ω.

        ∂(-H)/∂clique = H^σ + H p, so this plus `marginals(entropy)` is `covariance(score)`, by another road.
        """
        return entropies.subsequence_entropies(self._distribution, *self._side_entropies, weights)

    # ------------------------------------------------------------------ paths

    def viterbi(self) -> tuple[Ints, Floats]:
        """The best path of every sentence, (T,), and its score, (S,).

        Of several paths with the same computed score, the first in the order of labels.
        """
        return paths.viterbi(self._distribution)

    def k_best(self, sentence: int, k: int) -> tuple[Ints, Floats]:
        """The k best paths of one sentence, best first, (m, n), and their scores, (m,); m < k if there are only m.

        The first is the Viterbi path; equal scores come in a fixed order. O(k n L) after the Viterbi pass.
        """
        return paths.k_best(self._distribution, sentence, k)

    def penalised(self, costs: Penalties, k: int) -> tuple[Ints, Floats, Longs]:
        """The k best labellings of every sentence by score less penalties, (k, T), their scores, (k, S), and how many
        there are, (S,); rows beyond these repeat the best.

        Exact if no rule is for whole sentences, or k labellings are all; else the best that a beam of k finds.
        O(k T L).
        """
        return paths.penalised(self._distribution, costs, k)

    def path_scores(self, y: Ints) -> Floats:
        """score(y) per sentence, (S,), of one path each, (T,): log Z of the lattice that allows only y."""
        return paths.path_scores(self.potentials, y)

    def sample(self, rng: "np.random.Generator", count: int = 1) -> Ints:
        """`count` independent draws of y ~ p(y|x) for every sentence, (count, T). Needs the forward pass only."""
        return paths.sample(self._distribution, rng, count)
