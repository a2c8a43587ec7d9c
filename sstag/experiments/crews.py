"""Crews: who runs trials, several at a time. Usually they are processes of this machine, of one thread each."""

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Protocol, TypeAlias

from sstag.experiments.corpora import Corpora
from sstag.experiments.trials import Row, Runs, Trial, described
from sstag.foundation.child_python import safe_children
from sstag.foundation.errors import SstagError
from sstag.foundation.parallel import NO_THREAD
from sstag.foundation.registry import Where, registered

Work: TypeAlias = tuple[Trial, list[list[Row]]]  # a trial, and the rows of those that it needs
Outcome: TypeAlias = tuple[str, list[Row] | str, float]  # rows, a mistake or the traceback of a bug; and seconds


class Crew(Protocol):
    """Somebody who runs trials."""

    @property
    def size(self) -> int:
        """How many trials run at a time."""

    def begin(self, key: str, work: Work) -> None:
        """Begins with a trial; no more than `size` are begun and not finished."""

    def finished(self) -> list[tuple[str, Outcome]]:
        """The trials that are finished, by their keys; it waits up to a second for one."""


MakesCrew: TypeAlias = Callable[[int, Corpora], AbstractContextManager[Crew]]  # for so many trials


class _Processes:
    """Processes that wait for trials."""

    def __init__(self, workers: "Sequence[tuple[BaseProcess, Connection[Work, Outcome]]]") -> None:
        self.size = len(workers)
        self._idle = list(workers)
        self._busy: dict[Connection[Work, Outcome], tuple[str, Trial, BaseProcess]] = {}

    def begin(self, key: str, work: Work) -> None:
        process, pipe = self._idle.pop()
        pipe.send(work)
        self._busy[pipe] = key, work[0], process

    def finished(self) -> list[tuple[str, Outcome]]:
        ready = wait([*self._busy], timeout=1.0)
        return [self._answer(pipe) for pipe in [*self._busy] if pipe in ready]

    def _answer(self, pipe: "Connection[Work, Outcome]") -> tuple[str, Outcome]:
        key, trial, process = self._busy.pop(pipe)
        try:
            found = pipe.recv()
        except (EOFError, ConnectionResetError) as error:
            process.join()
            raise SstagError(f"{described(trial)}: its process ended with code {process.exitcode} (memory?)") from error
        self._idle.append((process, pipe))
        return key, found


def in_processes(count: int) -> MakesCrew:
    """A crew of so many processes of this machine, or fewer if there are fewer trials."""
    return partial(_processes, count)


@contextmanager
def _processes(most: int, trials: int, corpora: Corpora) -> Iterator[Crew]:
    """They end with the block, whatever they are at."""
    context = get_context("spawn")  # a fork would copy threads and locks in any state
    workers = []
    try:
        with safe_children():
            for _ in range(min(most, trials)):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, corpora), daemon=True)
                try:
                    process.start()
                except OSError as error:
                    raise SstagError(f"{NO_THREAD}; --processes 1 needs one more") from error
                theirs.close()
                workers.append((process, ours))
        yield _Processes(workers)
    finally:
        for process, _ in workers:
            process.terminate()
        for process, _ in workers:
            process.join()


def _work(pipe: "Connection[Outcome, Work]", corpora: Corpora) -> None:
    """Runs the trials that come through the pipe until its other end is closed."""
    try:
        Thread(target=_end_with_parent, daemon=True).start()
    except RuntimeError as error:
        sys.exit(f"{NO_THREAD} ({error})")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the one that asked decides
    while True:
        try:
            trial, needed = pipe.recv()
            pipe.send(outcome(trial, needed, corpora))
        except (EOFError, BrokenPipeError):
            return


def _end_with_parent() -> None:
    """Ends this process when its parent has ended: a parent that is killed cannot end its children."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def outcome(trial: Trial, needed: list[list[Row]], corpora: Corpora) -> Outcome:
    """Runs a trial; whatever goes wrong is told in words, because errors of any kind may not reach other processes."""
    began = time.process_time()
    try:
        rows = registered(Where[Runs](trial.function))(corpora, needed, **trial.settings)
        as_read = json.loads(json.dumps(rows, allow_nan=False))  # from the log
        return "rows", as_read, time.process_time() - began
    except SstagError as error:
        return "mistake", str(error), 0.0
    except Exception:
        return "bug", traceback.format_exc(), 0.0
