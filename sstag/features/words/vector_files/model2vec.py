"""Folders of model2vec: a vector for each piece of words, in `model.safetensors`, and the pieces in `tokenizer.json`.

The vector of a word is the mean of those of its pieces, each times its weight if there are weights.
"""

import os

import numpy as np

from sstag.features.words.vector_files.contract import Found, Wanted
from sstag.features.words.vector_files.numbers import checked, checked_dimensions
from sstag.features.words.vector_files.word_pieces import Cutter
from sstag.foundation.errors import DataError
from sstag.foundation.safetensors import tensors

PIECES = "tokenizer.json"


def pieces_beside(path: str) -> str:
    """The path of the list of pieces of a matrix."""
    return os.path.join(os.path.dirname(path), PIECES)


def found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words all of whose pieces are known, from the matrix of a folder."""
    every = tensors(path)
    matrix = every.get("embeddings")
    if matrix is None or matrix.ndim != 2:
        raise DataError("has no matrix `embeddings`", path)
    checked_dimensions(matrix.shape[1], path)
    cutter = Cutter(pieces_beside(path))
    mapping, weights = every.get("mapping"), every.get("weights")
    for name, array, kind in (("mapping", mapping, "i"), ("weights", weights, "f")):
        if array is not None and (array.ndim != 1 or array.dtype.kind != kind):
            raise DataError(f"has `{name}` that are no list of numbers", path)
    limit = len(matrix) if mapping is None else len(mapping)
    words, vectors = [], []
    for word in cutter.words if wanted is None else wanted:
        pieces = cutter.cut(word)
        if not pieces:
            continue
        if max(pieces) >= limit or (weights is not None and max(pieces) >= len(weights)):
            raise DataError("has fewer vectors than there are pieces", path)
        rows = np.array(pieces) if mapping is None else np.asarray(mapping)[pieces]
        if rows.min() < 0 or rows.max() >= len(matrix):
            raise DataError("its mapping leads to no vector", path)
        own = np.asarray(matrix[rows], np.float64)
        if weights is not None:
            own = own * np.asarray(weights, np.float64).reshape(-1)[pieces][:, None]
        words.append(word)
        vectors.append(own.mean(axis=0))
    return Found(words, checked(np.array(vectors).reshape(-1, matrix.shape[1]), path))


def is_one(head: bytes) -> bool:
    """Whether a file begins so: none does, since a folder is told by being one."""
    return False
