"""Scores, marginals, additive functions and gradients of chains: one type, because they live in one space.

    r(y) = Σ_t unary_t(y_t) + Σ_{t≥2} edge[edge_index_t](y_{t-1}, y_t)                    (methods §1, §2.1)

A marginal or a gradient with respect to an edge matrix is the sum over the positions that share it, so
⟨marginals, r⟩ = Σ_sentences E[r], and D = ∂objective/∂potentials pairs with a change of the scores the same way.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sstag.foundation.arrays import Array, Floats, Ints, Longs


@dataclass(frozen=True, eq=False)
class Potentials:
    """One number per position and label, and per distinct edge matrix and label pair, for a batch of sentences.

    Arrays of another type, order, or without leave to write are converted by copying; others are kept as they are, and
    nothing in the lattice writes to them.
    """

    unary: Floats  # (T, L)
    edge: Floats  # (K, L, L), [from, to]
    edge_index: Ints  # (T,), the matrix that leads into position t; ignored where a sentence starts
    offsets: Longs  # (S + 1,), sentence s is the positions offsets[s]:offsets[s + 1]

    def __post_init__(self) -> None:
        # One memory layout: the core reads no other.
        for name, dtype in (
            ("unary", np.float64),
            ("edge", np.float64),
            ("edge_index", np.int32),
            ("offsets", np.int64),
        ):
            object.__setattr__(self, name, _laid_out(getattr(self, name), dtype))
        if self.unary.ndim != 2 or self.edge.ndim != 3 or self.offsets.ndim != 1:
            raise ValueError("potentials need unary (T, L), edge (K, L, L) and offsets (S + 1,)")
        tokens, labels = self.unary.shape
        if labels < 1 or self.edge.shape[1:] != (labels, labels) or self.edge_index.shape != (tokens,):
            raise ValueError(
                f"unary {self.unary.shape}, edge {self.edge.shape}, index {self.edge_index.shape} disagree"
            )
        if self.offsets[:1].tolist() != [0] or self.offsets[-1] != tokens or (np.diff(self.offsets) < 1).any():
            raise ValueError("offsets must rise from 0 to the number of positions, and no sentence may be empty")
        inner = np.delete(self.edge_index, self.offsets[:-1])
        if len(inner) and not (inner.min() >= 0 and inner.max() < len(self.edge)):
            raise ValueError(f"edge_index must be from 0 to {len(self.edge) - 1} inside a sentence")

    def with_values(self, unary: Floats, edge: Floats) -> "Potentials":
        """Potentials with other numbers for this batch, whose offsets need not be checked again."""
        if unary.shape != self.unary.shape or edge.shape != self.edge.shape:
            raise ValueError(
                f"unary {unary.shape} and edge {edge.shape} do not fit {self.unary.shape, self.edge.shape}"
            )
        unary, edge = _laid_out(unary, np.float64), _laid_out(edge, np.float64)
        return Potentials.laid_out(unary, edge, self.edge_index, self.offsets)

    @staticmethod
    def laid_out(unary: Floats, edge: Floats, edge_index: Ints, offsets: Longs) -> "Potentials":
        """Potentials of arrays that have their layout already; the core checks them where it reads them."""
        made = object.__new__(Potentials)
        for name, array in (("unary", unary), ("edge", edge), ("edge_index", edge_index), ("offsets", offsets)):
            object.__setattr__(made, name, array)
        return made

    def __add__(self, other: "Potentials") -> "Potentials":
        return self.with_values(self.unary + other.unary, self.edge + other.edge)

    def __sub__(self, other: "Potentials") -> "Potentials":
        return self.with_values(self.unary - other.unary, self.edge - other.edge)

    def __mul__(self, factor: float) -> "Potentials":
        return self.with_values(self.unary * factor, self.edge * factor)

    __rmul__ = __mul__

    def inner(self, other: "Potentials") -> float:
        """⟨self, other⟩, the one inner product of the space."""
        return float((self.unary * other.unary).sum() + (self.edge * other.edge).sum())

    def finite(self) -> "Potentials":
        """The potentials with 0 in place of -∞: the additive function whose covariance is the gradient of the entropy.

        A path of probability 0 adds p log p = 0 to the entropy.
        """
        return self.with_values(
            np.where(np.isneginf(self.unary), 0.0, self.unary), np.where(np.isneginf(self.edge), 0.0, self.edge)
        )


def _laid_out(array: npt.ArrayLike, dtype: type[np.generic]) -> Array:
    return np.require(array, dtype, ["C", "W", "A"])
