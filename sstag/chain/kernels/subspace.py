"""The largest eigenvalues of XᵀX, and the pieces of the iteration that finds them (`context_vectors.py`).

None of them reorders a sum or is shared by threads, so the vectors are the same to the bit on any machine.
"""

from math import sqrt

from sstag.chain.compiler.kernel import exact_kernel
from sstag.foundation.arrays import Floats, Ints, Longs


@exact_kernel
def add_squares(first: Longs, columns: Ints, values: Floats, gram: Floats) -> None:
    """gram += XᵀX, of rows whose columns ascend"""
    for row in range(first.shape[0] - 1):
        for i in range(first[row], first[row + 1]):
            a, x = columns[i], values[i]
            for j in range(first[row], first[row + 1]):
                gram[a, columns[j]] += x * values[j]


@exact_kernel
def add_matrix_product(a: Floats, b: Floats, out: Floats) -> None:
    """out += a b"""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            x = a[i, j]
            for k in range(b.shape[1]):
                out[i, k] += x * b[j, k]


@exact_kernel
def orthonormalise(rows: Floats) -> None:
    """Each row less its part in those before it, twice, with length 1; or 0 if nothing is left."""
    width = rows.shape[1]
    for i in range(rows.shape[0]):
        before = 0.0
        for k in range(width):
            before += rows[i, k] * rows[i, k]
        for _ in range(2):
            for j in range(i):
                common = 0.0
                for k in range(width):
                    common += rows[i, k] * rows[j, k]
                for k in range(width):
                    rows[i, k] -= common * rows[j, k]
        size = 0.0
        for k in range(width):
            size += rows[i, k] * rows[i, k]
        scale = 1.0 / sqrt(size) if size > 1e-20 * before else 0.0
        for k in range(width):
            rows[i, k] *= scale


@exact_kernel
def diagonalise(a: Floats, vectors: Floats) -> None:
    """Jacobi's rotations: a symmetric matrix becomes diagonal, and the rows of a unit matrix its eigenvectors."""
    size = a.shape[0]
    for _ in range(60):
        beside, along = 0.0, 0.0
        for i in range(size):
            along += a[i, i] * a[i, i]
            for j in range(i):
                beside += a[i, j] * a[i, j]
        if beside <= 1e-30 * along:
            break
        for p in range(size):
            for q in range(p + 1, size):
                if a[p, q] != 0.0:
                    ratio = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                    t = 1.0 / (abs(ratio) + sqrt(ratio * ratio + 1.0))
                    if ratio < 0.0:
                        t = -t
                    c = 1.0 / sqrt(t * t + 1.0)
                    s = t * c
                    for k in range(size):
                        x, y = a[p, k], a[q, k]
                        a[p, k], a[q, k] = c * x - s * y, s * x + c * y
                    for k in range(size):
                        x, y = a[k, p], a[k, q]
                        a[k, p], a[k, q] = c * x - s * y, s * x + c * y
                    for k in range(size):
                        x, y = vectors[p, k], vectors[q, k]
                        vectors[p, k], vectors[q, k] = c * x - s * y, s * x + c * y
