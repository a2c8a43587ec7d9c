"""The part of a shelf that a worker of a cluster has, and the tasks that it is given.

A worker keeps every thing that it made in a file in its own folder, which is mapped into memory while it is looked at;
so a worker can have more than fits into its memory. Whatever is asked of a thing brings along how the thing is made,
from the file of the text on: a worker that does not have it makes it first.
"""

import errno
import os
import pickle
import tempfile
import weakref
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from sstag.foundation.errors import DataError
from sstag.foundation.mapped import read_mapped, write_mapped
from sstag.foundation.parallel import one_by_one
from sstag.foundation.shelves import pairwise_sum

R = TypeVar("R")
ABSENT = os.strerror(errno.ENOENT).lower()


class Parcel:
    """A thing on its way between machines, or at a worker; its arrays arrive where numbers may stand in memory."""

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __reduce__(self) -> "tuple[Callable[[bytes], Parcel], tuple[pickle.PickleBuffer]]":
        return _opened, (pickle.PickleBuffer(pickle.dumps(self.thing, protocol=5)),)  # which Dask sends as it is


def _opened(data: bytes) -> Parcel:
    return Parcel(pickle.loads(data))


class InFile:
    """A thing in a file in the folder of this worker, which goes when this object goes."""

    def __init__(self, thing: object) -> None:
        from distributed import get_worker

        descriptor, self._path = tempfile.mkstemp(prefix="sstag-volume-", dir=get_worker().local_directory)
        os.close(descriptor)
        weakref.finalize(self, _removed, self._path)
        write_mapped(self._path, thing)

    @property
    def thing(self) -> object:
        """The thing, mapped into memory as long as somebody holds it."""
        return read_mapped(self._path)


def _removed(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


class Made:
    """The things of a shelf that this worker has made."""

    def __init__(self) -> None:
        self.kept: dict[int, InFile] = {}


# A shelf at a worker: what it has made, the function that makes a thing of that of the shelf before it, and what this
# function is given besides. The function of the first shelf is given the number of the thing.
Level: TypeAlias = tuple[Made, Callable[..., object], Sequence[object]]


def made(levels: Sequence[Level], number: int) -> object:
    """A thing of the last of some shelves, each of which was made from the one before."""
    *before, (here, function, common) = levels
    if number not in here.kept:
        of = made(before, number) if before else number
        here.kept[number] = InFile(function(of, one_by_one, *map(unpacked, common)))
    return here.kept[number].thing


def make(numbers: Sequence[int], levels: Sequence[Level]) -> None:
    """A task: things are made, and stay."""
    for number in numbers:
        made(levels, number)


def summed(numbers: Sequence[int], levels: Sequence[Level], function: Callable[..., R], common: Sequence[object]) -> R:
    """A task: the sum of what a function finds of some things, which are a whole subtree."""
    return pairwise_sum(function(made(levels, one), one_by_one, *map(unpacked, common)) for one in numbers)


def plus(one: R, other: R) -> R:
    """A task: the sum of two sums."""
    return pairwise_sum((one, other))


def copied(thing: Parcel) -> Parcel:
    """A task: what another worker has is here as well."""
    return thing


def explained(fault: BaseException) -> BaseException:
    """A fault of a worker, as the client tells it: a relative path names something here, and nothing there."""
    path = fault.path if isinstance(fault, DataError) and fault.message == ABSENT else None
    if path and not os.path.isabs(path) and os.path.exists(path):
        return DataError(f"{ABSENT} for a worker, whose folder is another one: say the whole path", path)
    return fault


def unpacked(thing: object) -> object:
    return thing.thing if isinstance(thing, Parcel) else thing
