"""Jobs that the workers of a cluster do side by side: results in the order of the jobs, and how far all of them are."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import get_ident
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from sstag.foundation.errors import SstagError, counted
from sstag.interfaces.cluster.at_worker import Parcel, explained
from sstag.interfaces.cluster.common import ATTEMPTS, Cluster, ClusterLost

if TYPE_CHECKING:
    from distributed import Future

J = TypeVar("J")
R = TypeVar("R")
PAUSE = 0.5  # seconds from one word of a worker to the next
LOG = logging.getLogger("sstag")
Heard = Callable[[int], None]  # is told how many tokens a job has done


@dataclass
class Tally:
    """How far the jobs of a cluster are, as one line says it."""

    jobs: int
    workers: int
    tell: Callable[[str], None]
    done: int = 0
    tokens: dict[int, int] = field(default_factory=dict)  # of each job
    began: float = field(default_factory=time.monotonic)

    def show(self) -> None:
        tokens = sum(list(self.tokens.values()))
        speed = tokens / max(time.monotonic() - self.began, 0.001)
        parts = f"{self.done:,} of {counted(self.jobs, 'part')}, {counted(self.workers, 'worker')}"
        self.tell(f"{tokens:,} tokens, {speed:,.0f} a second; {parts}")


def each_done(
    cluster: Cluster, function: Callable[..., R], jobs: Sequence[J], common: object, tell: Callable[[str], None]
) -> list[R]:
    """The results of `function(job, common, heard)`, which is called by some worker.

    Of several faults the one of the first job is raised, as on one machine; later jobs are not begun any more then. A
    job that loses its worker is done again.
    """
    topic = f"sstag-{uuid4()}"
    tally, client = Tally(len(jobs), len(cluster.workers), tell), cluster.client

    def heard(event: tuple[float, dict[str, int]]) -> None:
        tally.tokens[event[1]["job"]] = event[1]["tokens"]

    client.subscribe_topic(topic, heard)
    results: dict[int, R] = {}
    try:
        for attempt in range(ATTEMPTS):
            sent = cluster.sent(common)
            left = [number for number in range(len(jobs)) if number not in results]
            futures = {
                client.submit(_done, function, number, jobs[number], sent, topic, pure=False, priority=-number): number
                for number in left
            }
            try:
                if _gathered(futures, results, tally):
                    return [results[number] for number in range(len(jobs))]
            finally:
                client.cancel(list(futures))
            if client.status != "running" or attempt == ATTEMPTS - 1:
                break
        raise ClusterLost("the cluster does not answer any more: nothing is written; the same command begins again")
    finally:
        client.unsubscribe_topic(topic)


def _gathered(futures: "dict[Future, int]", results: dict[int, R], tally: Tally) -> bool:
    """Whether all results came; what is lost with the cluster did not, and a fault is raised."""
    faults: dict[int, BaseException] = {}
    complete = True
    for future in _as_finished(futures, tally):
        number = futures[future]
        if future.status == "finished":
            results[number], tally.tokens[number], notices = future.result()
            for notice in notices:
                LOG.warning("%s", notice)
            tally.done = len(results)
        elif future.status == "error":
            faults[number] = future.exception()
            for later, place in futures.items():
                if place > number and not later.done():
                    later.cancel()
        elif not any(number > place for place in faults):
            complete = False
    if faults:
        raise _told(faults[min(faults)])
    return complete


def _as_finished(futures: "dict[Future, int]", tally: Tally) -> "Iterator[Future]":
    """Futures as they finish, whichever way; meanwhile the line says how far all are."""
    finished: SimpleQueue[Future] = SimpleQueue()
    for future in futures:
        future.add_done_callback(finished.put)
    for _ in futures:
        while True:
            tally.show()
            try:
                future = finished.get(timeout=PAUSE)
                break
            except Empty:
                pass
        yield future


def _told(fault: BaseException) -> BaseException:
    from distributed.scheduler import KilledWorker

    if isinstance(fault, KilledWorker):
        return SstagError(f"a part of the work ended {ATTEMPTS} workers, one after another (memory?): {fault}")
    return explained(fault)


def _done(function: Callable[..., R], number: int, job: object, common: Parcel, topic: str) -> tuple[R, int, list[str]]:
    """The result of a job, how many tokens it had, and its warnings; a worker calls this."""
    from distributed import get_worker

    worker, said, done = get_worker(), 0.0, 0

    def heard(tokens: int) -> None:
        nonlocal said, done
        done = tokens
        if time.monotonic() - said > PAUSE:
            said = time.monotonic()
            worker.log_event(topic, {"job": number, "tokens": tokens})

    with _notices() as notices:
        result = function(job, common.thing, heard)
    return result, done, notices


@contextmanager
def _notices() -> Iterator[list[str]]:
    """The warnings of this thread, which are for whoever asked for the job."""
    found: list[str] = []
    thread = get_ident()

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == thread:
                found.append(record.getMessage())

    handler = Kept(logging.WARNING)
    LOG.addHandler(handler)
    try:
        yield found
    finally:
        LOG.removeHandler(handler)
