"""A row times a matrix, in which forward, backward and moments spend their time.

out[row] += a[t] @ matrix[k]          a (·, I), matrix (K, I, J), out (·, J)
"""

from sstag.foundation.arrays import Floats

WIDE = 8  # columns from which on there are vectors


def add_product(a: Floats, t: int, matrix: Floats, k: int, out: Floats, row: int) -> None:
    """out[row] += a[t] @ matrix[k]"""
    if matrix.shape[2] >= WIDE:
        add_wide_product(a, t, matrix, k, out, row)
    else:
        add_narrow_product(a, t, matrix, k, out, row)


def set_sum(a: Floats, t: int, p: Floats, b: Floats, u: int, g: Floats, k: int, out: Floats, row: int) -> None:
    """out[row] = a[t] @ p[k] + b[u] @ g[k], of WIDE columns or more; without the second if g has no rows."""
    for j in range(p.shape[2]):
        out[row, j] = 0.0
    if g.shape[0] > 0:  # first, since it need not wait for what was found one position earlier
        add_wide_product(b, u, g, k, out, row)
    add_wide_product(a, t, p, k, out, row)


def add_wide_product(a: Floats, t: int, matrix: Floats, k: int, out: Floats, row: int) -> None:
    """out[row] += a[t] @ matrix[k] of WIDE columns or more; `compiler.vector_code` writes its instructions."""
    for j in range(matrix.shape[2]):
        for i in range(matrix.shape[1]):
            out[row, j] += a[t, i] * matrix[k, i, j]


def add_narrow_product(a: Floats, t: int, matrix: Floats, k: int, out: Floats, row: int) -> None:
    """out[row] += a[t] @ matrix[k] of few columns: a sum stays in a register, as the next position waits for it."""
    for j in range(matrix.shape[2]):
        total = out[row, j]
        for i in range(matrix.shape[1]):
            total += a[t, i] * matrix[k, i, j]
        out[row, j] = total
