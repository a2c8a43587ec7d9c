"""Trials run by a crew; their rows are kept, and a trial whose rows are kept is not run again.

The crew and the order in which trials finish change nothing: a trial depends on what it says, and the rows come back
in the order of the trials.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sstag.experiments.corpora import Corpora
from sstag.experiments.crews import Crew, MakesCrew, Outcome
from sstag.experiments.log import Kept, Log
from sstag.experiments.provenance import code_of
from sstag.experiments.trials import Row, Trial, described, in_order, key_of, rows_of
from sstag.foundation.errors import SstagError


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


def results(
    trials: Sequence[Trial],
    corpora: Corpora,
    version: int,
    log: Log,
    makes_crew: MakesCrew,
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

    def progress(crew: Crew, busy: Sequence[_Job]) -> Progress:
        left = sum(one.trial.cost for one in (*waiting, *busy))
        work = sum(one.trial.cost for one in done)
        speed = work / (time.monotonic() - began) if done else crew.size
        return Progress(len(found), len(kept_before), len(jobs), left / speed, [described(one.trial) for one in busy])

    with makes_crew(len(waiting), corpora) as crew:
        busy: dict[str, _Job] = {}
        while waiting or busy:
            ready = [one for one in waiting if all(need.key in found for need in one.needs)]
            for one in _startable(ready, list(busy.values()))[: crew.size - len(busy)]:
                crew.begin(one.key, (one.trial, [rows_of(need.trial, found[need.key]) for need in one.needs]))
                busy[one.key] = one
                waiting.remove(one)
            tell(progress(crew, list(busy.values())))
            for key, outcome in crew.finished():
                one = busy.pop(key)
                found[key], seconds = _rows(outcome, one.trial)
                done.append(one)
                kept[key] = Kept(found[key], code_of(one.trial.function))
                log.add(key, one.trial, kept[key], seconds)
    log.put_in_order([(key, one.trial, kept[key]) for key, one in jobs.items()])
    return [rows_of(one, found[key_of(one, digest, version)]) for one in trials]


def _holds(kept: Kept, trial: Trial) -> bool:
    """Whether a trial that is kept would find the same today: the code that it ran is the same, or was not recorded."""
    return kept.code in ("", code_of(trial.function))


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


def _rows(found: Outcome, trial: Trial) -> tuple[list[Row], float]:
    """The rows of a trial, and its seconds of processor."""
    kind, answer, seconds = found
    if kind == "mistake":
        raise SstagError(f"{described(trial)}: {answer}")
    if isinstance(answer, str):
        raise RuntimeError(f"{described(trial)}\n{answer}")
    return answer, seconds
