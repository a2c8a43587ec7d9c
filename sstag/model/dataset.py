"""Sentences as arrays: the attributes of each token, and the labels that each token may have."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.features.dense import Table, WordTable
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Bools, Floats, Ints, Longs


@dataclass(frozen=True)
class Dataset:
    """Sentences as arrays."""

    offsets: Longs  # (S + 1,)
    unary: Incidence  # of A attributes; A + r is row r of the blocks of words, and after the last of them bundles begin
    edge: Incidence  # attributes of the step that leads to each token
    sets: Ints | None  # (T,) row of `allowed` that says which labels a token may have; None without labels
    allowed: Bools  # (M, L)
    weights: Floats | None = None  # (S,) ω of each sentence; None: 1
    bundles: Incidence | None = None  # the attributes of each bundle
    dense: tuple[Table, ...] = ()  # the numbers of each dense feature
    cues: Bools | None = None  # (T, R) which rules of the model have one of their features at each token

    @property
    def rows_of_words(self) -> int:
        """The number of rows of the blocks of words, which stand between attributes and bundles."""
        return sum(len(block.numbers) for block in self.dense if isinstance(block, WordTable))

    @cached_property
    def omega(self) -> Floats:
        """The weight ω of each sentence."""  # (S,)
        return np.ones(len(self.offsets) - 1) if self.weights is None else self.weights

    @cached_property
    def full(self) -> Bools:
        """The sentences that have one label everywhere."""  # (S,)
        full: Bools = np.maximum.reduceat(self._choices, self.offsets[:-1]) == 1
        return full

    @cached_property
    def free(self) -> Bools:
        """The sentences that may have any label anywhere: they add nothing to a likelihood."""  # (S,)
        open_everywhere = np.minimum.reduceat(self._choices, self.offsets[:-1]) == self.allowed.shape[1]
        free: Bools = ~self.full & open_everywhere
        return free

    @property
    def decided(self) -> tuple[Bools, Longs]:
        """Which tokens have one label, and their labels."""  # (T,), (D,)
        if self.sets is None or not self.allowed.size:
            return np.zeros(self.offsets[-1], bool), np.zeros(0, np.int64)
        single = self._choices == 1
        labels: Longs = self.allowed.argmax(axis=1)[self.sets[single]]
        return single, labels

    @property
    def _choices(self) -> Longs:
        """How many labels each token may have."""  # (T,)
        if self.sets is None:
            return np.full(self.offsets[-1], self.allowed.shape[1])
        choices: Longs = self.allowed.sum(axis=1)[self.sets]
        return choices
