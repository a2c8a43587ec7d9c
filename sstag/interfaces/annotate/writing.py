"""One thread that writes: transactions which come while it is busy are on disk together, by one sync.

A sync takes longer than all else in a transaction, so many annotators wait no longer than one. Each piece of work is
whole or absent: it has a savepoint of its own. What the file keeps beside it (its WAL) is brought into it by another
thread, so that no answer waits for that.
"""

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TypeVar, cast

from sstag.interfaces.annotate.connecting import Limited

T = TypeVar("T")
TOGETHER = 100  # pieces of work in a transaction
SYNCS = 200  # transactions after which the WAL is brought in


@dataclass(frozen=True)
class _Job:
    work: Callable[[sqlite3.Connection], object]
    done: "Future[object]" = field(default_factory=Future)


class Writer:
    """The only connection that writes to a file, with a thread of its own."""

    def __init__(self, file: Limited, beside: Limited) -> None:
        self._file, self._beside = file, beside
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._open = Lock()
        self._closed = False
        self._full = Event()
        file.execute("pragma wal_autocheckpoint = 0")
        self._threads = [Thread(target=work, name="writing", daemon=True) for work in (self._write, self._bring_in)]
        for thread in self._threads:
            thread.start()

    def done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of some work in a transaction, when that is on disk."""
        job = _Job(work)
        with self._open:
            if self._closed:
                raise sqlite3.ProgrammingError("the file is closed")
            self._jobs.put(job)
        return cast(T, job.done.result())

    def close(self) -> None:
        """Ends the threads, after all work that has come."""
        with self._open:
            self._closed = True
            self._jobs.put(None)
        self._threads[0].join()
        self._full.set()
        self._threads[1].join()
        self._beside.close()
        self._file.close()

    def _write(self) -> None:
        syncs = 0
        while (first := self._jobs.get()) is not None:
            jobs, last = [first], False
            while len(jobs) < TOGETHER:
                try:
                    job = self._jobs.get_nowait()
                except Empty:
                    break
                if job is None:
                    last = True
                    break
                jobs.append(job)
            _transaction(self._file, jobs)
            syncs += 1
            if syncs % SYNCS == 0:
                self._full.set()
            if last:
                return

    def _bring_in(self) -> None:
        while True:
            self._full.wait()
            if self._closed:
                return
            self._full.clear()
            self._beside.limit()
            with suppress(sqlite3.Error):  # a disk that is full: the next time there may be room
                self._beside.execute("pragma wal_checkpoint(passive)")


def _transaction(file: Limited, jobs: list[_Job]) -> None:
    """Does some work, and says so when it is on disk; a piece that fails takes back nothing but itself."""
    outcomes: list[tuple[_Job, object, BaseException | None]] = []
    try:
        file.limit()
        file.execute("begin immediate")
        for job in jobs:
            file.execute("savepoint job")
            try:
                outcomes.append((job, job.work(file), None))
            except Exception as error:  # of whoever asked for it, who gets it
                if not file.in_transaction:
                    raise  # a disk that is full takes all of it back
                file.execute("rollback to job")
                outcomes.append((job, None, error))
            file.execute("release job")
        file.execute("commit")
    except sqlite3.Error as error:
        if file.in_transaction:
            file.execute("rollback")
        for job in jobs:
            job.done.set_exception(error)
        return
    for job, result, failure in outcomes:
        if failure is None:
            job.done.set_result(result)
        else:
            job.done.set_exception(failure)
