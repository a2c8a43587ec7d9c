"""The costs that rules add to labellings, as arrays: the form in which the beam search reads them."""

from dataclasses import dataclass

from sstag.foundation.arrays import Floats, Longs


@dataclass(frozen=True)
class Penalties:
    """The costs of labelling some tokens."""

    nodes: Floats  # (T, L) a label at a token
    steps: Floats  # (T,) a step to another label
    bits: Longs  # (L,) what is kept of a label that a sentence had; 0 for nothing
    again: Floats  # (L,) another block of a label
    wanted: Longs  # (W,) the bits of labels of which a sentence needs one
    missing: Floats  # (W,) what it costs if it has none
