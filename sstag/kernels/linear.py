"""The sparse linear map from weights to potentials, and its transpose.

Attribute a has weights for labels[indptr[a]:indptr[a + 1]], at the same places of theta: a list. One that has
most labels stands in a row of its own instead, rows[row_of[a]] with 0 for the labels it lacks, which is added without
looking anything up; row_of[a] = -1 for the others.
"""

from sstag.arrays import Floats, Ints, Longs
from sstag.kernel_cache import kernel


@kernel
def add_scores(
    theta: Floats, indptr: Longs, labels: Ints, row_of: Ints, rows: Floats, first: Longs, indices: Ints,
    values: Floats, out: Floats,
) -> None:  # fmt: skip
    """out_t(y) += Σ_{a at t} value · θ_{a,y}"""
    count = out.shape[1]
    weighed = values.shape[0] > 0
    for t in range(out.shape[0]):
        for i in range(first[t], first[t + 1]):
            a = indices[i]
            value = values[i] if weighed else 1.0
            row = row_of[a]
            if row >= 0:
                for y in range(count):
                    out[t, y] += value * rows[row, y]
            else:
                for p in range(indptr[a], indptr[a + 1]):
                    out[t, labels[p]] += value * theta[p]


@kernel
def add_gradient(
    d: Floats, indptr: Longs, labels: Ints, row_of: Ints, rows: Floats, first: Longs, indices: Ints, values: Floats,
    gradient: Floats,
) -> None:  # fmt: skip
    """∂/∂θ_{a,y} += Σ_{t has a} value · d_t(y), into rows or gradient."""
    count = d.shape[1]
    weighed = values.shape[0] > 0
    for t in range(d.shape[0]):
        for i in range(first[t], first[t + 1]):
            a = indices[i]
            value = values[i] if weighed else 1.0
            row = row_of[a]
            if row >= 0:
                for y in range(count):
                    rows[row, y] += value * d[t, y]
            else:
                for p in range(indptr[a], indptr[a + 1]):
                    gradient[p] += value * d[t, labels[p]]
