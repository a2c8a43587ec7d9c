"""The forward pass and the backward pass over a batch, and the checks of their input.

The passes are kernels of `sstag.chain.kernels.chain`; `sstag.chain.kernels` says what their arrays hold.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from sstag.chain.kernels import chain, paths
from sstag.chain.kernels.product import WIDE
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.errors import NoPathError, NumericalError, SstagError
from sstag.foundation.ranges import sentence_of

Lend: TypeAlias = Callable[..., Floats]  # lend(*shape) is an array that lives as long as the lattice

BUDGET = 4 << 30  # bytes of one lattice, unless another is given

# Stand for "none" where a kernel has an optional array.
NO_MASK: Bools = np.empty((0, 0), dtype=np.bool_)
NO_NODES: Floats = np.empty((0, 0))
NO_EDGES: Floats = np.empty((0, 0, 0))


class Edges(NamedTuple):
    """exp(e - shift) in the layouts the kernels read; transposed too, so that every product runs along rows."""

    log_p: Floats  # (K, L, L), e - shift
    p: Floats  # (K, L, L)
    p_transposed: Floats  # (K, L, L), [to, from]
    shift: Floats  # (K,), the largest entry


class Forward(NamedTuple):
    """The arrays of the forward pass. Where the backward pass loses precision, it turns the rows into logs."""

    w: Floats  # (T, L)
    shift: Floats  # (T,)
    alpha: Floats  # (T, L)
    c: Floats  # (T,)
    log_z: Floats  # (S,)
    in_log: Bools  # (S,)


class Backward(NamedTuple):
    """The arrays of the backward pass."""

    beta: Floats  # (T, L)
    v: Floats  # (T, L)


def lattice_bytes(tokens: int, labels: int, matrices: int = 1) -> int:
    """The bytes that a lattice takes, with its potentials, when every question is asked, M07's entropies last."""
    return 8 * (18 * tokens * labels + 14 * matrices * labels * labels + 8 * tokens)


def refuse_size(tokens: int, labels: int, matrices: int, budget: int = BUDGET) -> None:
    """Raises an error if a lattice of this size would take more bytes than allowed, before any is allocated."""
    need = lattice_bytes(tokens, labels, matrices)
    if need > budget:
        raise SstagError(
            f"{tokens} tokens with {labels} labels and {matrices} edge matrices need about "
            f"{need / 2**20:.0f} MiB, more than the {budget / 2**20:.0f} MiB allowed: split the sentence, or use "
            "fewer labels or simpler edges"
        )


def refuse(pot: Potentials, allowed: Bools | None, budget: int) -> None:
    """Raises an error if no lattice can be built: too large for the budget, NaN, +∞, or a mask of another shape."""
    tokens, labels = pot.unary.shape
    refuse_size(tokens, labels, len(pot.edge), budget)
    if allowed is not None and allowed.shape != (tokens, labels):
        raise ValueError(f"allowed has shape {allowed.shape}, the potentials {(tokens, labels)}")
    # The maximum is NaN if there is one.
    if not pot.unary.max() < np.inf:
        t = int(np.argmin((pot.unary < np.inf).all(axis=1)))
        sentence = sentence_of(pot.offsets, t)
        raise NumericalError(f"sentence {sentence} of the batch has a unary potential that is NaN or +inf")
    if not pot.edge.max(initial=-np.inf) < np.inf:
        k = int(np.argmin((pot.edge < np.inf).all(axis=(1, 2))))
        raise NumericalError(f"edge matrix {k} of the batch has a potential that is NaN or +inf")


def factor_edges(edge: Floats, lend: Lend) -> Edges:
    """P = exp(e - max e) for every edge matrix, in each layout."""
    top = edge.max(axis=(1, 2), initial=-np.inf)
    shift = np.where(top > -np.inf, top, 0.0)
    e = Edges(lend(*edge.shape), lend(*edge.shape), lend(*edge.shape), shift)
    np.subtract(edge, shift[:, None, None], out=e.log_p)
    _exp(e.log_p, e.p)
    np.copyto(e.p_transposed, e.p.transpose(0, 2, 1))
    return e


def run_forward(pot: Potentials, allowed: Bools, e: Edges, lend: Lend) -> Forward:
    """log Z and α of every sentence; a sentence without a path is a `NoPathError`."""
    sentences, shift = len(pot.offsets) - 1, np.empty(len(pot.unary))
    w, alpha = lend(*pot.unary.shape), lend(*pot.unary.shape)
    f = Forward(w, shift, alpha, np.empty_like(shift), np.empty(sentences), np.zeros(sentences, dtype=np.bool_))
    chain.log_weights(pot.unary, allowed, f.w, shift)
    _exp(f.w, f.w)
    failed = chain.forward(
        pot.unary, allowed, f.w, shift, e.p, e.log_p, e.shift, pot.edge_index, pot.offsets, f.alpha, f.c, f.log_z,
        f.in_log,
    )  # fmt: skip
    expect_path(failed)
    return f


def run_backward(pot: Potentials, allowed: Bools, e: Edges, f: Forward, lend: Lend) -> Backward:
    """β and v of every sentence."""
    b = Backward(lend(*pot.unary.shape), lend(*pot.unary.shape))
    chain.backward(
        pot.unary, allowed, f.w, f.shift, e.p_transposed, e.log_p, pot.edge_index, pot.offsets, f.alpha, f.c, f.in_log,
        b.beta, b.v,
    )  # fmt: skip
    return b


def run_best_suffixes(pot: Potentials, allowed: Bools, lend: Lend) -> Floats:
    """The score of the best path from every label to the end of its sentence, (T, L)."""
    best = lend(*pot.unary.shape)
    expect_path(paths.best_suffixes(pot.unary, allowed, transposed(pot.edge), pot.edge_index, pot.offsets, best))
    return best


def transposed(matrices: Floats) -> Floats:
    """The matrices as [to, from] instead of [from, to], contiguous."""
    return np.ascontiguousarray(matrices.transpose(0, 2, 1))


def widened(matrices: Floats, rows: bool = False) -> Floats:
    """The matrices with columns of zeros added, and rows if `rows` are to fit, up to the next multiple of a vector.

    Products of such rows need no extra code for the columns that would not fill a vector.
    """
    count, labels, columns = matrices.shape
    wide = np.zeros((count, whole_vectors(labels) if rows else labels, whole_vectors(columns)))
    wide[:, :labels, :columns] = matrices
    return wide


def whole_vectors(labels: int) -> int:
    """The number of labels, rounded up to whole vectors."""
    return -(-labels // WIDE) * WIDE


def _exp(x: Floats, out: Floats) -> Floats:
    # What underflows is found by the kernels, whatever the caller's np.seterr says.
    with np.errstate(under="ignore"):
        return np.exp(x, out=out)


def expect_path(failed: int) -> None:
    if failed >= 0:
        raise NoPathError(failed)
