"""A cluster as shelves see it: its workers, what all of them are given, and whether they are still there."""

import logging
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, TypeVar

from sstag.foundation.errors import SstagError, counted
from sstag.interfaces.cluster.at_worker import Parcel, copied, explained
from sstag.interfaces.cluster.dispatch import Lost
from sstag.interfaces.cluster.wanted import TIMEOUT

if TYPE_CHECKING:
    from distributed import Client, Future

R = TypeVar("R")
SMALL = bool, int, float, str, type(None)
ATTEMPTS = 8  # at a step in which workers are lost
SILENT = 10.0  # seconds that a worker was heard less than another one
TWICE = 2  # a worker that is late as often as this is given nothing more
TAKEN = 30.0  # seconds that it may take until a worker has what it is sent
AGAIN = 0.5  # seconds before whatever was lost is asked for again

log = logging.getLogger("sstag")


class ClusterLost(SstagError):
    """A cluster that does not answer any more."""


class Sent:
    """A thing that all workers are given: it goes from the client to one of them, and from each on to others."""

    def __init__(self, cluster: "Cluster", thing: object) -> None:
        self.thing, self._cluster = thing, cluster
        self._at: dict[str, Future] = {}  # the first is where it was sent to

    def at(self, worker: str) -> "Future":
        """The thing as a task of a worker is given it."""
        if not self._at:
            self._spread()
        if worker not in self._at:
            self._at[worker] = self._cluster.submit(worker, copied, next(iter(self._at.values())))
        return self._at[worker]

    def forget(self) -> None:
        """Begins anew, since a worker that had it may be lost."""
        self._at = {}

    def _spread(self) -> None:
        """To all workers; each gives it to two at most, at the same time, since Dask asks for all at once."""
        workers = [*self._cluster.steady_slots()]
        self._at[workers[0]] = self._cluster.scattered(Parcel(self.thing), workers[0])
        for place in range(1, len(workers)):
            giver = workers[(place - 1) // 2]
            self._at[workers[place]] = self._cluster.submit(workers[place], copied, self._at[giver])


class Cluster:
    """A client, and whatever is known of its workers."""

    def __init__(self, client: "Client", timeout: int = TIMEOUT) -> None:
        self.client, self.timeout = client, timeout
        self.onward = "the same command begins again"  # said to somebody whose cluster is lost
        self.paces: dict[str, float] = {}  # of each kind of jobs, the seconds that a volume took at most
        self.late: dict[str, list[Future]] = {}  # workers, and what they still have to do
        self._times_late: dict[str, int] = {}
        self._sent: weakref.WeakValueDictionary[int, Sent] = weakref.WeakValueDictionary()  # by identity

    def slots(self) -> dict[str, int]:
        """The workers that are there, in order, and how many tasks each does at a time."""
        return {worker: threads for worker, (threads, _) in self._workers().items()}

    @property
    def workers(self) -> list[str]:
        """The workers that are there, in order."""
        return [*self.slots()]

    def steady_slots(self) -> dict[str, int]:
        """The workers on which one may count; waits for one, if there is none."""
        until = time.monotonic() + self.timeout
        slots = self.slots()
        if not slots:
            log.warning(f"no worker is left: waiting for one, {self.timeout} seconds at most")
        while not slots:
            if time.monotonic() > until:
                raise self._lost(f"no worker is left, and none came in {counted(self.timeout, 'second')}")
            time.sleep(0.2)
            self.check_running()
            slots = self.slots()
        silent = self.silent()
        for worker, rest in [*self.late.items()]:
            recovered = worker not in silent and all(one.done() for one in rest)
            if worker not in slots or (recovered and self._times_late[worker] < TWICE):
                del self.late[worker]
        return {worker: threads for worker, threads in slots.items() if worker not in self.late} or slots

    def is_late(self, worker: str, rest: "list[Future]") -> None:
        """Counts no more on a worker until it has done the rest of its work."""
        self.late[worker] = rest
        self._times_late[worker] = self._times_late.get(worker, 0) + 1
        log.warning(f"worker {worker} is late: others do its work")
        self._forget()

    def silent(self) -> set[str]:
        """The workers that have not been heard for long, while others were."""
        heard = {worker: when for worker, (_, when) in self._workers().items()}
        return {worker for worker, when in heard.items() if when < max(heard.values()) - SILENT}

    def sent(self, thing: object) -> "Future":
        """A thing that tasks of any worker take."""
        (future,) = self.client.scatter([Parcel(thing)], broadcast=True, hash=False)
        return future

    def common(self, thing: object) -> object:
        """A thing as tasks take it; of a large one every worker has a copy while the result of this is kept."""
        if isinstance(thing, (*SMALL, Sent)):
            return thing
        sent = self._sent.get(id(thing))
        if sent is None:
            sent = self._sent[id(thing)] = Sent(self, thing)
        return sent

    def submit(self, worker: str, function: Callable[..., object], *arguments: object) -> "Future":
        """A task of one worker."""
        return self.client.submit(function, *arguments, workers=[worker], pure=False)

    def scattered(self, thing: object, worker: str) -> "Future":
        """A thing at a worker; `Lost` if the worker does not take it."""

        async def send() -> "list[Future]":
            futures: list[Future] = await self.client.scatter([thing], workers=[worker], hash=False, asynchronous=True)
            return futures

        try:
            (future,) = self.client.sync(send, callback_timeout=TAKEN)
        except TimeoutError as error:
            self.is_late(worker, [])
            raise Lost from error
        return future

    def gathered(self, futures: "Sequence[Future]") -> list[R]:
        """Results that are there."""
        found: list[R] = self.client.gather(list(futures))
        return found

    def check(self, future: "Future") -> None:
        """Raises what went wrong with a task."""
        from distributed.scheduler import KilledWorker

        if future.status == "error" and not isinstance(error := future.exception(), KilledWorker):
            if isinstance(error, OSError):
                raise SstagError(f"a worker cannot go on: {error}") from error
            raise explained(error)
        if future.status != "finished":
            raise Lost

    def check_running(self) -> None:
        """Raises an error if the scheduler does not answer any more."""
        if self.client.status != "running":
            raise self._lost("the scheduler does not answer any more")

    def steadily(self, ask: Callable[[], R]) -> R:
        """The result of a function, which is asked again if workers are lost meanwhile."""
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        for _ in range(ATTEMPTS):
            try:
                return ask()
            except (Lost, CancelledError, KilledWorker, CommClosedError, OSError, TimeoutError):
                time.sleep(AGAIN)
                self.check_running()
                self._forget()
        raise self._lost(f"workers were lost {ATTEMPTS} times at one step")

    def _forget(self) -> None:
        """Sends everything anew, since nobody knows whether those who had it still give it."""
        for sent in [*self._sent.values()]:
            sent.forget()

    def _workers(self) -> dict[str, tuple[int, float]]:
        """The workers, how many tasks each does at a time, and when each was heard."""
        found = self.client.scheduler_info(n_workers=-1)
        if "workers" not in found:  # as it is while the scheduler does not answer
            raise Lost
        return {
            worker: (about["nthreads"], about["last_seen"])
            for worker, about in sorted(found["workers"].items())
            if about["status"] == "running"
        }

    def _lost(self, what: str) -> ClusterLost:
        return ClusterLost(f"{what}; {self.onward}")
