"""Binary files of word2vec: a line `words dimensions`, and then each word, a blank, and its numbers as float32."""

import numpy as np

from sstag.features.words.vector_files.contract import LONGEST_WORD, Found, Wanted, wanted_words
from sstag.features.words.vector_files.numbers import checked, checked_dimensions
from sstag.features.words.vector_files.stream import Stream
from sstag.features.words.vector_files.text import HEADER
from sstag.foundation.errors import DataError


def is_one(head: bytes) -> bool:
    """Whether a file begins with a header; text, which may do so too, is asked for before."""
    line, _, rest = head.partition(b"\n")
    return HEADER.fullmatch(line) is not None and bool(rest)


def found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words that are in a file; of a word that stands there twice the first."""
    stream = Stream(path)
    header = HEADER.fullmatch(stream.until(b"\n", LONGEST_WORD))
    if header is None:
        raise DataError("its first line is not `words dimensions`", stream.name)
    dimensions = checked_dimensions(int(header[2]), stream.name)
    word_of = wanted_words(wanted)
    rows: dict[str, bytes] = {}
    for _ in range(int(header[1])):
        word = word_of(stream.until(b" ", LONGEST_WORD).lstrip(b"\n"))  # some write a line end before the word
        numbers = stream.take(4 * dimensions)
        if word is not None:
            rows.setdefault(word, numbers)
    vectors = np.frombuffer(b"".join(rows.values()), "<f4").reshape(-1, dimensions)
    return Found(list(rows), checked(vectors, stream.name))
