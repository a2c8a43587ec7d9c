"""Memory that short-lived arrays hand on to the next ones.

A chunk's arrays are a few hundred kilobytes each, which the C library asks of the system and gives back every time:
clearing the new pages costs as much as forward and backward together. A `Workspace` keeps them instead.
"""

import numpy as np

from sstag.arrays import Floats


class Workspace:
    """Arrays to lend, uninitialised. One may serve all threads: taking and giving back are single steps on lists."""

    def __init__(self) -> None:
        self._free: dict[int, list[Floats]] = {}

    def take(self, taken: list[Floats], *shape: int) -> Floats:
        """A C-contiguous float64 array of `shape`; what must be given back is added to `taken`."""
        size = int(np.prod(shape))
        # Rounded up to an eighth of a power of two, so that chunks of nearly one size share their memory.
        step = 1 << max(size.bit_length() - 4, 0)
        capacity = -(-size // step) * step
        try:
            buffer = self._free[capacity].pop()
        except (KeyError, IndexError):
            buffer = np.empty(capacity)
        taken.append(buffer)
        return buffer[:size].reshape(shape)

    def give_back(self, taken: list[Floats]) -> None:
        """Lend these to others from now on. Nobody may use them any more."""
        for buffer in taken:
            self._free.setdefault(len(buffer), []).append(buffer)
        taken.clear()
