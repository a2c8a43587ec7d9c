"""The sparse linear map from weights to potentials, and its transpose.

An attribute that has weights for many labels stands in a row, 0 for the labels it lacks; one that has few is a list of
pairs (place in theta, label). For each token the rows and the pairs of its attributes stand together, found once: a
pass follows no index but theirs, and its loops are as long for one token as for the next.
"""

from sstag.chain.compiler.kernel import exact_kernel, kernel
from sstag.foundation.arrays import Floats, Ints, Longs


@exact_kernel
def count_entries(
    indptr: Longs, row_of: Ints, first: Longs, indices: Ints, row_first: Longs, pair_first: Longs
) -> None:
    """row_first and pair_first: the number of rows and of pairs that the attributes of the tokens before each t have.

    The attributes of token t are indices[first[t]:first[t + 1]].
    """
    rows, pairs = 0, 0
    for t in range(first.shape[0] - 1):
        row_first[t], pair_first[t] = rows, pairs
        for i in range(first[t], first[t + 1]):
            a = indices[i]
            if row_of[a] >= 0:
                rows += 1
            else:
                pairs += indptr[a + 1] - indptr[a]
    row_first[first.shape[0] - 1], pair_first[first.shape[0] - 1] = rows, pairs


@exact_kernel
def list_entries(
    indptr: Longs, labels: Ints, row_of: Ints, first: Longs, indices: Ints, values: Floats,
    rows: Ints, row_values: Floats, pairs: Ints, pair_labels: Ints, pair_values: Floats,
) -> None:  # fmt: skip
    """The rows and the pairs of the attributes, in their order, and the values of both if the attributes have any."""
    weighed = values.shape[0] > 0
    r, n = 0, 0
    for i in range(first[0], first[first.shape[0] - 1]):
        a = indices[i]
        if row_of[a] >= 0:
            rows[r] = row_of[a]
            if weighed:
                row_values[r] = values[i]
            r += 1
            continue
        for p in range(indptr[a], indptr[a + 1]):
            pairs[n], pair_labels[n] = p, labels[p]
            if weighed:
                pair_values[n] = values[i]
            n += 1


@exact_kernel
def add_scores(
    theta: Floats, table: Floats, row_first: Longs, rows: Ints, row_values: Floats, pair_first: Longs, pairs: Ints,
    labels: Ints, pair_values: Floats, out: Floats,
) -> None:  # fmt: skip
    """out_t(y) += Σ_{a at t} value · θ_{a,y}"""
    count = out.shape[1]
    if row_values.shape[0] > 0 or pair_values.shape[0] > 0:
        for t in range(out.shape[0]):
            for i in range(row_first[t], row_first[t + 1]):
                for y in range(count):
                    out[t, y] += row_values[i] * table[rows[i], y]
            for i in range(pair_first[t], pair_first[t + 1]):
                out[t, labels[i]] += pair_values[i] * theta[pairs[i]]
        return
    for t in range(out.shape[0]):
        i, end = row_first[t], row_first[t + 1]
        while i + 4 <= end:  # four at a time: the scores are loaded and stored once
            r0, r1, r2, r3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
            for y in range(count):
                out[t, y] += (table[r0, y] + table[r1, y]) + (table[r2, y] + table[r3, y])
            i += 4
        while i < end:
            r0 = rows[i]
            for y in range(count):
                out[t, y] += table[r0, y]
            i += 1
        for i in range(pair_first[t], pair_first[t + 1]):
            out[t, labels[i]] += theta[pairs[i]]


@kernel
def add_gradient(
    d: Floats, row_first: Longs, rows: Ints, row_values: Floats, pair_first: Longs, pairs: Ints, labels: Ints,
    pair_values: Floats, table: Floats, gradient: Floats,
) -> None:  # fmt: skip
    """∂/∂θ_{a,y} += Σ_{t has a} value · d_t(y), into the table of rows or into gradient."""
    count = d.shape[1]
    if row_values.shape[0] > 0 or pair_values.shape[0] > 0:
        for t in range(d.shape[0]):
            for i in range(row_first[t], row_first[t + 1]):
                for y in range(count):
                    table[rows[i], y] += row_values[i] * d[t, y]
            for i in range(pair_first[t], pair_first[t + 1]):
                gradient[pairs[i]] += pair_values[i] * d[t, labels[i]]
        return
    for t in range(d.shape[0]):
        for i in range(row_first[t], row_first[t + 1]):
            r = rows[i]
            for y in range(count):
                table[r, y] += d[t, y]
        for i in range(pair_first[t], pair_first[t + 1]):
            gradient[pairs[i]] += d[t, labels[i]]
