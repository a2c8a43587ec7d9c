"""A row times a matrix: where forward, backward and moments spend their time.

out[row] += a[t] @ matrix[k]          a (·, I), matrix (K, I, J), out (·, J)
"""

from sstag.arrays import Floats

WIDE = 8  # columns from which on there are vectors


def add_product(a: Floats, t: int, matrix: Floats, k: int, out: Floats, row: int) -> None:
    """out[row] += a[t] @ matrix[k]"""
    if matrix.shape[2] >= WIDE:
        add_wide_product(a, t, matrix, k, out, row)
    else:
        add_narrow_product(a, t, matrix, k, out, row)


def add_wide_product(a: Floats, t: int, matrix: Floats, k: int, out: Floats, row: int) -> None:
    """The same for WIDE columns or more; the instructions for it are written in `sstag.vector_code`."""
    for j in range(matrix.shape[2]):
        for i in range(matrix.shape[1]):
            out[row, j] += a[t, i] * matrix[k, i, j]


def add_narrow_product(a: Floats, t: int, matrix: Floats, k: int, out: Floats, row: int) -> None:
    """The same for few columns; four sources at a time, so that a sum is loaded and stored once, not four times."""
    sources, columns = matrix.shape[1:]
    for i in range(0, sources - 3, 4):
        a0, a1, a2, a3 = a[t, i], a[t, i + 1], a[t, i + 2], a[t, i + 3]
        for j in range(columns):
            out[row, j] += (a0 * matrix[k, i, j] + a1 * matrix[k, i + 1, j]) + (
                a2 * matrix[k, i + 2, j] + a3 * matrix[k, i + 3, j]
            )
    for i in range(sources - sources % 4, sources):
        for j in range(columns):
            out[row, j] += a[t, i] * matrix[k, i, j]
