"""Choices that a fuzzer's bytes decide."""

from typing import Any

import numpy as np


class Chosen:
    """Choices as a random generator makes them, each decided by the next bytes of an input; zeros follow its end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def bytes(self, length: int) -> bytes:
        """The next bytes."""
        found = self._data[self._at : self._at + length]
        self._at += length
        return found.ljust(length, b"\0")

    def rest(self) -> bytes:
        """All bytes that are left."""
        found, self._at = self._data[self._at :], len(self._data)
        return found

    def integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """A whole number under a limit, or an array of such numbers."""
        least, most = (0, low) if high is None else (low, high)
        if size is None:
            span = int(most - least)
            width = 1 if span <= 256 else 8
            return least + int.from_bytes(self.bytes(width), "little") % max(span, 1)
        count = int(np.prod(size))
        raw = np.frombuffer(self.bytes(4 * count), np.int32).astype(np.int64)
        return (least + raw % max(int(most - least), 1)).reshape(size)

    def random(self) -> float:
        """A number from 0 to 1."""
        return self.bytes(1)[0] / 256

    def permutation(self, array: Any) -> Any:
        """The rows of an array in another order."""
        order = np.argsort(np.frombuffer(self.bytes(len(array)), np.uint8), kind="stable")
        return array[order]
