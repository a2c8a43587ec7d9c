"""Buffers that short-lived arrays hand on to the next ones.

The arrays of a batch have a few hundred kilobytes each. The C library would ask the system for them and give them back
every time, and clearing the new pages costs as much as forward and backward together. A `Workspace` keeps them.
"""

import math
import threading

import numpy as np

from sstag.foundation.arrays import Floats

LINE = 8  # numbers in a line of the cache


class Workspace(threading.local):
    """The free buffers, by size. Each thread has its own, because they are still in the cache of its core."""

    def __init__(self) -> None:
        self.free: dict[int, list[Floats]] = {}


class Loan:
    """Arrays borrowed from a workspace, given back together when the loan goes out of scope.

    An object that uses such an array must hold the loan as long, and must not hand the array to one that does not.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._free = workspace.free
        self._buffers: list[Floats] = []

    def take(self, *shape: int) -> Floats:
        """A C-contiguous array of `shape`, uninitialised."""
        size = math.prod(shape)
        # Rounded up to an eighth of a power of two, so that batches of nearly one size share their memory.
        step = 1 << max(size.bit_length() - 4, 0)
        capacity = -(-size // step) * step
        try:
            buffer = self._free[capacity].pop()
        except (KeyError, IndexError):
            buffer = _aligned(capacity)
        self._buffers.append(buffer)
        return buffer[:size].reshape(shape)

    def __del__(self) -> None:
        for buffer in self._buffers:
            self._free.setdefault(len(buffer), []).append(buffer)


def _aligned(size: int) -> Floats:
    """An array that begins at a line of the cache, so that no vector of a padded row lies in two lines."""
    whole = np.empty(size + LINE)
    first = -(whole.ctypes.data // whole.itemsize) % LINE
    return whole[first : first + size]
