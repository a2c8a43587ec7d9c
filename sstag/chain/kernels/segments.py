"""The probability that exactly this segment is there: labels of one kind, and nothing that goes on at either end.

A step (i, j) is *joined* if the segment of i goes on at j; then both are of one kind. The segment a..b-1 of kind k is
the event that y_a is of kind k, the steps within it are joined and those into and out of it are not (methods §2.3):

    x_a(j) = (Σ_{i: not joined} α_{a-1}(i) P_ij) w_a(j) / c_a        α_1(j) where the sentence begins
    x_t(j) = (Σ_{i: joined} x_{t-1}(i) P_ij) w_t(j) / c_t            j of kind k
    p      = Σ_i x_{b-1}(i) Σ_{j: not joined} P_ij v_b(j)            Σ_i x_{b-1}(i) where it ends

With R labels of that kind it costs O((b - a) R² + L R).
"""

import numpy as np

from sstag.chain.compiler.kernel import kernel
from sstag.foundation.arrays import Bools, Floats, Ints, Longs


def scaled(
    w: Floats, p: Floats, p_transposed: Floats, edge_index: Ints, alpha: Floats, c: Floats, v: Floats,
    begins: bool, ends: bool, first: int, stop: int, kind: Longs, joined: Bools, x: Floats,
) -> float:  # fmt: skip
    """Σ over the paths with the segment; x_t(j) is the part of α_t(j) whose paths have had it so far."""
    labels = alpha.shape[1]
    size = kind.shape[0]
    for b in range(size):
        j = kind[b]
        total = 0.0
        for i in range(labels):
            if not begins and not joined[i, j]:
                total += alpha[first - 1, i] * p_transposed[edge_index[first], j, i]
        x[0, b] = alpha[first, j] if begins else total * w[first, j] / c[first]
    for t in range(first + 1, stop):
        k = edge_index[t]
        now, before = (t - first) % 2, (t - first - 1) % 2
        for b in range(size):
            j = kind[b]
            total = 0.0
            for a in range(size):
                if joined[kind[a], j]:
                    total += x[before, a] * p_transposed[k, j, kind[a]]
            x[now, b] = total * w[t, j] / c[t]
    result = 0.0
    for a in range(size):
        i = kind[a]
        total = 1.0 if ends else 0.0
        for j in range(labels):
            if not ends and not joined[i, j]:
                total += p[edge_index[stop], i, j] * v[stop, j]
        result += x[(stop - 1 - first) % 2, a] * total
    return result


def in_logs(
    w: Floats, log_p: Floats, edge_index: Ints, alpha: Floats, c: Floats, beta: Floats,
    begins: bool, ends: bool, first: int, stop: int, kind: Longs, joined: Bools, x: Floats,
) -> float:  # fmt: skip
    """Σ over the paths with the segment, of a sentence in logs: here x holds log x."""
    labels = alpha.shape[1]
    size = kind.shape[0]
    for b in range(size):
        j = kind[b]
        x[0, b] = alpha[first, j]
        if not begins:
            k = edge_index[first]
            peak = -np.inf
            for i in range(labels):
                if not joined[i, j]:
                    peak = max(peak, alpha[first - 1, i] + log_p[k, i, j])
            total = 0.0
            for i in range(labels):
                if peak > -np.inf and not joined[i, j]:
                    total += np.exp(alpha[first - 1, i] + log_p[k, i, j] - peak)
            x[0, b] = peak + np.log(total) + w[first, j] - c[first] if peak > -np.inf else -np.inf
    for t in range(first + 1, stop):
        k = edge_index[t]
        now, before = (t - first) % 2, (t - first - 1) % 2
        for b in range(size):
            j = kind[b]
            peak = -np.inf
            for a in range(size):
                if joined[kind[a], j]:
                    peak = max(peak, x[before, a] + log_p[k, kind[a], j])
            total = 0.0
            for a in range(size):
                if peak > -np.inf and joined[kind[a], j]:
                    total += np.exp(x[before, a] + log_p[k, kind[a], j] - peak)
            x[now, b] = peak + np.log(total) + w[t, j] - c[t] if peak > -np.inf else -np.inf
    result = 0.0
    for a in range(size):
        i = kind[a]
        so_far = x[(stop - 1 - first) % 2, a]
        if ends:
            result += np.exp(so_far)
            continue
        for j in range(labels):
            if not joined[i, j]:
                result += np.exp(so_far + log_p[edge_index[stop], i, j] + w[stop, j] + beta[stop, j] - c[stop])
    return result


@kernel
def segment_probabilities(
    w: Floats, p: Floats, p_transposed: Floats, log_p: Floats, edge_index: Ints, offsets: Longs, alpha: Floats,
    c: Floats, beta: Floats, v: Floats, in_log: Bools, first: Longs, stop: Longs, kind: Longs, members: Longs,
    bounds: Longs, joined: Bools, x: Floats, out: Floats,
) -> None:  # fmt: skip
    """The probability of each segment, ascending by `first`; labels of kind k: members[bounds[k]:bounds[k + 1]]."""
    s = 0
    for n in range(first.shape[0]):
        a, b = first[n], stop[n]
        while offsets[s + 1] <= a:
            s += 1
        own = members[bounds[kind[n]] : bounds[kind[n] + 1]]
        begins, ends = bool(a == offsets[s]), bool(b == offsets[s + 1])
        if in_log[s]:
            out[n] = in_logs(w, log_p, edge_index, alpha, c, beta, begins, ends, a, b, own, joined, x)
        else:
            out[n] = scaled(w, p, p_transposed, edge_index, alpha, c, v, begins, ends, a, b, own, joined, x)
