"""Checks of what stands in files of vectors: that sizes can be, and that numbers are finite and of usual size."""

import numpy as np

from sstag.features.words.vector_files.contract import LARGEST_NUMBER, MOST_DIMENSIONS
from sstag.foundation.arrays import Array, Singles
from sstag.foundation.errors import DataError


def checked_dimensions(dimensions: int, name: str) -> int:
    """The number of dimensions, if vectors can have so many."""
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise DataError(f"vectors have 1 to {MOST_DIMENSIONS} numbers, not {dimensions}", name)
    return dimensions


def checked(vectors: Array, name: str) -> Singles:
    """Vectors in single precision; a number that is not finite, or far too large, is an error."""
    if vectors.size and not float(np.abs(vectors).max()) <= LARGEST_NUMBER:  # also where it is no number
        raise DataError(f"a vector has a number that is not finite, or above {LARGEST_NUMBER:g}", name)
    return np.ascontiguousarray(vectors, dtype=np.float32)
