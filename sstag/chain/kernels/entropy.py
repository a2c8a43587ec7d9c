"""Entropies of a chain (methods §2.2): of each label given the one before, and M07's Hα and Hβ.

None of them takes a logarithm per edge: log p(y', y) = log α(y') + log P(y', y) + log v(y), so Σ p log p is three
products that the chain has anyway. `p_log_p` is P ∘ log P, with 0 where P is 0.
"""

import numpy as np

from sstag.chain.compiler.kernel import kernel
from sstag.chain.kernels.product import add_product
from sstag.foundation.arrays import Bools, Floats, Ints, Longs


def plogp(p: float) -> float:
    """p log p, 0 for p = 0."""
    return p * np.log(p) if p > 0.0 else 0.0


@kernel
def token_entropies(mu: Floats, out: Floats) -> None:
    """H(Y_t) = -Σ_y p_t(y) log p_t(y)."""
    for t in range(mu.shape[0]):
        total = 0.0
        for y in range(mu.shape[1]):
            total -= plogp(mu[t, y])
        out[t] = max(total, 0.0)


@kernel
def conditional_entropies(
    log_p: Floats, p_log_p_transposed: Floats, edge_index: Ints, offsets: Longs, alpha: Floats, c: Floats,
    beta: Floats, v: Floats, w: Floats, in_log: Bools, product: Floats, out: Floats,
) -> None:  # fmt: skip
    """H(Y_t | Y_{t-1}) = -Σ_{ij} p_t(i, j) log p(j | i), and H(Y_1) at the start of a sentence.

    Scaled: p(j | i) = P_ij v_j / β_{t-1}(i), so the sum is
    Σ_i α_{t-1}(i) Σ_j (P ∘ log P)_ij v_j  +  Σ_j p_t(j) log v_j  -  Σ_i p_{t-1}(i) log β_{t-1}(i).
    """
    labels = alpha.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for t in range(start, stop):
            total = 0.0
            if t == start:
                for y in range(labels):
                    total += plogp(np.exp(alpha[t, y] + beta[t, y]) if in_log[s] else alpha[t, y] * beta[t, y])
            elif in_log[s]:
                k = edge_index[t]
                for i in range(labels):
                    if alpha[t - 1, i] + beta[t - 1, i] == -np.inf:
                        continue
                    for j in range(labels):
                        given = log_p[k, i, j] + w[t, j] + beta[t, j] - c[t] - beta[t - 1, i]
                        edge = np.exp(alpha[t - 1, i] + beta[t - 1, i] + given)
                        if edge > 0.0:
                            total += edge * given
            else:
                for i in range(labels):
                    product[0, i] = 0.0
                add_product(v, t, p_log_p_transposed, edge_index[t], product, 0)
                for y in range(labels):
                    total += alpha[t - 1, y] * product[0, y]
                    here, before = alpha[t, y] * beta[t, y], alpha[t - 1, y] * beta[t - 1, y]
                    if here > 0.0:
                        total += here * np.log(v[t, y])
                    if before > 0.0:
                        total -= before * np.log(beta[t - 1, y])
            out[t] = max(-total, 0.0)


@kernel
def alpha_entropies(
    log_p: Floats, p: Floats, p_log_p: Floats, edge_index: Ints, offsets: Longs, alpha: Floats, beta: Floats,
    in_log: Bools, scratch: Floats, h_alpha: Floats,
) -> None:  # fmt: skip
    """Hα_t(j) = H(Y_1..Y_{t-1} | Y_t=j) = Σ_i b (Hα_{t-1}(i) - log b), b = p(y_{t-1}=i | y_t=j), Hα_1 = 0 (M07 §4).

    Scaled: b = α_{t-1}(i) P_ij / s_j with s = α_{t-1} P. A label on no path gets 0.
    Differs: M07's recursion sums p log p ≤ 0 and starts at 0 log 0; here entropies are ≥ 0, and start as an empty sum.
    """
    labels = alpha.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for j in range(labels):
            h_alpha[start, j] = 0.0
        for t in range(start + 1, stop):
            k = edge_index[t]
            if in_log[s]:
                for j in range(labels):
                    total = 0.0
                    peak = -np.inf
                    if alpha[t, j] + beta[t, j] > -np.inf:
                        for i in range(labels):
                            peak = max(peak, alpha[t - 1, i] + log_p[k, i, j])
                        mass = 0.0
                        for i in range(labels):
                            mass += np.exp(alpha[t - 1, i] + log_p[k, i, j] - peak)
                        for i in range(labels):
                            given = alpha[t - 1, i] + log_p[k, i, j] - peak - np.log(mass)
                            if given > -np.inf:
                                total += np.exp(given) * (h_alpha[t - 1, i] - given)
                    h_alpha[t, j] = max(total, 0.0)
                continue
            for i in range(labels):
                a = alpha[t - 1, i]
                scratch[0, i] = a * (h_alpha[t - 1, i] - np.log(a)) if a > 0.0 else 0.0
                scratch[1:, i] = 0.0
            add_product(scratch, 0, p, k, scratch, 1)
            add_product(alpha, t - 1, p_log_p, k, scratch, 2)
            add_product(alpha, t - 1, p, k, scratch, 3)
            for j in range(labels):
                total = 0.0
                if alpha[t, j] > 0.0 and beta[t, j] > 0.0:
                    total = (scratch[1, j] - scratch[2, j]) / scratch[3, j] + np.log(scratch[3, j])
                h_alpha[t, j] = max(total, 0.0)


@kernel
def beta_entropies(
    log_p: Floats, p_transposed: Floats, p_log_p_transposed: Floats, edge_index: Ints, offsets: Longs,
    alpha: Floats, c: Floats, beta: Floats, v: Floats, w: Floats, in_log: Bools, scratch: Floats, h_beta: Floats,
) -> None:  # fmt: skip
    """Hβ_{t-1}(i) = H(Y_t..Y_n | Y_{t-1}=i) = Σ_j d (Hβ_t(j) - log d), d = p(y_t=j | y_{t-1}=i), Hβ_n = 0 (M07 §4).

    Scaled: d = P_ij v_t(j) / β_{t-1}(i). A label on no path gets 0.
    """
    labels = alpha.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for j in range(labels):
            h_beta[stop - 1, j] = 0.0
        for t in range(stop - 1, start, -1):
            k = edge_index[t]
            if in_log[s]:
                for i in range(labels):
                    total = 0.0
                    if alpha[t - 1, i] + beta[t - 1, i] > -np.inf:
                        for j in range(labels):
                            given = log_p[k, i, j] + w[t, j] + beta[t, j] - c[t] - beta[t - 1, i]
                            if given > -np.inf:
                                total += np.exp(given) * (h_beta[t, j] - given)
                    h_beta[t - 1, i] = max(total, 0.0)
                continue
            for j in range(labels):
                x = v[t, j]
                scratch[0, j] = x * (h_beta[t, j] - np.log(x)) if x > 0.0 else 0.0
                scratch[1:, j] = 0.0
            add_product(scratch, 0, p_transposed, k, scratch, 1)
            add_product(v, t, p_log_p_transposed, k, scratch, 2)
            for i in range(labels):
                mass = beta[t - 1, i]
                total = 0.0
                if mass > 0.0 and alpha[t - 1, i] > 0.0:
                    total = (scratch[1, i] - scratch[2, i]) / mass + np.log(mass)
                h_beta[t - 1, i] = max(total, 0.0)


@kernel
def subsequence_terms(
    alpha: Floats, beta: Floats, v: Floats, offsets: Longs, in_log: Bools, weights: Floats,
    h_alpha: Floats, h_beta: Floats, nodes: Floats, x: Floats, z: Floats,
) -> None:  # fmt: skip
    """H^σ_t(y) = p log p - p (Hα + Hβ), times ω, and the factors x, z of the edges' H^σ.

    H^σ_t(i, j) = p log p - p (Hα_{t-1}(i) + Hβ_t(j))
                = P_ij [x_{t-1}(i) v_t(j) + α_{t-1}(i) z_t(j) + log P_ij α_{t-1}(i) v_t(j)]
    with x = α (log α - Hα), z = v (log v - Hβ); in logs x = -Hα, z = -Hβ, to be added to log p.
    """
    for s in range(offsets.shape[0] - 1):
        for t in range(offsets[s], offsets[s + 1]):
            for y in range(alpha.shape[1]):
                if in_log[s]:
                    p = np.exp(alpha[t, y] + beta[t, y])
                    x[t, y], z[t, y] = -h_alpha[t, y], -h_beta[t, y]
                else:
                    a, b = alpha[t, y], v[t, y]
                    p = a * beta[t, y]
                    x[t, y] = a * (np.log(a) - h_alpha[t, y]) if a > 0.0 else 0.0
                    z[t, y] = b * (np.log(b) - h_beta[t, y]) if b > 0.0 else 0.0
                nodes[t, y] = weights[s] * (plogp(p) - p * (h_alpha[t, y] + h_beta[t, y]))
