"""sstag's own files of word vectors: an archive (`foundation/archive.py`) of texts and numbers."""

from dataclasses import dataclass

import numpy as np

from sstag.features.words.vector_files.contract import LONGEST, MOST_DIMENSIONS, Found, Wanted
from sstag.foundation.archive import BEGIN, Archive, texts_out, write_archive
from sstag.foundation.arrays import Floats
from sstag.foundation.json_values import Json

FORMAT = "sstag word vectors"
VERSION = 1


@dataclass(frozen=True)
class WordVectors:
    """A vector for each word."""

    words: tuple[str, ...]
    vectors: Floats  # (W, dimensions)


def save(made: WordVectors, path: str) -> None:
    """Writes the vectors, whole or not at all; the same vectors give the same bytes."""
    document: dict[str, Json] = {"format": FORMAT, "version": VERSION}
    write_archive(path, document, {**texts_out("words", made.words), "vectors": made.vectors}, load)


def load(path: str) -> WordVectors:
    """The vectors in a file."""
    archive = Archive(path, "a file of word vectors (sstag vectors makes them)")
    archive.expect(FORMAT, VERSION)
    words = archive.texts("words")
    vectors = archive.array("vectors", "<f8", 2)
    if (
        not (len(vectors) == len(words) == len(set(words)))
        or not 1 <= vectors.shape[1] <= MOST_DIMENSIONS
        or not (np.abs(vectors) <= LONGEST).all()
    ):
        raise archive.damaged("its vectors do not fit together")
    return WordVectors(tuple(words), vectors)


def is_one(head: bytes) -> bool:
    """Whether a file begins as an archive does."""
    return head.startswith(BEGIN)


def found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words that are in a file."""
    every = load(path)
    places = [place for place, word in enumerate(every.words) if wanted is None or word in wanted]
    return Found([every.words[place] for place in places], every.vectors[places].astype(np.float32))
