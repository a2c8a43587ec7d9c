"""A matrix in a file of its own, `.npy` or `.safetensors`, and beside it a list of words: line i is the word of row i.

The list has the name of the matrix, with `.txt`, `.words` or `.vocab` for its ending.
"""

import os

import numpy as np

from sstag.features.words.vector_files.contract import LONGEST_WORD, Found, Wanted, wanted_words
from sstag.features.words.vector_files.numbers import checked, checked_dimensions
from sstag.features.words.vector_files.stream import Stream
from sstag.foundation.arrays import Array
from sstag.foundation.errors import DataError
from sstag.foundation.npy import is_npy as is_npy  # of the registry
from sstag.foundation.npy import matrix
from sstag.foundation.safetensors import LONGEST_HEAD, tensors

ENDINGS = (".txt", ".words", ".vocab")


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
    return _found(matrix(path), path, wanted)


def safetensors_found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words in the one matrix of a file of safetensors."""
    every = {name: tensor for name, tensor in tensors(path).items() if tensor.ndim == 2}
    if len(every) != 1:
        raise DataError(f"has {len(every)} matrices ({', '.join(list(every)[:5])}), and one is needed", path)
    return _found(next(iter(every.values())), path, wanted)


def _found(numbers: Array, path: str, wanted: Wanted) -> Found:
    if numbers.ndim != 2 or numbers.dtype.kind != "f":
        raise DataError(f"is no matrix of numbers, but {numbers.ndim} dimensions of {numbers.dtype}", path)
    checked_dimensions(numbers.shape[1], path)
    word_of, row = wanted_words(wanted), dict[str, int]()
    stream, number = Stream(list_beside(path)), 0
    while (line := stream.line(LONGEST_WORD)) is not None:
        word = word_of(line.rstrip(b"\r"))
        if word is not None:
            row.setdefault(word, number)
        number += 1
    if number != len(numbers):
        raise DataError(f"has {number} words for {len(numbers)} rows of {path}", stream.name)
    return Found(list(row), checked(np.asarray(numbers[list(row.values())]), path))
