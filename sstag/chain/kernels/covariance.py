"""The covariance kernel (methods §2.1): E[r] and Cov(r, clique indicators) for an additive r, O(n L²).

Differs: ρ and σ are centred at every position, so that no covariance is a small difference of two sums over the whole
sentence: by m_t, the mean of ρ_t under the forward distribution α_t alone, and then E[r] = Σ m_t needs no β; and by
s_t, that of σ. Each is taken away where the next position uses it, κ_t, the mean of ρ_t, where β is there:

    ρ_t = (ρ_{t-1} P + α_{t-1} G) ∘ w_t / c_t + α_t ∘ (f_t - m_{t-1})     m_t = Σ_y ρ_t, κ_t = Σ_y ρ_t β_t
    z_t = σ_t ∘ w_t / c_t + (f_t - s_t) ∘ v_t
    σ_{t-1} = P z_t + G v_t,  σ_n = 0
    x_t = ρ_t - (κ_t + s_t) α_t
    Cov(r, y_t=j)            = ρ_t(j) β_t(j) + α_t(j) (σ_t(j) - (κ_t + s_t) β_t(j))
    Cov(r, y_{t-1}=i, y_t=j) = P_ij [x_{t-1}(i) v_t(j) + α_{t-1}(i) z_t(j)] + G_ij α_{t-1}(i) v_t(j)

with f_t = r_t(y), g = r_t(y', y), G = P ∘ g. A sentence in logs keeps A - Σ m and B themselves (as rho and sigma) and
z = f + B, in the conditional form of §2.1, where every factor is a probability. An `r` without rows is log p(y|x):
f_t = u_t - shift_t - log c_t, g = log P. Then E[r] = -H, and Cov is the gradient of -H (methods §3.3).

Both kernels go sentence by sentence, so that f, rho and z (n, J), for the longest sentence, stay in the nearest cache.
They, sigma and the matrices are J ≥ L wide, whole vectors, with 0 beyond L: P (K, J, J), G (K, L, J).
"""

import numpy as np

from sstag.chain.compiler.kernel import kernel
from sstag.chain.kernels.product import WIDE, add_product, set_sum
from sstag.foundation.arrays import Bools, Floats, Ints, Longs


def fill(
    start: int, stop: int, in_log: bool, unary: Floats, shift: Floats, c: Floats, alpha: Floats, r: Floats, f: Floats
) -> None:
    """f_t of one sentence."""
    labels = alpha.shape[1]
    if r.shape[0] > 0:
        for t in range(start, stop):
            for j in range(labels):
                f[t - start, j] = r[t, j]
        return
    nothing = -np.inf if in_log else 0.0
    for t in range(start, stop):
        away = shift[t] + (c[t] if in_log else np.log(c[t]))
        for j in range(labels):
            f[t - start, j] = unary[t, j] - away if alpha[t, j] > nothing else 0.0


def forward_scaled(
    start: int, stop: int, w: Floats, p: Floats, edge_index: Ints, alpha: Floats, c: Floats, f: Floats, p_g: Floats,
    rho: Floats,
) -> float:  # fmt: skip
    """ρ of one sentence; returns E[r]."""
    labels = alpha.shape[1]
    mean, m = 0.0, 0.0
    for t in range(start, stop):
        d = t - start
        if d > 0:
            set_sum(rho, d - 1, p, alpha, t - 1, p_g, edge_index[t], rho, d)
        else:
            for j in range(labels):
                rho[d, j] = 0.0
        scale, total = 1.0 / c[t], 0.0
        for j in range(labels):
            x = rho[d, j] * (w[t, j] * scale) + alpha[t, j] * (f[d, j] - m)
            rho[d, j] = x
            total += x
        m = total
        mean += m
    return mean


def forward_log(
    start: int, stop: int, log_p: Floats, edge_index: Ints, alpha: Floats, f: Floats, g: Floats, rho: Floats
) -> float:
    """A_t(j) = f_t(j) - m_t + Σ_i p(y_{t-1}=i | y_t=j) (A_{t-1}(i) + g_ij) of one sentence; returns E[r]."""
    labels = alpha.shape[1]
    mean = 0.0
    for t in range(start, stop):
        k, d = edge_index[t], t - start
        m = 0.0
        for j in range(labels):
            value = 0.0
            if alpha[t, j] > -np.inf:
                value = f[d, j]
                if d > 0:
                    peak = -np.inf
                    for i in range(labels):
                        peak = max(peak, alpha[t - 1, i] + log_p[k, i, j])
                    total = 0.0
                    weighted = 0.0
                    for i in range(labels):
                        share = np.exp(alpha[t - 1, i] + log_p[k, i, j] - peak)
                        if share > 0.0:
                            total += share
                            weighted += share * (rho[d - 1, i] + (g[k, i, j] if g.shape[0] > 0 else 0.0))
                    value += weighted / total
                m += np.exp(alpha[t, j]) * value
            rho[d, j] = value
        for j in range(labels):
            rho[d, j] -= m
        mean += m
    return mean


@kernel
def expectations(
    unary: Floats, shift: Floats, w: Floats, p: Floats, log_p: Floats, edge_index: Ints, offsets: Longs,
    alpha: Floats, c: Floats, in_log: Bools, r: Floats, g: Floats, p_g: Floats, f: Floats, rho: Floats, mean: Floats,
) -> None:  # fmt: skip
    """mean_s = E[r]. `g` and `p_g` = P ∘ g have no rows when r has no edge part."""
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        fill(start, stop, in_log[s], unary, shift, c, alpha, r, f)
        if in_log[s]:
            mean[s] = forward_log(start, stop, log_p, edge_index, alpha, f, g, rho)
        else:
            mean[s] = forward_scaled(start, stop, w, p, edge_index, alpha, c, f, p_g, rho)


def backward_scaled(
    start: int, stop: int, w: Floats, p_transposed: Floats, edge_index: Ints, alpha: Floats, c: Floats, beta: Floats,
    v: Floats, weight: float, f: Floats, p_g_transposed: Floats, rho: Floats, sigma: Floats, z: Floats, nodes: Floats,
) -> None:  # fmt: skip
    """nodes_t(j) = ω Cov(r, y_t=j), and x (in the place of ρ) and z for the steps of one sentence."""
    labels = alpha.shape[1]
    left = 0.0  # s_t
    for j in range(labels):
        sigma[0, j] = 0.0
    for t in range(stop - 1, start - 1, -1):
        d = t - start
        kappa = 0.0
        for j in range(labels):
            kappa += rho[d, j] * beta[t, j]
        scale, away = 1.0 / c[t], kappa + left
        if labels < WIDE:
            for j in range(labels):
                x, s = rho[d, j], sigma[0, j]
                nodes[t, j] = weight * (x * beta[t, j] + alpha[t, j] * (s - away * beta[t, j]))
                # v = 0 where no path comes from the left, and nothing may come from there here either.
                z[d, j] = (s * (w[t, j] * scale) if alpha[t, j] > 0.0 else 0.0) + (f[d, j] - left) * v[t, j]
                rho[d, j] = x - away * alpha[t, j]
        else:  # the same in vectors, which LLVM finds if a loop stores one array
            for j in range(labels):
                nodes[t, j] = weight * (rho[d, j] * beta[t, j] + alpha[t, j] * (sigma[0, j] - away * beta[t, j]))
            for j in range(labels):
                z[d, j] = sigma[0, j] * (w[t, j] * scale)
            for j in range(labels):
                reached = z[d, j]
                z[d, j] = (reached if alpha[t, j] > 0.0 else 0.0) + (f[d, j] - left) * v[t, j]
            for j in range(labels):
                rho[d, j] -= away * alpha[t, j]
        if d == 0:
            continue
        set_sum(z, d, p_transposed, v, t, p_g_transposed, edge_index[t], sigma, 0)
        left = 0.0
        for j in range(labels):
            left += alpha[t - 1, j] * sigma[0, j]


def backward_log(
    start: int, stop: int, w: Floats, log_p: Floats, edge_index: Ints, alpha: Floats, c: Floats, beta: Floats,
    weight: float, f: Floats, g: Floats, rho: Floats, sigma: Floats, z: Floats, nodes: Floats, edge: Floats,
) -> None:  # fmt: skip
    """nodes and edge of one sentence, from B_{t-1}(i) = Σ_j p(y_t=j | y_{t-1}=i) (z_t(j) + g_ij) - s_{t-1}."""
    labels = alpha.shape[1]
    for j in range(labels):
        sigma[0, j] = 0.0
    for t in range(stop - 1, start - 1, -1):
        k, d = edge_index[t], t - start
        kappa = 0.0
        for j in range(labels):
            kappa += np.exp(alpha[t, j] + beta[t, j]) * rho[d, j]
        for j in range(labels):
            nodes[t, j] = weight * np.exp(alpha[t, j] + beta[t, j]) * (rho[d, j] + sigma[0, j] - kappa)
            z[d, j] = f[d, j] + sigma[0, j]
        if d == 0:
            continue
        away = 0.0  # κ_{t-1} + s_{t-1}
        for i in range(labels):
            sigma[0, i] = conditional_mean(t, i, w, log_p, k, beta, g, z, d)
            away += np.exp(alpha[t - 1, i] + beta[t - 1, i]) * (sigma[0, i] + rho[d - 1, i])
        for i in range(labels):
            for j in range(labels):
                share = np.exp(alpha[t - 1, i] + log_p[k, i, j] + w[t, j] + beta[t, j] - c[t])
                if share > 0.0:
                    value = rho[d - 1, i] + z[d, j] + (g[k, i, j] if g.shape[0] > 0 else 0.0)
                    edge[k, i, j] += weight * share * (value - away)
        left = 0.0  # s_{t-1}
        for i in range(labels):
            left += np.exp(alpha[t - 1, i] + beta[t - 1, i]) * sigma[0, i]
        for i in range(labels):
            sigma[0, i] -= left


def conditional_mean(
    t: int, i: int, w: Floats, log_p: Floats, k: int, beta: Floats, g: Floats, z: Floats, d: int
) -> float:
    """Σ_j p(y_t=j | y_{t-1}=i) (z_t(j) + g_ij)."""
    labels = beta.shape[1]
    peak = -np.inf
    for j in range(labels):
        peak = max(peak, log_p[k, i, j] + w[t, j] + beta[t, j])
    total = 0.0
    weighted = 0.0
    if peak > -np.inf:
        for j in range(labels):
            share = np.exp(log_p[k, i, j] + w[t, j] + beta[t, j] - peak)
            if share > 0.0:
                total += share
                weighted += share * (z[d, j] + (g[k, i, j] if g.shape[0] > 0 else 0.0))
    return weighted / total if total > 0.0 else 0.0


@kernel
def covariance(
    unary: Floats, shift: Floats, w: Floats, p: Floats, p_transposed: Floats, log_p: Floats, edge_index: Ints,
    offsets: Longs, alpha: Floats, c: Floats, beta: Floats, v: Floats, in_log: Bools, weights: Floats, r: Floats,
    g: Floats, p_g: Floats, p_g_transposed: Floats, f: Floats, rho: Floats, z: Floats, sigma: Floats, before: Floats,
    after: Floats, of_p: Floats, of_g: Floats, mean: Floats, nodes: Floats, edge: Floats,
) -> None:  # fmt: skip
    """mean_s = E[r]; ω Cov(r, ·) into nodes, and into edge, which begins as 0.

    The steps of scaled sentences are added up in `of_p` and `of_g`, which begin as 0 too, some at a time: x and α stand
    in columns of `before` (2, L, B), v and z in rows of `after` (2, B, J).
    """
    labels = alpha.shape[1]
    filled, current = 0, 0
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        fill(start, stop, in_log[s], unary, shift, c, alpha, r, f)
        if in_log[s]:
            mean[s] = forward_log(start, stop, log_p, edge_index, alpha, f, g, rho)
            backward_log(
                start, stop, w, log_p, edge_index, alpha, c, beta, weights[s], f, g, rho, sigma, z, nodes, edge
            )
            continue
        mean[s] = forward_scaled(start, stop, w, p, edge_index, alpha, c, f, p_g, rho)
        backward_scaled(
            start, stop, w, p_transposed, edge_index, alpha, c, beta, v, weights[s], f, p_g_transposed, rho, sigma, z,
            nodes,
        )  # fmt: skip
        for t in range(start + 1, stop):
            if filled == after.shape[1] or edge_index[t] != current:
                flush(before, after, filled, current, p_g.shape[0] > 0, of_p, of_g)
                filled, current = 0, edge_index[t]
            for j in range(labels):
                before[0, j, filled] = weights[s] * rho[t - start - 1, j]
                before[1, j, filled] = weights[s] * alpha[t - 1, j]
                after[0, filled, j], after[1, filled, j] = v[t, j], z[t - start, j]
            filled += 1
    flush(before, after, filled, current, p_g.shape[0] > 0, of_p, of_g)
    for k in range(edge.shape[0]):
        for i in range(labels):
            for j in range(labels):
                edge[k, i, j] += p[k, i, j] * of_p[k, i, j]
    if p_g.shape[0] > 0:
        for k in range(edge.shape[0]):
            for i in range(labels):
                for j in range(labels):
                    edge[k, i, j] += p_g[k, i, j] * of_g[k, i, j]


def flush(before: Floats, after: Floats, filled: int, k: int, has_edges: bool, of_p: Floats, of_g: Floats) -> None:
    """of_p += xᵀ v + αᵀ z, of_g += αᵀ v."""
    labels, width = before.shape[1], after.shape[2]
    for i in range(labels):
        if filled == after.shape[1]:
            add_product(before[0], i, after, 0, of_p[k], i)
            add_product(before[1], i, after, 1, of_p[k], i)
            if has_edges:
                add_product(before[1], i, after, 0, of_g[k], i)
            continue
        for b in range(filled):
            x, a = before[0, i, b], before[1, i, b]
            for j in range(width):
                of_p[k, i, j] += x * after[0, b, j] + a * after[1, b, j]
            if has_edges:
                for j in range(width):
                    of_g[k, i, j] += a * after[0, b, j]
