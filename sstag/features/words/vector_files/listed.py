"""A matrix in a file of its own, `.npy` or `.safetensors`, and beside it a list of words: line i is the word of row i.

The list has the name of the matrix, with `.txt`, `.words` or `.vocab` for its ending.
"""

import mmap
import os
import re

import numpy as np

from sstag.features.words.vector_files.contract import LONGEST_WORD, Found, Wanted, wanted_words
from sstag.features.words.vector_files.numbers import checked, checked_dimensions
from sstag.features.words.vector_files.stream import Stream
from sstag.foundation.arrays import Array
from sstag.foundation.errors import DataError
from sstag.foundation.files import translated_errors
from sstag.foundation.safetensors import LONGEST_HEAD, tensors

NPY = b"\x93NUMPY"
NPY_HEADER = re.compile(
    rb"\x93NUMPY(?:\x01\x00..|[\x02\x03]\x00....)"
    rb"\{'descr': '(<f[248])', 'fortran_order': (False|True), 'shape': \((\d{1,12}), ?(\d{1,6}),?\), ?\} *\n",
    re.DOTALL,
)
LONGEST_HEADER = 1024
ENDINGS = (".txt", ".words", ".vocab")


def is_npy(head: bytes) -> bool:
    """Whether a file begins as NumPy's do."""
    return head.startswith(NPY)


def is_safetensors(head: bytes) -> bool:
    """Whether a file begins with the length of a description and `{`."""
    return len(head) > 9 and head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= LONGEST_HEAD


def list_beside(path: str) -> str:
    """The path of the list of words of a matrix."""
    stem = os.path.splitext(path)[0]
    for ending in ENDINGS:
        if os.path.isfile(stem + ending):
            return stem + ending
    raise DataError(f"has no list of words beside it, such as {stem}{ENDINGS[0]} with a word on each line", path)


def npy_found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words in a matrix of NumPy."""
    with translated_errors(path), open(path, "rb") as file:
        head = file.read(LONGEST_HEADER)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    said = NPY_HEADER.match(head)
    if said is None:
        raise DataError("is no matrix of float16, float32 or float64", path)
    kind = np.dtype(said[1].decode())
    rows, columns = int(said[3]), int(said[4])
    if rows * columns * kind.itemsize != len(data) - said.end():
        raise DataError("is larger or smaller than it says: the file is not whole", path)
    numbers = np.frombuffer(data, kind, rows * columns, said.end())
    matrix = numbers.reshape(columns, rows).T if said[2] == b"True" else numbers.reshape(rows, columns)
    return _found(matrix, path, wanted)


def safetensors_found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words in the one matrix of a file of safetensors."""
    every = {name: tensor for name, tensor in tensors(path).items() if tensor.ndim == 2}
    if len(every) != 1:
        raise DataError(f"has {len(every)} matrices ({', '.join(list(every)[:5])}), and one is needed", path)
    return _found(next(iter(every.values())), path, wanted)


def _found(matrix: Array, path: str, wanted: Wanted) -> Found:
    if matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise DataError(f"is no matrix of numbers, but {matrix.ndim} dimensions of {matrix.dtype}", path)
    checked_dimensions(matrix.shape[1], path)
    word_of, row = wanted_words(wanted), dict[str, int]()
    stream, number = Stream(list_beside(path)), 0
    while (line := stream.line(LONGEST_WORD)) is not None:
        word = word_of(line.rstrip(b"\r"))
        if word is not None:
            row.setdefault(word, number)
        number += 1
    if number != len(matrix):
        raise DataError(f"has {number} words for {len(matrix)} rows of {path}", stream.name)
    return Found(list(row), checked(np.asarray(matrix[list(row.values())]), path))
