"""Shelves: things in an order, wherever they lie, of which functions are asked.

A text that is larger than memory is cut into volumes, which lie on a shelf. All work on them is a function of one
volume, with results in the order of the volumes or added up in pairs by their numbers, so that it changes nothing where
they lie and who computes what: in memory, in files that are mapped into it, or on the workers of a cluster.
"""

import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import add
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar, cast

from sstag.foundation.errors import counted
from sstag.foundation.files import translated_errors
from sstag.foundation.mapped import read_mapped, write_mapped
from sstag.foundation.parallel import Over, one_by_one
from sstag.foundation.replacing import Place

T = TypeVar("T")
A = TypeVar("A", covariant=True)
R = TypeVar("R")
# What a thing adds to a sum, and what becomes of the sum where it is, so that less of it has to come here.
Asked: TypeAlias = tuple[Callable[..., R], Callable[[R], R]]
MEBIBYTE = 2**20
VOLUMES = "sstag-volumes"  # of the names of folders


class Shelf(Protocol[A]):
    """Things in an order; `function(thing, over, *common)` is asked of each, with `over` for threads of its own.

    A function is one that a module has by name, and whatever it needs besides the thing is given as `common`, so that
    both can be sent to where the thing is.
    """

    @property
    def where(self) -> str:
        """Where the things lie, in words."""

    def __len__(self) -> int: ...

    def given(self, thing: object) -> object:
        """A thing that is to be common to several questions: while the result of this is kept, it is sent once."""

    def each(self, function: Callable[..., R], *common: object) -> list[R]:
        """The results, which are small, in the order of the things."""

    def summed(self, function: Callable[..., R], *common: object) -> R:
        """The pairwise sum of the results."""

    def sums(self, asked: Sequence[Asked[R]]) -> list[R]:
        """Several sums, of which as many are made at a time as there is room for; the order of a sum is anybody's."""

    def made(self, function: Callable[..., R], *common: object) -> "Shelf[R]":
        """Another shelf of this kind, with the results on it."""


def pairwise_sum(results: Iterable[R]) -> R:
    """The sum of results in pairs, of pairs of pairs and so on, by their numbers; few of them are there at a time."""
    return sum_of_subtrees(((1, result) for result in results), add)


def sum_of_subtrees(sums: Iterable[tuple[int, R]], plus: Callable[[R, R], R]) -> R:
    """The pairwise sum of results of which neighbours are added up already: each of a power of two, in its place."""
    open_ones: list[tuple[int, R]] = []  # how many results each is the sum of
    for size, result in sums:
        while open_ones and open_ones[-1][0] == size:
            _, before = open_ones.pop()
            result, size = plus(before, result), 2 * size
        open_ones.append((size, result))
    if not open_ones:
        raise ValueError("a sum of nothing")
    _, total = open_ones.pop()
    while open_ones:
        total = plus(open_ones.pop()[1], total)
    return total


def subtrees(begin: int, end: int) -> Iterator[range]:
    """The largest whole subtrees of a tree of pairs that lie between two numbers, one after another."""
    while begin < end:
        size = begin & -begin or 1 << end.bit_length()
        while size > end - begin:
            size //= 2
        yield range(begin, begin + size)
        begin += size


class _Here(Generic[T]):
    """A shelf whose things are asked in this process, one after another."""

    over: Over

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError

    def given(self, thing: object) -> object:
        return thing

    def each(self, function: Callable[..., R], *common: object) -> list[R]:
        return [function(thing, self.over, *common) for thing in self]

    def summed(self, function: Callable[..., R], *common: object) -> R:
        return pairwise_sum(function(thing, self.over, *common) for thing in self)

    def sums(self, asked: Sequence[Asked[R]]) -> list[R]:
        return self.over(lambda one: one[1](pairwise_sum(one[0](thing, one_by_one) for thing in self)), asked)


class InMemory(_Here[T]):
    """A shelf in memory."""

    def __init__(self, things: Iterable[T], over: Over) -> None:
        self._things, self.over = list(things), over

    @property
    def where(self) -> str:
        return f"{counted(len(self), 'volume')} in memory"

    def __len__(self) -> int:
        return len(self._things)

    def __iter__(self) -> Iterator[T]:
        return iter(self._things)

    def made(self, function: Callable[..., R], *common: object) -> Shelf[R]:
        return InMemory(self.each(function, *common), self.over)


class OnDisk(_Here[T]):
    """A shelf in a folder of its own, which goes when the shelf goes; each thing is written once."""

    def __init__(self, things: Iterable[T], over: Over, beside: str | None) -> None:
        self.over, self.beside = over, beside
        target = Path(beside or tempfile.gettempdir()) / VOLUMES
        place = Place(target)
        weakref.finalize(self, place.leave)
        with translated_errors(str(target.parent)):
            place.take(target, folder=True)  # of what was killed, the next one removes it
        self.folder = str(place.path)
        self.size = sum(write_mapped(self._path(number), thing) for number, thing in enumerate(things))
        self._count = len(os.listdir(self.folder))

    @property
    def where(self) -> str:
        return f"{counted(len(self), 'volume')} on disk ({self.size // MEBIBYTE:,} MiB in {self.folder})"

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        for number in range(self._count):
            yield cast(T, read_mapped(self._path(number)))

    def made(self, function: Callable[..., R], *common: object) -> Shelf[R]:
        return OnDisk((function(thing, self.over, *common) for thing in self), self.over, self.beside)

    def _path(self, number: int) -> str:
        return os.path.join(self.folder, f"{number:06}")
