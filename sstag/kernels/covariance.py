"""The covariance kernel (methods §2.1): Cov(r, clique indicators) for an additive r, O(n L²).

Differs: ρ and σ are centred at every position by δ_t = E[r_t(y_t) + r_t(y_{t-1}, y_t)], so that Σ_y ρ_t β_t =
Σ_y α_t σ_t = 0, E[r] = Σ δ_t, and no covariance is a small difference of two sums over the whole sentence:

    ρ_t = (ρ_{t-1} P + α_{t-1} G) ∘ w_t / c_t + α_t ∘ (f_t - δ_t)        ρ = α ∘ (A - E[A])
    z_t = σ_t ∘ w_t / c_t + (f_t - δ_t) ∘ v_t
    σ_{t-1} = P z_t + G v_t,  σ_n = 0                                     σ = β ∘ (B - E[B])
    Cov(r, y_t=j)            = ρ_t(j) β_t(j) + α_t(j) σ_t(j)
    Cov(r, y_{t-1}=i, y_t=j) = P_ij [ρ_{t-1}(i) v_t(j) + α_{t-1}(i) z_t(j)] + G_ij α_{t-1}(i) v_t(j)

with f_t = r_t(y), g = r_t(y', y), G = P ∘ g. A sentence in logs keeps A and B themselves (their rows of rho and sigma)
and z = f - δ + B, in the conditional form of §2.1, where every factor is a probability.
"""

import numpy as np

from sstag.arrays import Bools, Floats, Ints, Longs
from sstag.kernel import kernel
from sstag.kernels.product import add_product


def centre(t: int, f: Floats, alpha: Floats, beta: Floats, rho: Floats) -> float:
    """ρ_t += α_t ∘ (f_t - δ_t); returns δ_t = Σ_y (ρ_t β_t + p_t f_t)."""
    labels = alpha.shape[1]
    delta = 0.0
    for j in range(labels):
        delta += beta[t, j] * (rho[t, j] + alpha[t, j] * f[t, j])
    for j in range(labels):
        rho[t, j] += alpha[t, j] * (f[t, j] - delta)
    return delta


@kernel
def forward_moments(
    w: Floats, p: Floats, log_p: Floats, edge_index: Ints, offsets: Longs, alpha: Floats, c: Floats, beta: Floats,
    in_log: Bools, f: Floats, g: Floats, p_g: Floats, rho: Floats, delta: Floats, mean: Floats,
) -> None:  # fmt: skip
    """ρ_t and δ_t of every position, mean_s = E[r]. `g` and `p_g` = P ∘ g have no rows when r has no edge part."""
    labels = alpha.shape[1]
    has_edges = g.shape[0] > 0
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        mean[s] = 0.0
        for t in range(start, stop):
            k = edge_index[t]
            if in_log[s]:
                delta[t] = forward_moment_log(log_p, k, t, t == start, alpha, beta, f, g, rho)
            else:
                for j in range(labels):
                    rho[t, j] = 0.0
                if t > start:
                    add_product(rho, t - 1, p, k, rho, t)
                    if has_edges:
                        add_product(alpha, t - 1, p_g, k, rho, t)
                    scale = 1.0 / c[t]
                    for j in range(labels):
                        rho[t, j] *= w[t, j] * scale
                delta[t] = centre(t, f, alpha, beta, rho)
            mean[s] += delta[t]


def forward_moment_log(
    log_p: Floats, k: int, t: int, first: bool, alpha: Floats, beta: Floats, f: Floats, g: Floats, rho: Floats
) -> float:
    """A_t(j) = f_t(j) - δ_t + Σ_i p(y_{t-1}=i | y_t=j) (A_{t-1}(i) + g_ij), kept in the row of rho; returns δ_t."""
    labels = alpha.shape[1]
    delta = 0.0
    for j in range(labels):
        value = 0.0
        if alpha[t, j] > -np.inf:
            value = f[t, j]
            if not first:
                peak = -np.inf
                for i in range(labels):
                    peak = max(peak, alpha[t - 1, i] + log_p[k, i, j])
                total = 0.0
                weighted = 0.0
                for i in range(labels):
                    share = np.exp(alpha[t - 1, i] + log_p[k, i, j] - peak)
                    if share > 0.0:
                        total += share
                        weighted += share * (rho[t - 1, i] + (g[k, i, j] if g.shape[0] > 0 else 0.0))
                value += weighted / total
            delta += np.exp(alpha[t, j] + beta[t, j]) * value
        rho[t, j] = value
    for j in range(labels):
        rho[t, j] -= delta
    return delta


@kernel
def covariance(
    w: Floats, p_transposed: Floats, log_p: Floats, edge_index: Ints, offsets: Longs, alpha: Floats, c: Floats,
    beta: Floats, v: Floats, in_log: Bools, weights: Floats, f: Floats, g: Floats, p_g_transposed: Floats,
    rho: Floats, delta: Floats, sigma: Floats, z: Floats, nodes: Floats,
) -> None:  # fmt: skip
    """nodes_t(j) = ω Cov(r, y_t=j), and z_t for the edges, from σ_n = 0 to the left; sigma (1, L) is σ_t alone."""
    labels = alpha.shape[1]
    has_edges = g.shape[0] > 0
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for j in range(labels):
            sigma[0, j] = 0.0
        for t in range(stop - 1, start - 1, -1):
            k = edge_index[t]
            if in_log[s]:
                for j in range(labels):
                    nodes[t, j] = weights[s] * np.exp(alpha[t, j] + beta[t, j]) * (rho[t, j] + sigma[0, j])
                    z[t, j] = f[t, j] - delta[t] + sigma[0, j]
                if t > start:
                    backward_moment_log(w, log_p, k, t, beta, g, z, sigma)
                continue
            scale = 1.0 / c[t]
            for j in range(labels):
                nodes[t, j] = weights[s] * (rho[t, j] * beta[t, j] + alpha[t, j] * sigma[0, j])
                # v = 0 where no path comes from the left, and nothing may come from there here either.
                reached = sigma[0, j] * (w[t, j] * scale) if alpha[t, j] > 0.0 else 0.0
                z[t, j] = reached + (f[t, j] - delta[t]) * v[t, j]
                sigma[0, j] = 0.0
            if t > start:
                add_product(z, t, p_transposed, k, sigma, 0)
                if has_edges:
                    add_product(v, t, p_g_transposed, k, sigma, 0)


def backward_moment_log(
    w: Floats, log_p: Floats, k: int, t: int, beta: Floats, g: Floats, z: Floats, sigma: Floats
) -> None:
    """B_{t-1}(i) = Σ_j p(y_t=j | y_{t-1}=i) (z_t(j) + g_ij), z = f - δ + B, kept in sigma[0]."""
    labels = beta.shape[1]
    for i in range(labels):
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
                    weighted += share * (z[t, j] + (g[k, i, j] if g.shape[0] > 0 else 0.0))
        sigma[0, i] = weighted / total if total > 0.0 else 0.0
