"""Memory that short-lived arrays use one after another.

The arrays of a batch have a few hundred kilobytes each. The C library would ask the system for them and give them back
every time, and clearing the new pages costs as much as forward and backward together. `Buffers` keep them.
"""

import math

import numpy as np

from sstag.foundation.arrays import Floats

LINE = 8  # numbers in a line of the cache


class Buffers:
    """Memory for the potentials and the lattice of one batch at a time; `restart` gives all of it to the next batch.

    Whoever calls `restart` must be done with the arrays taken before: they are overwritten.
    """

    def __init__(self) -> None:
        self._memory = _aligned(0)
        self._taken, self._wanted = 0, 0

    def restart(self) -> None:
        """Takes all arrays back, and makes room for as many numbers as were wanted since the last time."""
        if self._wanted > len(self._memory):
            self._memory = _aligned(self._wanted)
        self._taken = self._wanted = 0

    def take(self, *shape: int) -> Floats:
        """A C-contiguous array of `shape`, uninitialised; a new one if there is no room left."""
        size = math.prod(shape)
        whole = -(-size // LINE) * LINE
        self._wanted += whole
        if self._taken + whole > len(self._memory):
            return _aligned(size).reshape(shape)
        start = self._taken
        self._taken += whole
        return self._memory[start : start + size].reshape(shape)


def _aligned(size: int) -> Floats:
    """An array that begins at a line of the cache, so that no vector of a padded row lies in two lines."""
    whole = np.empty(size + LINE)
    first = -(whole.ctypes.data // whole.itemsize) % LINE
    return whole[first : first + size]
