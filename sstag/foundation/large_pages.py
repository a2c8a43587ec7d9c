"""Arrays that are read in no order all over, such as weights, in large pages of memory where the system has them.

A processor finds a place of memory by the number of its page, and remembers a few of these. Pages of 2 MiB instead of
4 KiB make arrays of some megabytes a handful of pages.
"""

import math
import mmap

import numpy as np

from sstag.foundation.arrays import Floats

PAGE = 2**21
LEAST = 2**20  # bytes of arrays that are worth a page of their own


def zeros_together(*shapes: tuple[int, ...]) -> list[Floats]:
    """Arrays of zeros, in large pages if they are large; each begins at a line of the cache."""
    sizes = [-(-math.prod(shape) // 8) * 8 for shape in shapes]
    memory = _numbers(sum(sizes))
    starts = np.cumsum([0, *sizes])
    return [memory[start:][: math.prod(shape)].reshape(shape) for start, shape in zip(starts, shapes, strict=False)]


def _numbers(count: int) -> Floats:
    if count * 8 < LEAST or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(count)
    pages = mmap.mmap(-1, count * 8 + PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        pages.madvise(mmap.MADV_HUGEPAGE)
    except OSError:  # a system without them
        return np.zeros(count)
    whole = np.frombuffer(pages, np.float64)
    first = -(whole.ctypes.data // 8) % (PAGE // 8)
    return whole[first : first + count]
