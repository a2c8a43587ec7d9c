"""Entropies of a chain's labellings, in nats: of tokens, of spans, and of either side of a label (methods §2.2)."""

import numpy as np

from sstag.chain.buffers import Loan
from sstag.chain.distribution import Distribution
from sstag.chain.forward_backward import NO_EDGES, transposed
from sstag.chain.kernels import entropy
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats, Ints


def token_entropies(d: Distribution) -> Floats:
    """H(Y_t|x) of every position by itself, (T,)."""
    out = np.empty(len(d.nodes))
    entropy.token_entropies(d.nodes, out)
    return out


def conditional_sums(d: Distribution) -> Floats:
    """Σ_{t'<t} H(Y_t' | Y_t'-1) for t = 0..T, (T + 1,): a span's sum is the difference of two entries."""
    pot, f, (beta, v) = d.potentials, d.forward, d.backward
    out = np.empty(len(pot.unary))
    entropy.conditional_entropies(
        d.edges.log_p, transposed(d.p_log_p), pot.edge_index, pot.offsets, f.alpha, f.c, beta, v, f.w,
        f.in_log, d.rows(1), out,
    )  # fmt: skip
    return np.concatenate(([0.0], np.cumsum(out)))


def span_entropies(d: Distribution, tokens: Floats, sums: Floats, first: Ints, last: Ints) -> Floats:
    """H(Y_a..Y_b | x) = H(Y_a) + Σ_{a<t≤b} H(Y_t | Y_{t-1}) of each span, from the entropies of tokens and the sums."""
    starts = d.potentials.offsets
    a, b = np.asarray(first), np.asarray(last)
    if (
        not ((a >= 0) & (a <= b) & (b < len(tokens))).all()
        or (np.searchsorted(starts, a, side="right") != np.searchsorted(starts, b, side="right")).any()
    ):
        raise ValueError("a span must lie within one sentence")
    result: Floats = np.asarray(tokens[a] + (sums[b + 1] - sums[a + 1]))
    return result


def side_entropies(d: Distribution) -> tuple[Floats, Floats]:
    """M07 §4: Hα_t(y) = H(Y_1..Y_{t-1} | Y_t=y) and Hβ_t(y) = H(Y_{t+1}..Y_n | Y_t=y), both (T, L), both ≥ 0."""
    pot, e, f, (beta, v) = d.potentials, d.edges, d.forward, d.backward
    h_alpha, h_beta = np.empty_like(beta), np.empty_like(beta)
    entropy.alpha_entropies(
        e.log_p, e.p, d.p_log_p, pot.edge_index, pot.offsets, f.alpha, beta, f.in_log, d.rows(4), h_alpha
    )
    entropy.beta_entropies(
        e.log_p, e.p_transposed, transposed(d.p_log_p), pot.edge_index, pot.offsets, f.alpha, f.c, beta, v,
        f.w, f.in_log, d.rows(3), h_beta,
    )  # fmt: skip
    return h_alpha, h_beta


def subsequence_entropies(d: Distribution, h_alpha: Floats, h_beta: Floats, weights: Floats | None) -> Potentials:
    """M07's H^σ of every clique, ω (p log p - p (Hα + Hβ)), from its `side_entropies`."""
    pot, e, f, (beta, v) = d.potentials, d.edges, d.forward, d.backward
    omega = d.checked(weights)
    loan = Loan(d.workspace)
    x, z = loan.take(*pot.unary.shape), loan.take(*pot.unary.shape)
    nodes = np.empty_like(pot.unary)
    entropy.subsequence_terms(f.alpha, beta, v, pot.offsets, f.in_log, omega, h_alpha, h_beta, nodes, x, z)
    edge = np.zeros_like(pot.edge)
    d.add_outer(x, v, omega, edge)
    d.add_outer(f.alpha, z, omega, edge)
    edge *= e.p
    edge += d.products(weights) * d.p_log_p
    d.add_log_edges(omega, 0.0, 1.0, x, z, NO_EDGES, edge)
    return pot.with_values(nodes, edge)
