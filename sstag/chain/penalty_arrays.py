"""The costs that rules add to labellings, as arrays: the form in which the beam search reads them."""

from dataclasses import dataclass, field

import numpy as np

from sstag.foundation.arrays import Floats, Longs


@dataclass(frozen=True)
class Penalties:
    """The costs of labelling some tokens. Without rules of order and of length their arrays are empty, or zero."""

    nodes: Floats  # (T, L) a label at a token
    steps: Floats  # (T,) a step to another label
    bits: Longs  # (L,) what is kept of a label that a sentence had; 0 for nothing
    again: Floats  # (L,) another block of a label
    wanted: Longs  # (W,) the bits of labels of which a sentence needs one
    missing: Floats  # (W,) what it costs if it has none
    later: Longs = field(default_factory=lambda: np.zeros((0, 0), np.int64))  # (O, L) bits of later labels
    early: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (O, L) a block after one of these
    shorter: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (L, R) a block that ends with a length
    longer: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # (L, R) a block that comes to a length

    def __post_init__(self) -> None:
        labels = len(self.bits)
        for name in ("later", "early"):
            if not getattr(self, name).size:
                object.__setattr__(self, name, getattr(self, name).reshape(0, labels))
        for name in ("shorter", "longer"):
            if not getattr(self, name).size:
                object.__setattr__(self, name, np.zeros((labels, 2)))
