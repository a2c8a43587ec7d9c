"""A shelf on a cluster: a volume belongs to a worker, which looks at it, and adds up what it and its neighbours give.

Dask's scheduler, transport and resilience do all of it. A volume is a future that knows how it was made, from the file
on: if its worker is lost, another one makes it again. What is common to all volumes, such as θ, is sent to every worker
once, past the scheduler; what comes back is a sum.
"""

import pickle
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from sstag.foundation.errors import SstagError, counted
from sstag.foundation.parallel import one_by_one
from sstag.foundation.shelves import Shelf, pairwise_sum

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
R = TypeVar("R")
SMALL = bool, int, float, str, type(None)
ATTEMPTS = 4  # at a step in which workers are lost


class Parcel:
    """A thing on its way between machines, or at a worker; its arrays arrive where numbers may stand in memory."""

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __reduce__(self) -> tuple[Callable[[bytes], "Parcel"], tuple[bytes]]:
        return _opened, (pickle.dumps(self.thing, protocol=5),)


def _opened(data: bytes) -> Parcel:
    return Parcel(pickle.loads(data))


class ClusterLost(SstagError):
    """A cluster that does not answer any more."""


class Cluster:
    """A client, and whatever its workers have been given."""

    def __init__(self, client: "Client") -> None:
        self.client = client
        self._given: dict[int, tuple[object, Future]] = {}  # by identity, which holds while the thing is kept

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers that are there, in order."""
        return sorted(self.client.scheduler_info(n_workers=-1)["workers"])

    @property
    def slots(self) -> int:
        """How many tasks run at a time."""
        slots: int = max(sum(self.client.nthreads().values()), 1)
        return slots

    def lasting(self, thing: object) -> object:
        """A thing as tasks take it: of a large one, every worker has it until the cluster is left."""
        if isinstance(thing, SMALL):
            return thing
        if id(thing) not in self._given:
            self._given[id(thing)] = thing, self.sent(thing)
        return self._given[id(thing)][1]

    def sent(self, thing: object) -> "Future":
        """A thing that every worker has, while this is kept."""
        (future,) = self.client.scatter([Parcel(thing)], broadcast=True, hash=False)
        return future

    def gathered(self, ask: Callable[[], R]) -> R:
        """The results of tasks that a function submits; again, if workers are lost meanwhile."""
        from distributed.client import FutureCancelledError
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        for attempt in range(ATTEMPTS):
            try:
                result: R = self.client.gather(ask())
                return result
            except (FutureCancelledError, KilledWorker, CommClosedError, OSError, TimeoutError) as error:
                if self.client.status != "running" or attempt == ATTEMPTS - 1:
                    raise ClusterLost(
                        f"the cluster does not answer any more ({type(error).__name__}); with --checkpoint the same "
                        "command goes on from there"
                    ) from error
                self._given = {key: (thing, self.sent(thing)) for key, (thing, _) in self._given.items()}
        raise AssertionError


class OnCluster(Generic[T]):
    """A shelf whose things are with the workers of a cluster."""

    def __init__(self, cluster: Cluster, futures: Sequence["Future"]) -> None:
        self.cluster, self._futures = cluster, list(futures)

    @property
    def where(self) -> str:
        return f"{counted(len(self), 'volume')} with {counted(len(self.cluster.workers), 'worker')}"

    def __len__(self) -> int:
        return len(self._futures)

    def each(self, function: Callable[..., R], *common: object) -> list[R]:
        return self.cluster.gathered(lambda: self._asked(function, common))

    def made(self, function: Callable[..., R], *common: object) -> Shelf[R]:
        of = [self.cluster.lasting(one) for one in common]
        client = self.cluster.client
        futures = [client.submit(_made, function, one, *of, pure=False) for one in self._futures]
        return OnCluster(self.cluster, futures)

    def summed(self, function: Callable[..., R], *common: object) -> R:
        result: R = self.cluster.gathered(lambda: self._summed(function, common))
        return result

    def _asked(self, function: Callable[..., object], common: Sequence[object]) -> "list[Future]":
        of, client = self._sent(common), self.cluster.client
        return [client.submit(_asked, function, one, *of, pure=False) for one in self._futures]

    def _summed(self, function: Callable[..., object], common: Sequence[object]) -> "Future":
        """The root of a tree over the volumes: a task for each whole subtree, and one for each pair above these."""
        of, client = self._sent(common), self.cluster.client
        size = 1 << max(len(self) // self.cluster.slots, 1).bit_length() - 1  # a power of two
        groups = [self._futures[begin : begin + size] for begin in range(0, len(self), size)]
        sums = [client.submit(_subtree, function, group, *of, pure=False) for group in groups]
        while len(sums) > 1:
            pairs = [sums[begin : begin + 2] for begin in range(0, len(sums), 2)]
            sums = [client.submit(pairwise_sum, pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
        return sums[0]

    def _sent(self, common: Sequence[object]) -> list[object]:
        return [one if isinstance(one, SMALL) else self.cluster.sent(one) for one in common]


def _asked(function: Callable[..., R], one: Parcel, *common: object) -> R:
    return function(one.thing, one_by_one, *map(_unpacked, common))


def _made(function: Callable[..., object], one: Parcel, *common: object) -> Parcel:
    return Parcel(_asked(function, one, *common))


def _subtree(function: Callable[..., R], some: Sequence[Parcel], *common: object) -> R:
    return pairwise_sum(_asked(function, one, *common) for one in some)


def _unpacked(thing: object) -> object:
    return thing.thing if isinstance(thing, Parcel) else thing
