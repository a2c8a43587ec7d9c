"""Binary files of fastText, version 12 (Bojanowski et al. 2017): a word is the mean of itself and its n-grams.

    magic, version, parameters        int32 each, and a double
    dictionary                        counts; then each word up to NUL, how often it occurs, its type
    input matrix                      rows of words, then rows of n-grams, float32

The row of an n-gram is its FNV-1a hash modulo the number of buckets, so words of no dictionary have vectors, too.
The numbers of rows that are not needed stay in the file.
"""

import mmap
import struct
from collections.abc import Iterator

import numpy as np

from sstag.features.words.vector_files.contract import LONGEST_WORD, Found, Wanted, wanted_words
from sstag.features.words.vector_files.numbers import checked, checked_dimensions
from sstag.foundation.errors import DataError
from sstag.foundation.files import GZIP_MAGIC, translated_errors

MAGIC = struct.pack("<ii", 793712314, 12)
PARAMETERS = struct.Struct("<12id")
COUNTS = struct.Struct("<iiiqq")
ENTRY = struct.Struct("<qb")
MATRIX = struct.Struct("<bqq")
END_OF_SENTENCE = "</s>"  # has no n-grams
LONGEST_NGRAM = 30


def is_one(head: bytes) -> bool:
    """Whether a file begins as fastText's of this version do."""
    return head.startswith(MAGIC)


def found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words; of others than those of its dictionary, those that their n-grams make."""
    with translated_errors(path), open(path, "rb") as file:
        if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC:
            raise DataError("is read piece by piece: unpack it first (gunzip)", path)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Model(data, path).found(wanted)


class _Model:
    """A file that has been read up to its matrix, of which only the rows that are asked for are looked at."""

    def __init__(self, data: mmap.mmap, path: str) -> None:
        self._data, self._path, self._at = data, path, len(MAGIC)
        dimensions, *_, bucket, least, most, _, _ = self._unpacked(PARAMETERS)
        self._dimensions = checked_dimensions(dimensions, path)
        self._bucket, self._least, self._most = bucket, least, most
        self._size, self._words, _, _, pruned = self._unpacked(COUNTS)
        if pruned >= 0:
            raise DataError("is quantised (.ftz), which is not read: take the .bin", path)
        if not 0 <= self._words <= self._size <= len(data) // ENTRY.size or not 0 <= bucket < 2**31:
            raise DataError("its counts cannot be: the file is not whole", path)
        if not (least <= most <= LONGEST_NGRAM and least >= 0):
            raise DataError(f"its n-grams have {least} to {most} letters, which cannot be", path)

    def found(self, wanted: Wanted) -> Found:
        word_of, row = wanted_words(wanted), dict[str, int]()
        for number in range(self._size):
            end = self._data.find(b"\0", self._at, self._at + LONGEST_WORD)
            if end < 0:
                raise DataError("a word of it does not end: the file is not whole", self._path)
            word, self._at = word_of(self._data[self._at : end]), end + 1
            self._unpacked(ENTRY)
            if word is not None and number < self._words:
                row.setdefault(word, number)
        quantised, rows, columns = self._unpacked(MATRIX)
        if quantised or columns != self._dimensions or rows != self._words + self._bucket:
            raise DataError("its matrix is quantised or of another size than it says", self._path)
        if self._at + 4 * rows * columns > len(self._data):
            raise DataError("its matrix ends too early: the file is not whole", self._path)
        words, vectors = [], []
        for word in row if wanted is None else wanted:
            own = [row[word]] if word in row else []
            own += [self._words + gram for gram in self._ngrams(word)] if word != END_OF_SENTENCE else []
            if own:
                words.append(word)
                vectors.append(sum(map(self._row, own), np.zeros(columns)) / len(own))
        return Found(words, checked(np.array(vectors).reshape(-1, columns), self._path))

    def _row(self, number: int) -> np.ndarray:
        return np.frombuffer(self._data, "<f4", self._dimensions, self._at + 4 * self._dimensions * number)

    def _ngrams(self, word: str) -> Iterator[int]:
        """The bucket of each n-gram of the letters of `<word>`."""
        letters = f"<{word}>"
        for begin in range(len(letters) if self._bucket else 0):
            for end in range(begin + max(self._least, 1), min(begin + self._most, len(letters)) + 1):
                if end - begin > 1 or not (begin == 0 or end == len(letters)):
                    yield fnv(letters[begin:end].encode()) % self._bucket

    def _unpacked(self, of: struct.Struct) -> tuple[int, ...]:
        if self._at + of.size > len(self._data):
            raise DataError("the file is not whole", self._path)
        self._at += of.size
        return of.unpack_from(self._data, self._at - of.size)


def fnv(data: bytes) -> int:
    """FNV-1a with 32 bits, to which fastText gives bytes with their sign."""
    result = 2166136261
    for byte in data:
        result = ((result ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
    return result
