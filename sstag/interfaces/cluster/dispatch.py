"""Jobs of workers: each is done where its volumes are; if its worker is late another one does it as well.

Whoever is first counts, which is no matter of chance for the result: a job has the same bytes wherever it is done.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Future

    from sstag.interfaces.cluster.common import Cluster

TICK = 0.5  # seconds between two looks at those who work
LATE = 3.0  # times as long as others take
LEAST = 5.0  # seconds that nobody is late


class Lost(Exception):
    """A worker is lost, and what it had."""


@dataclass(frozen=True)
class Job:
    """Some work for a worker."""

    worker: str
    size: int  # things
    usual: bool  # whether it takes as long as others of its size
    begin: "Callable[[str], Future]"  # it by a worker


class Jobs:
    """Some jobs, and how far they are."""

    def __init__(self, cluster: "Cluster", kind: str, jobs: Sequence[Job]) -> None:
        self._cluster, self._kind, self._jobs = cluster, kind, jobs
        self._running: dict[Future, tuple[int, str]] = {}
        self._done: dict[int, tuple[Future, str]] = {}
        self._heard: dict[str, float] = {}  # when a worker began, or finished something
        for number, job in enumerate(jobs):
            self._begin(number, job.worker)

    def futures(self) -> "list[Future]":
        """The jobs when all are done."""
        while len(self._done) < len(self._jobs):
            if self._wait():
                continue
            self.check_alive()
            for worker in {worker for _, worker in self._running.values()}:
                if self._is_late(worker):
                    self._begin_elsewhere(worker)
        return [self._done[number][0] for number in range(len(self._jobs))]

    def check_alive(self) -> None:
        """Raises `Lost` if a worker that is needed is not there any more."""
        alive = self._cluster.slots()
        if not {worker for _, worker in (*self._running.values(), *self._done.values())} <= alive.keys():
            raise Lost

    def check_heard(self) -> None:
        """Raises `Lost` if a worker that has results does not give a sign of life."""
        silent = self._cluster.silent() & {worker for _, worker in self._done.values()} - self._cluster.late.keys()
        for worker in silent:
            self._cluster.is_late(worker, [])
        if silent:
            raise Lost

    def _begin(self, number: int, worker: str) -> None:
        self._heard.setdefault(worker, time.monotonic())
        self._running[self._jobs[number].begin(worker)] = number, worker

    def _wait(self) -> bool:
        """Waits until a job is done, but no longer than a tick; whether one is."""
        came = waited(self._cluster, [*self._running], "FIRST_COMPLETED")
        now = time.monotonic()
        for future in [one for one in self._running if one.done()]:
            number, worker = self._running.pop(future)
            self._cluster.check(future)
            self._done.setdefault(number, (future, worker))
            if (job := self._jobs[number]).usual:
                pace = (now - self._heard[worker]) / job.size
                self._cluster.paces[self._kind] = max(pace, self._cluster.paces.get(self._kind, 0.0))
            self._heard[worker] = now
        for future, (number, _) in [*self._running.items()]:
            if number in self._done:
                del self._running[future]
        return came

    def _is_late(self, worker: str) -> bool:
        """Whether a worker takes much longer for something than any took so far."""
        pace = self._cluster.paces.get(self._kind)
        if pace is None or worker in self._cluster.late:
            return False
        size = max(self._jobs[number].size for number, who in self._running.values() if who == worker)
        return time.monotonic() - self._heard[worker] > max(LEAST, LATE * pace * size)

    def _begin_elsewhere(self, late: str) -> None:
        """Others do whatever a late worker was to do, also what it did: nobody knows whether it still gives that."""
        others = [worker for worker in self._cluster.slots() if worker not in self._cluster.late and worker != late]
        if not others:
            return
        self._cluster.is_late(late, [future for future, (_, worker) in self._running.items() if worker == late])
        again = [number for number, worker in self._running.values() if worker == late]
        for number in [number for number, (_, worker) in self._done.items() if worker == late]:
            del self._done[number]
            again.append(number)
        for place, number in enumerate(again):
            self._begin(number, others[place % len(others)])


def waited(cluster: "Cluster", futures: "Sequence[Future]", when: str = "ALL_COMPLETED") -> bool:
    """Waits for futures, but no longer than a tick; whether they came."""
    from distributed import wait

    cluster.check_running()
    try:
        with cluster.client.as_current():
            wait(futures, timeout=TICK, return_when=when)
    except TimeoutError:
        return False
    except CancelledError as error:
        raise Lost from error
    return True
