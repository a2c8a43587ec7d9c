"""Vectors of words that a model has: it keeps them, or names a file, which is found when it is needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from sstag.features.dense_sources import Vectors
from sstag.features.named_files import Named
from sstag.features.words.vector_files import FileVectors, opened
from sstag.foundation.archive import Archive, texts_out
from sstag.foundation.arrays import Array, Longs, Singles
from sstag.foundation.errors import ConfigError
from sstag.foundation.json_values import Json

MOST_BYTES = 3 * 2**30
FOLDERS = "SSTAG_VECTORS"  # in the environment: folders in which files of vectors are looked for


SEEN, FILE = "seen", "file"  # beside all: how a model keeps vectors


@dataclass(frozen=True, eq=False)
class KeptVectors:
    """Words and their vectors."""

    row: Mapping[str, int]
    vectors: Singles  # (W, D)
    digest: str  # of the file that they come from
    composes: ClassVar[bool] = False  # a model has those of words alone

    @property
    def dimensions(self) -> int:
        return int(self.vectors.shape[1])

    def of(self, words: Sequence[str]) -> tuple[Longs, Singles]:
        """The places of those words that have a vector, ascending, and their vectors; lower case stands in."""
        rows = np.array([self.row.get(word, self.row.get(word.lower(), -1)) for word in words], np.int64)
        return np.flatnonzero(rows >= 0), self.vectors[rows[rows >= 0]]

    def listed(self) -> tuple[list[str], Singles]:
        """All words that are kept, and their vectors."""
        return list(self.row), self.vectors


@dataclass(frozen=True, eq=False)
class NamedVectors:
    """The vectors in the file of a name, which lies beside a model, in the working folder, or in one of FOLDERS."""

    name: str
    digest: str
    dimensions: int
    model: str
    composes: ClassVar[bool] = False  # as far as it matters: a model does not keep them

    def of(self, words: Sequence[str]) -> tuple[Longs, Singles]:
        """The places of those words that have a vector, ascending, and their vectors."""
        return self._file.of(words)

    def listed(self) -> tuple[list[str], Singles]:
        """All words of the file, and their vectors."""
        return self._file.listed()

    @cached_property
    def _file(self) -> FileVectors:
        named = Named(self.name, self.model, FOLDERS)
        return named.first_right(f"the vectors of {self.name}", self.digest, opened)


def kept(vectors: Vectors, how: str) -> Vectors:
    """The vectors as a model has them: of all words, of those that training saw, or none but the file's name."""
    if how == FILE or not isinstance(vectors, FileVectors):
        return vectors
    words, numbers = vectors.seen() if how == SEEN else vectors.listed()
    if numbers.nbytes > MOST_BYTES:
        raise ConfigError(f"{vectors.path}: too large for a model (vectors_kept: {SEEN} or {FILE})")
    return KeptVectors({word: row for row, word in enumerate(words)}, numbers, vectors.digest)


def vectors_out(every: Mapping[str, Vectors]) -> tuple[list[Json], dict[str, Array]]:
    """The vectors that a model has, as JSON and arrays, from which `vectors_in` makes them again."""
    said: list[Json] = []
    arrays: dict[str, Array] = {}
    for number, (name, one) in enumerate(every.items()):
        keeps = isinstance(one, KeptVectors)
        said.append(
            {"name": name, "sha256": one.digest, "dimensions": one.dimensions, **({"kept": True} if keeps else {})}
        )
        if isinstance(one, KeptVectors):
            arrays |= {**texts_out(f"vectors_{number}_words", list(one.row)), f"vectors_{number}": one.vectors}
    return said, arrays


def vectors_in(archive: Archive, number: int, name: str, digest: str, dimensions: int, keeps: bool) -> Vectors:
    """The vectors that a model has under a name."""
    if not keeps:
        return NamedVectors(name, digest, dimensions, archive.path)
    words, vectors = archive.texts(f"vectors_{number}_words"), archive.array(f"vectors_{number}", "<f4", 2)
    row = {word: place for place, word in enumerate(words)}
    if vectors.shape != (len(row), dimensions) or len(row) < len(words) or not np.isfinite(vectors).all():
        raise archive.damaged(f"its vectors of {name} do not fit together")
    return KeptVectors(row, vectors, digest)
