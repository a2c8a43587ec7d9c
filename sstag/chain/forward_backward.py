"""The forward pass and the backward pass over a batch, and the checks of their input.

The passes are in `core/chain.h`, which also says what their arrays hold.
"""

from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.chain.buffers import Buffers
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.errors import NoPathError, NumericalError, SstagError

BUDGET = 4 << 30  # bytes of one lattice, unless another is given
UNFIT = -3  # the core's answer UNFIT - i says that a score of sentence or matrix i is NaN or +∞
LANES = 8  # numbers of a vector; rows W wide are the labels, rounded up to whole vectors, with 0 beyond them


class Edges(NamedTuple):
    """exp(e - shift) in the layouts that the core reads; transposed too, so that every product runs along rows."""

    log_p: Floats  # (K, L, L), e - shift
    p: Floats  # (K, L · W), in tiles (`core/product.h`)
    p_transposed: Floats  # (K, L · W), in tiles, [to, from]
    shift: Floats  # (K,), the largest entry


class Forward(NamedTuple):
    """The arrays of the forward pass. Where the backward pass loses precision, it turns the rows into logs."""

    w: Floats  # (T, W)
    shift: Floats  # (T,)
    alpha: Floats  # (T, W)
    c: Floats  # (T,)
    log_z: Floats  # (S,)
    in_log: Bools  # (S,)


class Backward(NamedTuple):
    """The arrays of the backward pass."""

    beta: Floats  # (T, W)
    v: Floats  # (T, W)


def lattice_bytes(tokens: int, labels: int, matrices: int = 1) -> int:
    """The bytes that a lattice takes, with its potentials, when every question is asked, M07's entropies last."""
    width = whole_vectors(labels)
    return 8 * (16 * tokens * width + 12 * matrices * labels * width + 8 * tokens)


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
    """Raises an error if no lattice can be built: too large for the budget, or a mask of another shape."""
    tokens, labels = pot.unary.shape
    refuse_size(tokens, labels, len(pot.edge), budget)
    if allowed is not None and allowed.shape != (tokens, labels):
        raise ValueError(f"allowed has shape {allowed.shape}, the potentials {(tokens, labels)}")


def factor_edges(edge: Floats) -> Edges:
    """P = exp(e - max e) for every edge matrix (K, L, L), in each layout."""
    count, labels, _ = edge.shape
    tiled = count, labels * whole_vectors(labels)
    e = Edges(np.empty(edge.shape), np.empty(tiled), np.empty(tiled), np.empty(count))
    unfit = _core.factor_edges(edge, e)
    if unfit <= UNFIT:
        raise NumericalError(f"edge matrix {UNFIT - unfit} of the batch has a potential that is NaN or +inf")
    return e


def run_forward(pot: Potentials, allowed: Bools | None, e: Edges, buffers: Buffers) -> Forward:
    """log Z and α of every sentence; a sentence without a path is a `NoPathError`."""
    tokens, labels = pot.unary.shape
    sentences, rows = len(pot.offsets) - 1, (tokens, whole_vectors(labels))
    f = Forward(
        w=buffers.take(*rows),
        shift=buffers.take(tokens),
        alpha=buffers.take(*rows),
        c=buffers.take(tokens),
        log_z=np.empty(sentences),
        in_log=np.zeros(sentences, np.bool_),
    )
    expect_path(_core.forward(pot, allowed, e, f))
    return f


def run_backward(pot: Potentials, allowed: Bools | None, e: Edges, f: Forward, buffers: Buffers) -> Backward:
    """β and v of every sentence."""
    b = Backward(buffers.take(*f.alpha.shape), buffers.take(*f.alpha.shape))
    _core.backward(pot, allowed, e, f, b)
    return b


def run_best_suffixes(pot: Potentials, allowed: Bools | None, buffers: Buffers) -> Floats:
    """The score of the best path from every label to the end of its sentence, (T, L)."""
    best = buffers.take(*pot.unary.shape)
    expect_path(_core.best_suffixes(pot, allowed, best))
    return best


def whole_vectors(labels: int) -> int:
    """The number of labels, rounded up to whole vectors."""
    return -(-labels // LANES) * LANES


def expect_path(found: int) -> None:
    """Raises an error if the core says that a sentence has no path, or scores that are no numbers."""
    if found >= 0:
        raise NoPathError(found)
    if found <= UNFIT:
        raise NumericalError(f"sentence {UNFIT - found} of the batch has a unary potential that is NaN or +inf")
