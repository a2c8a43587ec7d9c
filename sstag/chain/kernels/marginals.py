"""Expected counts: node marginals, and sums of edge terms over the positions that share an edge matrix."""

import numpy as np

from sstag.chain.compiler.kernel import kernel
from sstag.foundation.arrays import Bools, Floats, Ints, Longs

BLOCK = 8


@kernel
def node_marginals(alpha: Floats, beta: Floats, offsets: Longs, in_log: Bools, weights: Floats, mu: Floats) -> None:
    """mu_t(y) = ω_s p_t(y), p_t = α_t ∘ β_t."""
    labels = alpha.shape[1]
    for s in range(offsets.shape[0] - 1):
        weight = weights[s]
        for t in range(offsets[s], offsets[s + 1]):
            if in_log[s]:
                for y in range(labels):
                    mu[t, y] = weight * np.exp(alpha[t, y] + beta[t, y])
            else:
                for y in range(labels):
                    mu[t, y] = weight * (alpha[t, y] * beta[t, y])


def flush(rows: Floats, columns: Floats, filled: int, k: int, out: Floats) -> None:
    """out[k] += rows[:filled]ᵀ columns[:filled]"""
    labels = rows.shape[1]
    if filled == BLOCK:
        for i in range(labels):
            a0, a1, a2, a3 = rows[0, i], rows[1, i], rows[2, i], rows[3, i]
            a4, a5, a6, a7 = rows[4, i], rows[5, i], rows[6, i], rows[7, i]
            for j in range(labels):
                out[k, i, j] += (
                    (a0 * columns[0, j] + a1 * columns[1, j]) + (a2 * columns[2, j] + a3 * columns[3, j])
                ) + ((a4 * columns[4, j] + a5 * columns[5, j]) + (a6 * columns[6, j] + a7 * columns[7, j]))
        return
    for b in range(filled):
        for i in range(labels):
            a0 = rows[b, i]
            if a0 != 0.0:
                for j in range(labels):
                    out[k, i, j] += a0 * columns[b, j]


@kernel
def add_outer(
    a: Floats, b: Floats, edge_index: Ints, offsets: Longs, in_log: Bools, weights: Floats, rows: Floats,
    columns: Floats, out: Floats,
) -> None:  # fmt: skip
    """out[k] += Σ_{t: edge_index_t = k} ω a_{t-1}ᵀ b_t over the scaled sentences: a matrix product, BLOCK positions at
    a time (in `rows` and `columns`), so that out is loaded and stored once for all of them."""
    labels = a.shape[1]
    filled = 0
    current = 0
    for s in range(offsets.shape[0] - 1):
        if in_log[s]:
            continue
        weight = weights[s]
        for t in range(offsets[s] + 1, offsets[s + 1]):
            k = edge_index[t]
            if filled == BLOCK or k != current:
                flush(rows, columns, filled, current, out)
                filled = 0
                current = k
            for j in range(labels):
                rows[filled, j] = weight * a[t - 1, j]
                columns[filled, j] = b[t, j]
            filled += 1
    flush(rows, columns, filled, current, out)


@kernel
def add_log_edges(
    w: Floats, log_p: Floats, edge_index: Ints, offsets: Longs, alpha: Floats, c: Floats, beta: Floats,
    in_log: Bools, weights: Floats, base: float, power: float, x: Floats, z: Floats, g: Floats, out: Floats,
) -> None:  # fmt: skip
    """out[k](i, j) += Σ ω p_t(i, j) [base + power · log p_t(i, j) + x_{t-1}(i) + z_t(j) + g(i, j)] over the sentences
    in logs. `x` (with `z`) and `g` may have no rows."""
    labels = alpha.shape[1]
    has_x, has_g = x.shape[0] > 0, g.shape[0] > 0
    for s in range(offsets.shape[0] - 1):
        if not in_log[s]:
            continue
        for t in range(offsets[s] + 1, offsets[s + 1]):
            k = edge_index[t]
            for i in range(labels):
                for j in range(labels):
                    log_edge = alpha[t - 1, i] + log_p[k, i, j] + w[t, j] + beta[t, j] - c[t]
                    edge = weights[s] * np.exp(log_edge)
                    if edge == 0.0:
                        continue
                    value = base + power * log_edge
                    if has_x:
                        value += x[t - 1, i] + z[t, j]
                    if has_g:
                        value += g[k, i, j]
                    out[k, i, j] += edge * value


@kernel
def edge_marginals(
    w: Floats, p: Floats, log_p: Floats, edge_index: Ints, start: int, stop: int, alpha: Floats, c: Floats,
    beta: Floats, v: Floats, in_log: bool, out: Floats,
) -> None:  # fmt: skip
    """out[t - start - 1](i, j) = p_t(i, j) = α_{t-1}(i) P(i, j) v_t(j), one sentence."""
    labels = alpha.shape[1]
    for t in range(start + 1, stop):
        k = edge_index[t]
        for i in range(labels):
            for j in range(labels):
                if in_log:
                    x = np.exp(alpha[t - 1, i] + log_p[k, i, j] + w[t, j] + beta[t, j] - c[t])
                else:
                    x = alpha[t - 1, i] * p[k, i, j] * v[t, j]
                out[t - start - 1, i, j] = x
