"""Trials run in processes of one thread each; their rows are kept, and a trial whose rows are kept is not run again.

The processes and the order in which they finish change nothing: a trial depends on what it says, and the rows come back
in the order of the trials.
"""

import json
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import TypeAlias

from sstag.experiments.corpora import Corpora
from sstag.experiments.log import Kept, Log
from sstag.experiments.provenance import code_of
from sstag.experiments.trials import Row, Runs, Trial, in_order, key_of, rows_of
from sstag.foundation.errors import SstagError
from sstag.foundation.registry import Where, registered


@dataclass(frozen=True)
class Progress:
    """How far a run of trials is."""

    done: int
    kept: int  # of which were found before
    total: int
    seconds_left: float  # as fast as until now, or at first as the trials expect
    running: Sequence[str]


@dataclass(frozen=True)
class _Job:
    """A trial by its key."""

    key: str
    trial: Trial
    needs: Sequence["_Job"]


Work: TypeAlias = tuple[Trial, list[list[Row]]]  # a trial, and the rows of those that it needs
Outcome: TypeAlias = tuple[str, list[Row] | str, float]  # rows, a mistake or the traceback of a bug; and seconds


@dataclass(frozen=True)
class _Worker:
    process: BaseProcess
    pipe: "Connection[Work, Outcome]"


def results(
    trials: Sequence[Trial],
    corpora: Corpora,
    version: int,
    log: Log,
    processes: int,
    tell: Callable[[Progress], None],
) -> list[list[Row]]:
    """The rows of each trial, every row with the settings of its trial. An interruption loses no finished trial."""
    digests: dict[str, str] = {}

    def digest(name: str) -> str:
        if name not in digests:
            digests[name] = corpora.digest(name)
        return digests[name]

    def job(trial: Trial) -> _Job:
        return _Job(key_of(trial, digest, version), trial, [job(one) for one in trial.needs])

    jobs = {one.key: one for one in map(job, in_order(trials))}
    before = log.found()
    kept = {key: before[key] for key, one in jobs.items() if key in before and _holds(before[key], one.trial)}
    found = {key: one.rows for key, one in kept.items()}
    kept_before = tuple(kept)
    urgent = _urgencies(list(jobs.values()))
    waiting = sorted((one for key, one in jobs.items() if key not in found), key=lambda one: -urgent[one.key])
    done: list[_Job] = []
    began = time.monotonic()

    def progress(busy: dict[_Worker, _Job]) -> Progress:
        left = sum(one.trial.cost for one in (*waiting, *busy.values()))
        work = sum(one.trial.cost for one in done)
        speed = work / (time.monotonic() - began) if done else processes
        return Progress(
            len(found), len(kept_before), len(jobs), left / speed, [described(one.trial) for one in busy.values()]
        )

    with _workers(min(processes, len(waiting)), corpora) as idle:
        busy: dict[_Worker, _Job] = {}
        while waiting or busy:
            ready = [one for one in waiting if all(need.key in found for need in one.needs)]
            for one in _startable(ready, list(busy.values()))[: len(idle)]:
                worker = idle.pop()
                worker.pipe.send((one.trial, [rows_of(need.trial, found[need.key]) for need in one.needs]))
                busy[worker] = one
                waiting.remove(one)
            tell(progress(busy))
            for worker in _finished(busy):
                one = busy.pop(worker)
                found[one.key], seconds = _answer(worker, one.trial)
                done.append(one)
                kept[one.key] = Kept(found[one.key], code_of(one.trial.function))
                log.add(one.key, one.trial, kept[one.key], seconds)
                idle.append(worker)
    log.put_in_order([(key, one.trial, kept[key]) for key, one in jobs.items()])
    return [rows_of(one, found[key_of(one, digest, version)]) for one in trials]


def _holds(kept: Kept, trial: Trial) -> bool:
    """Whether a trial that is kept would find the same today: the code that it ran is the same, or was not recorded."""
    return kept.code in ("", code_of(trial.function))


def described(trial: Trial) -> str:
    """A trial in one line."""
    said = " ".join(f"{name}={value}" for name, value in trial.settings.items() if isinstance(value, str | int | float))
    return f"{trial.function.rpartition(':')[2]} {said}"


def _startable(ready: Sequence[_Job], busy: Sequence[_Job]) -> Sequence[_Job]:
    """The trials that can begin now; one that has to be alone waits for all that run, and no later one overtakes it."""
    if any(one.trial.alone for one in busy):
        return []
    first = next((place for place, one in enumerate(ready) if one.trial.alone), len(ready))
    return ready[:first] if first or busy else ready[:1]


def _urgencies(jobs: Sequence[_Job]) -> dict[str, float]:
    """For each job the seconds that must still pass when it begins: its own, and those of what waits for it."""
    after = dict.fromkeys((one.key for one in jobs), 0.0)
    for one in reversed(jobs):  # what waits stands behind what it waits for
        for need in one.needs:
            after[need.key] = max(after[need.key], one.trial.cost + after[one.key])
    return {one.key: one.trial.cost + after[one.key] for one in jobs}


@contextmanager
def _workers(count: int, corpora: Corpora) -> Iterator[list[_Worker]]:
    """Processes that wait for trials; they end with the block, whatever they are at."""
    context = get_context("spawn")  # a fork would copy threads and locks in any state
    workers = []
    try:
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, corpora), daemon=True)
            process.start()
            theirs.close()
            workers.append(_Worker(process, ours))
        yield list(workers)
    finally:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()


def _work(pipe: "Connection[Outcome, Work]", corpora: Corpora) -> None:
    """Runs the trials that come through the pipe until its other end is closed."""
    Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the one that asked decides
    while True:
        try:
            trial, needed = pipe.recv()
            pipe.send(_outcome(trial, needed, corpora))
        except (EOFError, BrokenPipeError):
            return


def _end_with_parent() -> None:
    """Ends this process when its parent has ended: a parent that is killed cannot end its children."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _outcome(trial: Trial, needed: list[list[Row]], corpora: Corpora) -> Outcome:
    began = time.process_time()
    try:
        rows = registered(Where[Runs](trial.function))(corpora, needed, **trial.settings)
        as_read = json.loads(json.dumps(rows, allow_nan=False))  # from the log
        return "rows", as_read, time.process_time() - began
    except SstagError as error:
        return "mistake", str(error), 0.0
    except Exception:
        return "bug", traceback.format_exc(), 0.0


def _finished(busy: dict[_Worker, _Job]) -> list[_Worker]:
    """The workers that have an answer or have ended. It waits up to a second for one."""
    ready = wait([worker.pipe for worker in busy], timeout=1.0)
    return [worker for worker in busy if worker.pipe in ready]


def _answer(worker: _Worker, trial: Trial) -> tuple[list[Row], float]:
    """The rows of a trial, and its seconds of processor."""
    try:
        kind, answer, seconds = worker.pipe.recv()
    except (EOFError, ConnectionResetError) as error:
        worker.process.join()
        code = worker.process.exitcode
        raise SstagError(f"{described(trial)}: its process ended with code {code} (memory?)") from error
    if kind == "mistake":
        raise SstagError(f"{described(trial)}: {answer}")
    if isinstance(answer, str):
        raise RuntimeError(f"{described(trial)}\n{answer}")
    return answer, seconds
