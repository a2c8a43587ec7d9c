"""Vectors of tokens that another program made, a row for each token of a text: `.npy`, or an array of safetensors."""

from hashlib import sha256

import numpy as np

from sstag.features.encoders.vector_log import WIDEST
from sstag.foundation.arrays import Array, Halves
from sstag.foundation.errors import DataError, counted
from sstag.foundation.files import translated_errors
from sstag.foundation.npy import NPY, is_npy, matrix
from sstag.foundation.safetensors import Safetensors

SOME = 2**14  # rows that are looked at together


def rows_in(path: str, tokens: int) -> Halves:
    """The rows in a file, in half precision; there must be as many as tokens."""  # (T, D)
    rows = _array(path)
    if rows.ndim != 2 or rows.dtype.kind != "f" or not 1 <= rows.shape[1] <= WIDEST:
        raise DataError("has no numbers in rows and columns", path)
    if len(rows) != tokens:
        raise DataError(f"{counted(len(rows), 'row')} for a text of {counted(tokens, 'token')}", path)
    result = np.empty(rows.shape, np.float16)
    for begin in range(0, len(rows), SOME):
        with np.errstate(over="ignore"):
            result[begin : begin + SOME] = rows[begin : begin + SOME]
        wrong = ~np.isfinite(result[begin : begin + SOME]).all(axis=1)
        if wrong.any():
            row = begin + int(wrong.argmax())
            raise DataError(f"row {row:,}, counted from 0, has a number that does not fit into half precision", path)
    return result


def digest_of_name(name: str) -> str:
    """The digest of the vectors that a program of this name made: it stands for all that they depend on."""
    return sha256(f"rows of {name}".encode()).hexdigest()


def _array(path: str) -> Array:
    with translated_errors(path), open(path, "rb") as file:
        begin = file.read(len(NPY))
    if is_npy(begin):
        return matrix(path)
    file_of = Safetensors(path)
    if len(file_of.tensors) != 1:
        raise DataError(f"has {counted(len(file_of.tensors), 'array')}: one is wanted, a row for each token", path)
    return file_of.array(next(iter(file_of.tensors)))
