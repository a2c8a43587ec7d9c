"""The labels of some sentences as arrays: the form in which the core's likelihood reads them."""

from typing import NamedTuple

from sstag.foundation.arrays import Bools, Floats, Ints

FREE, FULL, MASKED = range(3)


class Labelled(NamedTuple):
    """The labels of a batch. A sentence is full (one label everywhere), masked, or free; a free one says nothing."""

    omega: Floats  # (S,) the weight of each sentence
    kind: Ints  # (S,)
    gold: Ints  # (T,) the labels of full sentences, and any elsewhere
    allowed: Bools  # (R, L) of the positions of masked sentences, one after another
