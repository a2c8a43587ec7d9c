"""The nested dynamic programme of Jiao et al. (2006, §3): E[f g] for every pair of cliques, O(n² L³).

    M_{s+1..t} = Π_{l=s+1..t} M_l                                            the summary matrices, one after another
    E[f_s g_t] = Σ_{y', y} α_{s-1}(y') M_s(y', y) f_s(y', y) · Σ_y'' M_{s+1..t}(y, y'') g_t(y'') β_t(y'') / Z,  s < t

Since only Cov(f, f) θ is wanted, the products with the score are summed as they arise: `mass` is the score of the
clique that ends at s, on each label there, `left` what it becomes at t, and `right` the score of what comes after s.

Differs: as printed, the sums over nodes have α_{s-1} and M_{s+1..t-1} for α_s and M_{s+1..t}, the second sums β_t for
β_s, and pairs of features of one clique, s = t, are missing. M_l is taken between its β, M_l(i, j) β_l(j) / β_{l-1}(i)
= p(y_l=j | y_{l-1}=i), and α β / Z = p, so that no product leaves the range of numbers.
"""

from sstag.chain.compiler.kernel import kernel
from sstag.chain.kernels.product import add_product
from sstag.foundation.arrays import Floats, Ints


@kernel
def nested_products(
    start: int, stop: int, edge_index: Ints, u: Floats, e: Floats, p: Floats, p_edge: Floats, m: Floats,
    summary: Floats, longer: Floats, mass: Floats, left: Floats, right: Floats, after: Floats,
    weight: float, nodes: Floats, edge: Floats,
) -> float:  # fmt: skip
    """nodes and edge += ω E[score · clique] of one sentence; returns E[score].

    p_edge and m (n, L, L) hold p(y_{t-1}, y_t) and p(y_t | y_{t-1}) at t - start; after (n, L) is Σ_j m(i, j) e(i, j).
    """
    labels = u.shape[1]
    for t in range(start + 1, stop):
        for i in range(labels):
            total = 0.0
            for j in range(labels):
                total += m[t - start, i, j] * e[edge_index[t], i, j]
            after[t - start, i] = total
    mean = 0.0
    for s in range(start, stop):
        for a in range(labels):
            mass[0, a] = p[s, a] * u[s, a]
            right[0, a] = 0.0
        if s > start:
            for b in range(labels):
                for a in range(labels):
                    mass[0, a] += p_edge[s - start, b, a] * e[edge_index[s], b, a]
        for i in range(labels):
            for j in range(labels):
                summary[i, j] = 1.0 if i == j else 0.0
        for t in range(s + 1, stop):
            score_before(summary, mass, left)  # f ends at s, g is the step to t
            for i in range(labels):
                for j in range(labels):
                    edge[edge_index[t], i, j] += weight * left[0, i] * m[t - start, i, j]
            score_after(summary, after, t - start, right)  # f is the node at s, g the step to t
            for i in range(labels):  # M_{s+1..t} = M_{s+1..t-1} M_t
                for j in range(labels):
                    longer[i, j] = 0.0
                add_product(summary, i, m, t - start, longer, i)
            for i in range(labels):
                for j in range(labels):
                    summary[i, j] = longer[i, j]
            score_before(summary, mass, left)  # … g is the node at t
            for j in range(labels):
                nodes[t, j] += weight * left[0, j]
            score_after(summary, u, t, right)
        for a in range(labels):  # s = t
            mean += mass[0, a]
            nodes[s, a] += weight * (mass[0, a] + p[s, a] * right[0, a])
        if s > start:
            for b in range(labels):
                for a in range(labels):
                    score = e[edge_index[s], b, a] + u[s, a] + right[0, a]
                    edge[edge_index[s], b, a] += weight * p_edge[s - start, b, a] * score
    return mean


def score_before(summary: Floats, mass: Floats, left: Floats) -> None:
    """left = mass · summary."""
    labels = summary.shape[0]
    for j in range(labels):
        left[0, j] = 0.0
    for i in range(labels):
        for j in range(labels):
            left[0, j] += mass[0, i] * summary[i, j]


def score_after(summary: Floats, score: Floats, t: int, right: Floats) -> None:
    """right += summary · score_t."""
    labels = summary.shape[0]
    for i in range(labels):
        total = 0.0
        for j in range(labels):
            total += summary[i, j] * score[t, j]
        right[0, i] += total
