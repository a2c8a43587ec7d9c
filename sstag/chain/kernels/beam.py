"""The best labellings under rules for whole sentences: a beam, for what a sentence had so far has no small summary."""

import numpy as np

from sstag.chain.compiler.kernel import exact_kernel
from sstag.chain.kernels.chain import is_possible
from sstag.foundation.arrays import Bools, Floats, Ints, Longs


@exact_kernel
def best_completions(
    unary: Floats, allowed: Bools, edge: Floats, edge_index: Ints, offsets: Longs, nodes: Floats, steps: Floats,
    ahead: Floats,
) -> int:  # fmt: skip
    """ahead_t(i) = max_j (e_{t+1}(i, j) − steps_{t+1} [i ≠ j] + u_{t+1}(j) − nodes_{t+1}(j) + ahead_{t+1}(j)): the best
    that can come after label i at t, whole-sentence rules aside; −∞ for an i that is impossible itself.

    Returns the first sentence in which every path has weight zero, or -1.
    """
    labels = unary.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        for t in range(stop - 1, start - 1, -1):
            for i in range(labels):
                ahead[t, i] = -np.inf
                if not is_possible(unary, allowed, t, i):
                    continue
                if t == stop - 1:
                    ahead[t, i] = 0.0
                    continue
                k = edge_index[t + 1]
                for j in range(labels):
                    score = edge[k, i, j] + unary[t + 1, j] - nodes[t + 1, j] + ahead[t + 1, j]
                    if i != j:
                        score -= steps[t + 1]
                    if score > ahead[t, i]:
                        ahead[t, i] = score
        top = -np.inf
        for i in range(labels):
            top = max(top, ahead[start, i])
        if not top > -np.inf:
            return s
    return -1


@exact_kernel
def beam(
    unary: Floats, edge: Floats, edge_index: Ints, offsets: Longs, nodes: Floats, steps: Floats, bits: Longs,
    again: Floats, wanted: Longs, missing: Floats, ahead: Floats, score: Floats, rank: Floats, had: Longs,
    last: Longs, parent: Ints, label: Ints, paths: Ints, scores: Floats, found: Longs,
) -> None:  # fmt: skip
    """The k best labellings by score(y) − penalties(y), best first: paths (k, T), their scores (k, S), how many (S,).

    From position to position the k best beginnings are kept, ranked by their score and the best that can come after it
    (`ahead`); so without rules for whole sentences these are the k best labellings, and with such rules if k is at
    least the number of labellings. Equal ranks: the beginning that was better, then the smaller label. Rows beyond
    those found repeat the best. O(T k L) and the insertions. Of `score`, `rank`, `had`, `last` row 0 is the beam, row
    1 is what it becomes.
    """
    labels, k = unary.shape[1], score.shape[1]
    for s in range(offsets.shape[0] - 1):
        start, stop = offsets[s], offsets[s + 1]
        count = 1
        for t in range(start, stop):
            new = 0
            for h in range(count):
                for j in range(labels):
                    if ahead[t, j] == -np.inf:
                        continue
                    x = unary[t, j] - nodes[t, j]
                    seen = bits[j]
                    if t > start:
                        i = last[0, h]
                        x += score[0, h] + edge[edge_index[t], i, j]
                        if i != j:
                            x -= steps[t]
                            if had[0, h] & bits[j] != 0:
                                x -= again[j]
                        seen |= had[0, h]
                    if t == stop - 1:
                        for w in range(wanted.shape[0]):
                            if seen & wanted[w] == 0:
                                x -= missing[w]
                    if x == -np.inf:
                        continue
                    y = x + ahead[t, j]
                    if new == k and not y > rank[1, k - 1]:
                        continue
                    at = min(new, k - 1)
                    while at > 0 and rank[1, at - 1] < y:
                        rank[1, at], score[1, at] = rank[1, at - 1], score[1, at - 1]
                        had[1, at], last[1, at] = had[1, at - 1], last[1, at - 1]
                        parent[t - start, at] = parent[t - start, at - 1]
                        at -= 1
                    rank[1, at], score[1, at], had[1, at], last[1, at] = y, x, seen, j
                    parent[t - start, at] = h
                    new = min(new + 1, k)
            count = new
            for h in range(count):
                score[0, h], had[0, h], last[0, h] = score[1, h], had[1, h], last[1, h]
                label[t - start, h] = last[1, h]
        found[s] = count
        for h in range(k):
            at = h if h < count else 0
            scores[h, s] = score[0, at]
            for t in range(stop - 1, start - 1, -1):
                paths[h, t] = label[t - start, at]
                at = parent[t - start, at]
