"""Matrices in NumPy's files, read without trusting them: the head has one form, and is not evaluated."""

import mmap
import re

import numpy as np

from sstag.foundation.arrays import Array
from sstag.foundation.errors import DataError
from sstag.foundation.files import translated_errors

NPY = b"\x93NUMPY"
HEADER = re.compile(
    rb"\x93NUMPY(?:\x01\x00..|[\x02\x03]\x00....)"
    rb"\{'descr': '(<f[248])', 'fortran_order': (False|True), 'shape': \((\d{1,12}), ?(\d{1,6}),?\), ?\} *\n",
    re.DOTALL,
)
LONGEST_HEADER = 1024


def is_npy(head: bytes) -> bool:
    """Whether a file begins as NumPy's do."""
    return head.startswith(NPY)


def matrix(path: str) -> Array:
    """The matrix of numbers in a file, which is mapped into memory."""
    with translated_errors(path), open(path, "rb") as file:
        said = HEADER.match(file.read(LONGEST_HEADER))
        if said is None:
            raise DataError("is no matrix of float16, float32 or float64", path)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    kind = np.dtype(said[1].decode())
    rows, columns = int(said[3]), int(said[4])
    if rows * columns * kind.itemsize != len(data) - said.end():
        raise DataError("is larger or smaller than it says: the file is not whole", path)
    numbers = np.frombuffer(data, kind, rows * columns, said.end())
    return numbers.reshape(columns, rows).T if said[2] == b"True" else numbers.reshape(rows, columns)
