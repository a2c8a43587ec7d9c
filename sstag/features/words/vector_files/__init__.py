"""Files of word vectors of many programs, of which only the vectors of the words that are asked for are read.

A file is told by how it begins. Nothing in it is believed: sizes are compared with what is there before anything is
made of them, nothing is unpickled or evaluated, and a file that ends too early is an error.
"""

import os
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256

import numpy as np

from sstag.features.words.vector_files.contract import Format, Found
from sstag.features.words.vector_files.own import WordVectors, load
from sstag.foundation.arrays import Longs, Singles
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, pieces, translated_errors
from sstag.foundation.registry import Where, registered

HEAD = 4096  # bytes by which a format is told
PIECE = 2**20
HERE = "sstag.features.words.vector_files"
MATRIX, MATRIX_PIECES = "model.safetensors", "tokenizer.json"  # in a folder of model2vec


def _format(
    about: str,
    module: str,
    is_one: str = "is_one",
    found: str = "found",
    beside: str | None = None,
    composes: bool = False,
) -> Format:
    return Format(
        about,
        Where(f"{HERE}.{module}:{is_one}"),
        Where(f"{HERE}.{module}:{found}"),
        Where(f"{HERE}.{beside}") if beside else None,
        composes,
    )


FORMATS = {
    "sstag": _format("made by `sstag vectors`", "own"),
    "fasttext": _format(
        "fastText's `.bin`: words that it does not list have the vectors of their n-grams", "fasttext", composes=True
    ),
    "npy": _format("a matrix, and a list of words beside it", "listed", "is_npy", "npy_found", "listed:list_beside"),
    "safetensors": _format(
        "a matrix, and a list of words beside it", "listed", "is_safetensors", "safetensors_found", "listed:list_beside"
    ),
    "wink": _format("the JSON of wink-embeddings", "wink"),
    "text": _format("of word2vec, of fastText (`.vec`) and of GloVe, also gzipped", "text"),
    "word2vec": _format("word2vec's binary files, also gzipped", "word2vec"),
}
MODEL2VEC = _format(
    "a folder of model2vec, whose pieces make up any word", "model2vec", beside="model2vec:pieces_beside", composes=True
)


class FileVectors:
    """The vectors in a file. Words that were looked up stay known, so that a text read in parts asks for few."""

    def __init__(self, path: str, format: Format) -> None:
        self.path, self._format = path, format
        self._row: dict[str, int] = {}  # of every word that was asked for, -1 if it has none
        self._vectors: Singles | None = None

    def of(self, words: Sequence[str]) -> tuple[Longs, Singles]:
        """The places of those words that have a vector, ascending, and their vectors; lower case stands in."""
        asked = {form for word in words for form in (word, word.lower())}
        if self._vectors is None or not asked.issubset(self._row):
            new = {word for word in asked if word not in self._row}
            found = registered(self._format.found)(self.path, new)
            before = 0 if self._vectors is None else len(self._vectors)
            self._row |= dict.fromkeys(new, -1) | {word: before + row for row, word in enumerate(found.words)}
            self._vectors = np.concatenate(
                [found.vectors[:0] if self._vectors is None else self._vectors, found.vectors]
            )
        rows = np.array([self._row_of(word) for word in words], np.int64)
        return np.flatnonzero(rows >= 0), self._vectors[rows[rows >= 0]]

    def seen(self) -> Found:
        """The words that were looked up and have a vector, in the order of their vectors."""
        _, none = self.of(())
        words = [word for word, row in self._row.items() if row >= 0]
        words.sort(key=self._row.__getitem__)
        return Found(words, none if self._vectors is None else self._vectors)

    def listed(self) -> Found:
        """All words that the file lists, and their vectors."""
        return registered(self._format.found)(self.path, None)

    @property
    def composes(self) -> bool:
        """Whether words that the file does not list have vectors, too: those of their parts."""
        return self._format.composes

    def every(self, also: Sequence[str] = ()) -> WordVectors:
        """The vectors of all words that the file lists, and of some others as far as they have one."""
        if self._format == FORMATS["sstag"]:
            made = load(self.path)  # whose numbers are in double precision
        else:
            words, vectors = self.listed()
            made = WordVectors(tuple(words), vectors.astype(np.float64))
        if not (also and self.composes):
            return made  # the file is read once
        known = {*made.words}
        new = [word for word in dict.fromkeys(also) if word not in known]
        places, more = self.of(new)
        return WordVectors((*made.words, *(new[place] for place in places)), np.concatenate([made.vectors, more]))

    def _row_of(self, word: str) -> int:
        row = self._row[word]
        return row if row >= 0 else self._row[word.lower()]

    @property
    def dimensions(self) -> int:
        _, none = self.of(())
        return int(none.shape[1])

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file, and of the one beside it that belongs to it."""
        checksum = sha256()
        for path in (self.path, *([registered(self._format.beside)(self.path)] if self._format.beside else [])):
            with translated_errors(path), open(path, "rb") as file:
                while piece := file.read(PIECE):
                    checksum.update(piece)
        return checksum.hexdigest()


def opened(path: str) -> FileVectors:
    """The vectors in a file or in a folder of model2vec, of which nothing is read yet but how it begins."""
    if os.path.isdir(path):
        for name in (MATRIX, MATRIX_PIECES):
            if os.path.exists(inner := os.path.join(path, name)) and not os.path.isfile(inner):
                raise DataError("is no plain file: take it out of the folder", display_name(inner))
        return FileVectors(os.path.join(path, MATRIX), MODEL2VEC)
    head = b""
    for piece in pieces(path):
        head += piece
        if len(head) >= HEAD:
            break
    for format in FORMATS.values():
        if registered(format.is_one)(head):
            return FileVectors(path, format)
    known = ", ".join((*FORMATS, "folders of model2vec"))
    raise DataError(f"not a file of word vectors that is known here ({known})", display_name(path))
