"""Vectors of words that a model names and does not keep: a file of this name and content, found when it is needed."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sstag.features.words.vector_files import FileVectors, opened
from sstag.foundation.arrays import Longs, Singles
from sstag.foundation.errors import ModelError

FOLDERS = "SSTAG_VECTORS"  # in the environment: folders in which files of vectors are looked for


@dataclass(frozen=True, eq=False)
class NamedVectors:
    """The vectors in the file of a name, which lies beside a model, in the working folder, or in one of FOLDERS."""

    name: str
    digest: str
    dimensions: int
    model: str

    def of(self, words: Sequence[str]) -> tuple[Longs, Singles]:
        """The places of those words that have a vector, ascending, and their vectors."""
        return self._file.of(words)

    @cached_property
    def _file(self) -> FileVectors:
        others = []
        for path in dict.fromkeys(map(os.path.normpath, self._places())):
            if os.path.isfile(path):
                found = opened(path)
                if found.digest == self.digest:
                    return found
                others.append(path)
        where = f"another one is {others[0]}" if others else f"put it beside the model, or name its folder in {FOLDERS}"
        raise ModelError(
            f"needs the vectors of {self.name} (SHA-256 {self.digest[:12]}…), which is not found: {where}", self.model
        )

    def _places(self) -> Iterator[str]:
        for folder in (os.path.dirname(self.model), "", *os.environ.get(FOLDERS, "").split(os.pathsep)):
            yield os.path.join(folder, self.name)
            yield os.path.join(folder, os.path.basename(self.name))
