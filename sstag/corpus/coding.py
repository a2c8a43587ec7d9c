"""Values of columns as whole numbers: each distinct one gets the next number, which is its code."""

from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

import numpy as np

from sstag.foundation.arrays import Ints, Longs

T = TypeVar("T")


class Coder(dict[bytes, int]):
    """The code of each value; a value that is asked for the first time gets the next one."""

    def __missing__(self, value: bytes) -> int:
        code = self[value] = len(self)
        return code

    def of(self, values: Sequence[bytes]) -> Ints:
        if isinstance(values, Coded):
            return self.of(values.distinct)[values.codes]
        return np.fromiter(map(self.__getitem__, values), np.int32, len(values))

    def texts(self) -> list[str]:
        return [value.decode() for value in self]


class Coded(Sequence[bytes]):
    """The values of a column, of which each distinct one is kept once, in the order of first use."""

    def __init__(self, distinct: list[bytes], codes: Ints) -> None:
        self.distinct, self.codes = distinct, codes

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[bytes]:
        return map(self.distinct.__getitem__, self.codes.tolist())

    @overload
    def __getitem__(self, which: int) -> bytes: ...
    @overload
    def __getitem__(self, which: slice) -> "Coded": ...
    def __getitem__(self, which: int | slice) -> "bytes | Coded":
        if isinstance(which, slice):
            return Coded(*used(self.distinct, self.codes[which]))
        return self.distinct[int(self.codes[which])]

    def each(self, made: Sequence[T]) -> list[T]:
        """For each token what was made of its distinct value."""
        return list(map(made.__getitem__, self.codes.tolist()))


def used(texts: Sequence[T], codes: Ints | Longs) -> tuple[list[T], Ints]:
    """The texts that some token has, in the order of their first use, and the code of each token among them."""
    tokens = len(codes)
    if tokens < len(texts):  # a small part of a text should not take as long as all its values
        some, at, inverse = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(at)
        number = np.empty(len(some), np.int32)
        number[order] = np.arange(len(some))
        return [texts[code] for code in some[order].tolist()], number[inverse]
    first = np.full(len(texts), tokens)
    first[codes[::-1]] = np.arange(tokens)[::-1]  # of places that are assigned to twice, the last number stays
    kept = np.argsort(first, kind="stable")[: np.count_nonzero(first < tokens)]
    number = np.empty(len(first), np.int32)
    number[kept] = np.arange(len(kept))
    return list(map(texts.__getitem__, kept.tolist())), number[codes]
