"""Files of the vectors of tokens, by content: for each sentence a hash of its words, and a vector for each of them.

They are logs: records are appended, one that was cut off or damaged is as if it was not there, and the last one of
several with the same hash counts. Numbers are in half precision and stay in the file until they are asked for.

    head:   a mark, the numbers of a vector, and the digest of all that the vectors depend on besides the words
    record: 16 bytes of a hash of the words, how many they are, CRC-32 of the numbers, the numbers
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from mmap import ACCESS_READ, mmap

import numpy as np

from sstag.foundation.arrays import Halves
from sstag.foundation.errors import DataError
from sstag.foundation.files import translated_errors

HEAD = struct.Struct("<8sI32s")
MARK = b"sstagvec"
RECORD = struct.Struct("<16sII")
WIDEST = 2**16  # numbers of a vector


def key_of(words: Sequence[str]) -> bytes:
    """A hash of a sentence, different for different words or different bounds between them."""
    return blake2b("".join(f"{len(word)}:{word}" for word in words).encode(), digest_size=16).digest()


@dataclass(frozen=True)
class VectorLog:
    """A file of vectors."""

    path: str
    digest: str
    width: int
    _bytes: memoryview

    def get(self, key: bytes, tokens: int) -> Halves | None:
        """The vectors of a sentence, or None if they are not here or damaged."""  # (tokens, width)
        at = self.places.get(key)
        return None if at is None else self.at(at, tokens)

    def at(self, at: int, tokens: int) -> Halves | None:
        """The vectors in the record at a place, or None if they are damaged or of another number of words."""
        _, count, checksum = RECORD.unpack_from(self._bytes, at)
        numbers = self._bytes[at + RECORD.size : self._end(at, count)]
        if count != tokens or zlib.crc32(numbers) != checksum:
            return None
        return np.frombuffer(numbers, np.float16).reshape(tokens, self.width)

    @property
    def size(self) -> int:
        return len(self._bytes)

    def records(self) -> Iterator[bytes]:
        """The bytes of each record that counts."""
        for at in self.places.values():
            yield self._bytes[at : self._end(at, RECORD.unpack_from(self._bytes, at)[1])].tobytes()

    @cached_property
    def places(self) -> dict[bytes, int]:
        """Where the record of each hash begins."""
        found = {}
        at = HEAD.size
        while at + RECORD.size <= len(self._bytes):
            key, count, _ = RECORD.unpack_from(self._bytes, at)
            if self._end(at, count) > len(self._bytes):
                break
            found[key] = at
            at = self._end(at, count)
        return found

    def _end(self, at: int, count: int) -> int:
        return at + RECORD.size + count * self.width * 2


def read_log(path: str) -> VectorLog:
    """The vectors in a file, which are mapped and not read."""
    with translated_errors(path), open(path, "rb") as file:
        head = file.read(HEAD.size)
        if len(head) < HEAD.size or not head.startswith(MARK):
            raise DataError("no vectors of tokens (sstag encode makes them)", path)
        _, width, digest = HEAD.unpack(head)
        if not 1 <= width <= WIDEST:
            raise DataError("damaged: its vectors have no numbers", path)
        return VectorLog(path, digest.hex(), width, memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)))


def head(digest: str, width: int) -> bytes:
    """The first bytes of a file of vectors."""
    return HEAD.pack(MARK, width, bytes.fromhex(digest))


def record(key: bytes, vectors: Halves) -> bytes:
    """The bytes that hold the vectors of a sentence."""
    numbers = np.ascontiguousarray(vectors).tobytes()
    return RECORD.pack(key, len(vectors), zlib.crc32(numbers)) + numbers
