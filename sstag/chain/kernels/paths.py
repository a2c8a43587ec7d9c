"""Single paths: the best, the k best, random ones, and the score of a given one. All but sampling read u and e as they
are, so they have no domain to leave: a sum of logarithms cannot underflow."""

import numpy as np

from sstag.chain.compiler.kernel import exact_kernel, kernel
from sstag.chain.kernels.chain import is_possible
from sstag.foundation.arrays import Bools, Floats, Ints, Longs


@exact_kernel
def best_suffixes(
    unary: Floats, allowed: Bools, edge_transposed: Floats, edge_index: Ints, offsets: Longs, best: Floats
) -> int:
    """best_t(i) = u_t(i) + max_j (e_{t+1}(i, j) + best_{t+1}(j)): the best score from label i at t to the end.

    Returns the first sentence in which every path has weight zero, or -1.
    """
    labels = unary.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for t in range(stop - 1, start - 1, -1):
            best[t] = 0.0 if t == stop - 1 else -np.inf
            if t < stop - 1:
                k = edge_index[t + 1]
                for j in range(labels):
                    x = best[t + 1, j]
                    if x > -np.inf:
                        for i in range(labels):
                            score = edge_transposed[k, j, i] + x
                            best[t, i] = score if score > best[t, i] else best[t, i]
            for i in range(labels):
                best[t, i] = unary[t, i] + best[t, i] if is_possible(unary, allowed, t, i) else -np.inf
        top = -np.inf
        for i in range(labels):
            top = max(top, best[start, i])
        if not top > -np.inf:
            return s
    return -1


def follow(edge: Floats, edge_index: Ints, best: Floats, t: int, stop: int, y: Ints, origin: int) -> None:
    """y_{t+1}, y_{t+2}, … = the best suffix after y_t, at each position the smallest label among the best.

    y[0] belongs to position `origin`.
    """
    labels = best.shape[1]
    for u in range(t + 1, stop):
        k, i = edge_index[u], y[u - 1 - origin]
        top = -np.inf
        for j in range(labels):
            score = edge[k, i, j] + best[u, j]
            if score > top:
                top = score
                y[u - origin] = j


@exact_kernel
def viterbi(edge: Floats, edge_index: Ints, offsets: Longs, best: Floats, y: Ints, scores: Floats) -> None:
    """y = argmax score(y); of several with one score, the first in the order of labels."""
    for s in range(offsets.shape[0] - 1):
        start = offsets[s]
        y[start] = np.argmax(best[start])
        scores[s] = best[start, y[start]]
        follow(edge, edge_index, best, start, offsets[s + 1], y, 0)


@kernel
def k_best(
    unary: Floats, edge: Floats, edge_index: Ints, start: int, stop: int, best: Floats, k: int,
    kept: Longs, paths: Ints, scores: Floats,
) -> int:  # fmt: skip
    """The k best paths of one sentence, best first (Lawler's partition over Viterbi suffixes); returns how many exist.

    Every path taken splits what it leaves over by where the next path departs from it and with which label: prefix,
    other label, best suffix. The scores of these are exact, since `best` is. The k candidates kept at any time are
    sorted, and most new ones fail one comparison with the last of them: O(n L² + k n L) in all.
    """
    labels = best.shape[1]
    n = stop - start
    value = scores  # of paths, then of candidates, descending from `taken` on; of equal ones, the older first
    parent, depart, label = kept[0], kept[1], kept[2]
    count = 0
    for taken in range(-1, k):
        if taken >= 0:
            if taken == count:
                return count
            first = depart[taken]
            for d in range(first):
                paths[taken, d] = paths[parent[taken], d]
            paths[taken, first] = label[taken]
            follow(edge, edge_index, best, start + first, stop, paths[taken], start)
            if taken == k - 1:
                return k
        # Before the first path there is no path to depart from: every first label is a departure.
        begin = 0 if taken < 0 else depart[taken] + 1
        prefix = 0.0
        for d in range(n if taken >= 0 else 1):
            t = start + d
            if d > 0:
                prefix += unary[t - 1, paths[taken, d - 1]]
            if d >= begin:
                for y in range(labels):
                    score = prefix + best[t, y]
                    if d > 0:
                        score += edge[edge_index[t], paths[taken, d - 1], y]
                    if score == -np.inf or (taken >= 0 and y == paths[taken, d]):
                        continue
                    if count == k and not score > value[k - 1]:
                        continue
                    at = min(count, k - 1)
                    while at > taken + 1 and value[at - 1] < score:
                        value[at], parent[at] = value[at - 1], parent[at - 1]
                        depart[at], label[at] = depart[at - 1], label[at - 1]
                        at -= 1
                    value[at], parent[at], depart[at], label[at] = score, taken, d, y
                    count = min(count + 1, k)
            if d > 0:
                prefix += edge[edge_index[t], paths[taken, d - 1], paths[taken, d]]
    return count


@kernel
def sample(
    p: Floats, log_p: Floats, edge_index: Ints, offsets: Longs, alpha: Floats, in_log: Bools, uniform: Floats,
    share: Floats, y: Ints,
) -> None:  # fmt: skip
    """y ~ p(y|x), from the right: y_n ~ α_n, then p(y_{t-1}=i | y_t=j) ∝ α_{t-1}(i) P(i, j). One uniform per label."""
    labels = alpha.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for t in range(stop - 1, start - 1, -1):
            total = 0.0
            peak = -np.inf
            for i in range(labels):
                share[i] = alpha[t, i]
                if t < stop - 1:
                    k, j = edge_index[t + 1], y[t + 1]
                    share[i] = share[i] + log_p[k, i, j] if in_log[s] else share[i] * p[k, i, j]
                peak = max(peak, share[i])
            for i in range(labels):
                if in_log[s]:
                    share[i] = np.exp(share[i] - peak)
                total += share[i]
            left = uniform[t] * total
            for i in range(labels):
                if share[i] > 0.0:
                    y[t] = i
                    left -= share[i]
                    if left < 0.0:
                        break


@kernel
def path_scores(unary: Floats, edge: Floats, edge_index: Ints, offsets: Longs, y: Ints, scores: Floats) -> None:
    """score(y) = Σ_t u_t(y_t) + Σ_{t≥2} e_t(y_{t-1}, y_t)"""
    for s in range(offsets.shape[0] - 1):
        start = offsets[s]
        total = unary[start, y[start]]
        for t in range(start + 1, offsets[s + 1]):
            total += unary[t, y[t]] + edge[edge_index[t], y[t - 1], y[t]]
        scores[s] = total
