"""The largest singular vectors of a sparse matrix, by subspace iteration, with the same bits everywhere.

    Y = orthonormal(X Z)        Z = orthonormal(Xᵀ Y)        …        Xᵀ Y = W S Vᵀ        U = Y V

Each pass brings the two subspaces nearer to those of the largest singular values (Halko, Martinsson & Tropp 2011, with
every product made orthonormal). Products run in the core, where sums have one order, and threads share their rows;
what is left are matrices of a hundred rows, orthogonalised and diagonalised here by operations on whole rows.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.parallel import Over, even_slices, one_by_one
from sstag.foundation.ranges import offsets_of, row_of_each

MORE = 28  # dimensions beyond those that are wanted: they let the wanted ones come out sooner
WHOLE = 8  # dimensions are as many as whole vectors of the core have, if there can be so many
FEWEST_PASSES, MOST_PASSES = 8, 100
WORK = 10**10  # products of two numbers in all passes beyond the fewest
STILL = 1e-10  # by which no singular value, of those wanted, changes any more
SEED = 1
SWEEPS = 30


class Sparse(NamedTuple):
    """A sparse matrix by rows: row r has the numbers values[first[r]:first[r + 1]] in the columns that stand there."""

    first: Longs
    columns: Ints
    values: Floats
    width: int

    @property
    def height(self) -> int:
        return len(self.first) - 1

    @property
    def transposed(self) -> "Sparse":
        """The numbers by columns."""
        order = np.argsort(self.columns, kind="stable")
        first = offsets_of(np.bincount(self.columns, minlength=self.width))
        return Sparse(first, row_of_each(self.first).astype(np.int32)[order], self.values[order], self.height)

    def times(self, dense: Floats, over: Over) -> Floats:
        """The product with a matrix."""
        result = np.zeros((self.height, dense.shape[1]))

        def multiply(some: slice) -> None:
            _core.scores(_Rows.of(self, some), np.zeros(0), dense, result[some], False)

        over(multiply, even_slices(len(result)))
        return result


class _Rows(NamedTuple):
    """Some rows of a sparse matrix, as the core takes entries (`core/arrays.h`); there are no pairs among them."""

    row_first: Longs
    rows: Ints
    row_values: Floats
    pair_first: Longs
    pairs: Ints
    labels: Ints
    pair_values: Floats

    @classmethod
    def of(cls, matrix: Sparse, some: slice) -> "_Rows":
        first, nothing = matrix.first[some.start : some.stop + 1], np.zeros(0, np.int32)
        return cls(first, matrix.columns, matrix.values, np.zeros_like(first), nothing, nothing, np.zeros(0))


def reduced(
    matrix: Sparse, count: int, over: Over = one_by_one, tell: Callable[[str], None] = lambda text: None
) -> Floats:
    """U S of the `count` largest singular values; in each dimension the largest weight of a column is positive."""
    least = min(matrix.height, matrix.width)
    count, size = min(count, least), min(-(-(count + MORE) // WHOLE) * WHOLE, least)
    back = matrix.transposed
    z = np.random.default_rng(SEED).random((matrix.width, size)) - 0.5
    y, sizes = np.zeros((matrix.height, size)), np.zeros(count)
    passes = FEWEST_PASSES + min(WORK // (2 * len(matrix.values) * size + 1), MOST_PASSES)
    for number in range(passes):
        before = sizes
        tell(f"decomposing: pass {number + 1}, at most {passes}")
        y, _ = _orthonormal(matrix.times(z, over), over)
        z, factor = _orthonormal(back.times(y, over), over)
        sizes = factor.diagonal()[:count].copy()
        if number >= FEWEST_PASSES and (np.abs(sizes - before) <= STILL * sizes.max()).all():
            break
    y, _ = _orthonormal(y, over)  # once more, since where singular values differ much it is not quite
    axes = back.times(y, over)
    squares, turned = _eigen(_products(axes, axes, over))
    axes = _times(axes, turned[:, :count], over)
    largest = axes[np.abs(np.round(axes, 9)).argmax(axis=0), np.arange(count)]
    return _times(y, turned[:, :count] * np.where(largest < 0, -1.0, 1.0) * np.sqrt(squares[:count]), over)


def _orthonormal(y: Floats, over: Over) -> tuple[Floats, Floats]:
    """Q and R of Y = Q R, R upper triangular, by the Cholesky factor of YᵀY; what depends on other columns is 0."""
    rest = _products(y, y, over)
    size, least = len(rest), 1e-14 * float(rest.diagonal().max(initial=0.0))
    factor, inverse = np.zeros_like(rest), np.zeros_like(rest)
    for row in range(size):
        if rest[row, row] <= least:
            rest[row], rest[:, row] = 0.0, 0.0
            continue
        factor[row, row:] = rest[row, row:] / np.sqrt(rest[row, row])
        rest[row:, row:] -= factor[row, row:, None] * factor[row, row:]
    for row in reversed(range(size)):  # of the inverse: R⁻¹_row = (1_row − Σ_k R_row,k R⁻¹_k) / R_row,row
        if factor[row, row] == 0.0:
            continue
        inverse[row, row] = 1.0
        inverse[row] -= (factor[row, row + 1 :, None] * inverse[row + 1 :]).sum(axis=0)
        inverse[row] /= factor[row, row]
    return _times(y, inverse, over), factor


def _times(tall: Floats, square: Floats, over: Over) -> Floats:
    """The product of a tall matrix and a small one."""
    result = np.empty((len(tall), square.shape[1]))
    weights = np.ascontiguousarray(
        np.concatenate([square, np.zeros((1, square.shape[1]))])
    )  # the core's last row is for a number 1
    over(lambda some: _core.dense_scores(tall[some], weights, result[some]), even_slices(len(tall)))
    return result


def _products(a: Floats, b: Floats, over: Over) -> Floats:
    """AᵀB of tall matrices: of fixed pieces, summed in their order."""

    def product(some: slice) -> Floats:
        result = np.zeros((a.shape[1] + 1, b.shape[1]))
        _core.dense_gradient(a[some], b[some], result)
        return result[:-1]

    return sum(over(product, even_slices(len(a))), np.zeros((a.shape[1], b.shape[1])))


def _eigen(a: Floats) -> tuple[Floats, Floats]:
    """The eigenvalues of a symmetric matrix, the largest first, and its eigenvectors, by Jacobi's rotations.

    Rotations of rows that have nothing to do with each other are done at once: a round for each way to pair rows up.
    """
    size = len(a)
    a, turned = a.copy(), np.eye(size)
    order = np.arange(size + size % 2)
    for _ in range(SWEEPS):
        off = np.abs(a - np.diag(a.diagonal())).max(initial=0.0)
        if off <= 1e-15 * np.abs(a.diagonal()).max(initial=0.0):
            break
        for _ in range(len(order) - 1):
            pairs = np.sort(order.reshape(2, -1), axis=0)
            p, q = pairs[:, pairs[1] < size]
            c, s = _rotations(a[p, p], a[q, q], a[p, q])
            a[p], a[q] = c[:, None] * a[p] - s[:, None] * a[q], s[:, None] * a[p] + c[:, None] * a[q]
            a[:, p], a[:, q] = c * a[:, p] - s * a[:, q], s * a[:, p] + c * a[:, q]
            turned[:, p], turned[:, q] = c * turned[:, p] - s * turned[:, q], s * turned[:, p] + c * turned[:, q]
            half = len(order) // 2  # the first stays, the others move on around the table
            round_table = np.concatenate([order[:half], order[half:][::-1]])
            round_table[1:] = np.roll(round_table[1:], 1)
            order = np.concatenate([round_table[:half], round_table[half:][::-1]])
    largest = np.argsort(-a.diagonal(), kind="stable")
    return np.maximum(a.diagonal()[largest], 0.0), turned[:, largest]


def _rotations(p: Floats, q: Floats, both: Floats) -> tuple[Floats, Floats]:
    """The cosines and sines of the rotations that make `both` 0."""
    still = both == 0.0
    theta = (q - p) / np.where(still, 1.0, 2.0 * both)
    t = np.where(theta < 0, -1.0, 1.0) / (np.abs(theta) + np.sqrt(theta * theta + 1.0))
    t = np.where(still, 0.0, t)
    c = 1.0 / np.sqrt(t * t + 1.0)
    return c, t * c
