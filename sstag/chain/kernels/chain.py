"""Forward and backward: the scaled recursions, the check that they lost nothing, and their log-domain twins.

What the scaled recursion can lose, and why the check finds it. A number below 2.2e-308 is zero or has lost digits: a
weight exp(e) or exp(u), or a product of such with α or β. A path may go through it that is the only one left some
positions later, while no α that lives and no scale is zero (the other paths die at an -∞). So the rule is for every
label, not for the sum. As long as the α of every reachable label, *before* it is divided by the scale, is at least
1e-200, what was lost on the way to it was smaller by a factor of 1e-108. It follows that v ≤ 1e200, that nothing
overflows, and that β loses less than 1e-108: enough for every marginal; and β ≥ 1e-90 at every label that reaches the
end makes it enough for every conditional probability. Reachable means through weights that are not exactly zero. It is
looked at only where a number is below the bound, so a sentence without -∞ pays for one comparison per label.
"""

import numpy as np

from sstag.chain.compiler.kernel import kernel
from sstag.chain.kernels.product import add_product
from sstag.foundation.arrays import Bools, Floats, Ints, Longs

ALPHA_FLOOR = 1e-200
BETA_FLOOR = 1e-90

DONE, LOST, NO_PATH = 0, 1, 2


@kernel
def log_weights(unary: Floats, allowed: Bools, w: Floats, shift: Floats) -> None:
    """log w_t(y) = u_t(y) - shift_t, shift_t = max_y u_t(y); -∞ where not allowed."""
    masked = allowed.shape[0] > 0
    labels = unary.shape[1]
    for t in range(unary.shape[0]):
        for y in range(labels):
            w[t, y] = unary[t, y] if not masked or allowed[t, y] else -np.inf
        # Four maxima, because one would wait for itself at every label.
        top0, top1, top2, top3 = -np.inf, -np.inf, -np.inf, -np.inf
        for y in range(0, labels - 3, 4):
            top0, top1 = max(top0, w[t, y]), max(top1, w[t, y + 1])
            top2, top3 = max(top2, w[t, y + 2]), max(top3, w[t, y + 3])
        for y in range(labels - labels % 4, labels):
            top0 = max(top0, w[t, y])
        top = max(max(top0, top1), max(top2, top3))
        shift[t] = top if top > -np.inf else 0.0
        for y in range(labels):
            w[t, y] -= shift[t]


def is_possible(unary: Floats, allowed: Bools, t: int, y: int) -> bool:
    """Whether position t may have label y: u_t(y) > -∞, and y is allowed there."""
    return bool(unary[t, y] > -np.inf and (allowed.shape[0] == 0 or allowed[t, y]))


def forward_scaled(
    unary: Floats, allowed: Bools, w: Floats, p: Floats, log_p: Floats, edge_index: Ints,
    start: int, stop: int, alpha: Floats, c: Floats,
) -> int:  # fmt: skip
    """α_t = (α_{t-1} P) ∘ w_t / c_t and c_t = Σ_y of what stands before the division; DONE, LOST or NO_PATH."""
    labels = w.shape[1]
    for t in range(start, stop):
        k = edge_index[t]
        if t == start:
            for j in range(labels):
                alpha[t, j] = 1.0
        else:
            for j in range(labels):
                alpha[t, j] = 0.0
            add_product(alpha, t - 1, p, k, alpha, t)
        total = 0.0
        low = 0
        for j in range(labels):
            x = alpha[t, j] * w[t, j]
            alpha[t, j] = x
            total += x
            low += x < ALPHA_FLOOR
        if low:
            for j in range(labels):
                if alpha[t, j] < ALPHA_FLOOR and is_possible(unary, allowed, t, j):
                    if t == start:
                        return LOST
                    for i in range(labels):
                        if alpha[t - 1, i] > 0.0 and log_p[k, i, j] > -np.inf:
                            return LOST
            if total == 0.0:
                return NO_PATH
        c[t] = total
        scale = 1.0 / total
        for j in range(labels):
            alpha[t, j] *= scale
    return DONE


def forward_log(w: Floats, log_p: Floats, edge_index: Ints, start: int, stop: int, alpha: Floats, c: Floats) -> int:
    """log α_t(j) = log w_t(j) + log Σ_i exp(log α_{t-1}(i) + log P(i, j)) - log c_t; DONE or NO_PATH."""
    labels = w.shape[1]
    for t in range(start, stop):
        k = edge_index[t]
        top = -np.inf
        for j in range(labels):
            x = 0.0
            if t > start:
                peak = -np.inf
                for i in range(labels):
                    peak = max(peak, alpha[t - 1, i] + log_p[k, i, j])
                x = peak
                if peak > -np.inf:
                    total = 0.0
                    for i in range(labels):
                        total += np.exp(alpha[t - 1, i] + log_p[k, i, j] - peak)
                    x = peak + np.log(total)
            alpha[t, j] = x + w[t, j]
            top = max(top, alpha[t, j])
        if top == -np.inf:
            return NO_PATH
        total = 0.0
        for j in range(labels):
            total += np.exp(alpha[t, j] - top)
        c[t] = top + np.log(total)
        for j in range(labels):
            alpha[t, j] -= c[t]
    return DONE


@kernel
def forward(
    unary: Floats, allowed: Bools, w: Floats, shift: Floats, p: Floats, log_p: Floats, edge_shift: Floats,
    edge_index: Ints, offsets: Longs, alpha: Floats, c: Floats, log_z: Floats, in_log: Bools,
) -> int:  # fmt: skip
    """log Z = Σ_t log c_t + the shifts, for every sentence. Returns the first sentence without a path, or -1."""
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        state = forward_scaled(unary, allowed, w, p, log_p, edge_index, start, stop, alpha, c)
        in_log[s] = state == LOST
        if in_log[s]:
            restore_logs(unary, allowed, w, shift, start, stop)
            state = forward_log(w, log_p, edge_index, start, stop, alpha, c)
        if state == NO_PATH:
            return s
        total = 0.0
        for t in range(start, stop):
            total += (c[t] if in_log[s] else np.log(c[t])) + shift[t]
            if t > start:
                total += edge_shift[edge_index[t]]
        log_z[s] = total
    return -1


def restore_logs(unary: Floats, allowed: Bools, w: Floats, shift: Floats, start: int, stop: int) -> None:
    """Turns w into log w of one sentence, from u and not from w, since exp has lost the digits that are needed."""
    for t in range(start, stop):
        for y in range(w.shape[1]):
            w[t, y] = unary[t, y] - shift[t] if is_possible(unary, allowed, t, y) else -np.inf


def backward_scaled(
    unary: Floats, allowed: Bools, w: Floats, p_transposed: Floats, log_p: Floats, edge_index: Ints,
    start: int, stop: int, alpha: Floats, c: Floats, beta: Floats, v: Floats,
) -> int:  # fmt: skip
    """v_t = β_t ∘ w_t / c_t and β_{t-1} = P v_t, from β_n = 1; DONE or LOST."""
    labels = w.shape[1]
    for j in range(labels):
        beta[stop - 1, j] = 1.0
        v[start, j] = 0.0
    for t in range(stop - 1, start, -1):
        k = edge_index[t]
        scale = 1.0 / c[t]
        for j in range(labels):
            # β of a label that no path reaches has no bound, and would meet α = 0 as ∞ · 0.
            v[t, j] = (w[t, j] * scale) * beta[t, j] if alpha[t, j] > 0.0 else 0.0
            beta[t - 1, j] = 0.0
        add_product(v, t, p_transposed, k, beta, t - 1)
        low = 0
        for i in range(labels):
            low += beta[t - 1, i] < BETA_FLOOR
        if low:
            for i in range(labels):
                if beta[t - 1, i] < BETA_FLOOR and alpha[t - 1, i] > 0.0:
                    for j in range(labels):
                        if beta[t, j] > 0.0 and log_p[k, i, j] > -np.inf and is_possible(unary, allowed, t, j):
                            return LOST
    return DONE


def backward_log(w: Floats, log_p: Floats, edge_index: Ints, start: int, stop: int, c: Floats, beta: Floats) -> None:
    """log β_{t-1}(i) = log Σ_j exp(log P(i, j) + log w_t(j) + log β_t(j)) - log c_t."""
    labels = w.shape[1]
    for j in range(labels):
        beta[stop - 1, j] = 0.0
    for t in range(stop - 1, start, -1):
        k = edge_index[t]
        for i in range(labels):
            peak = -np.inf
            for j in range(labels):
                peak = max(peak, log_p[k, i, j] + w[t, j] + beta[t, j])
            beta[t - 1, i] = peak
            if peak > -np.inf:
                total = 0.0
                for j in range(labels):
                    total += np.exp(log_p[k, i, j] + w[t, j] + beta[t, j] - peak)
                beta[t - 1, i] = peak + np.log(total) - c[t]


@kernel
def backward(
    unary: Floats, allowed: Bools, w: Floats, shift: Floats, p_transposed: Floats, log_p: Floats,
    edge_index: Ints, offsets: Longs, alpha: Floats, c: Floats, in_log: Bools, beta: Floats, v: Floats,
) -> None:  # fmt: skip
    """β and v of every sentence. A sentence whose β was lost goes over to logs, in all its arrays."""
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        if not in_log[s]:
            state = backward_scaled(unary, allowed, w, p_transposed, log_p, edge_index, start, stop, alpha, c, beta, v)
            if state == DONE:
                continue
            in_log[s] = True
            restore_logs(unary, allowed, w, shift, start, stop)
            forward_log(w, log_p, edge_index, start, stop, alpha, c)
        backward_log(w, log_p, edge_index, start, stop, c, beta)
