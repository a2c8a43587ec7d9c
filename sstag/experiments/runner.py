"""Trials run by a crew; their rows are kept, and a trial whose rows are kept is not run again.

The crew and the order in which trials finish change nothing: a trial depends on what it says, and the rows come back
in the order of the trials.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sstag.experiments.corpora import Corpora
from sstag.experiments.crews import Crew, MakesCrew, Outcome
from sstag.experiments.log import Kept, Log
from sstag.experiments.plan import Job, Plan, impossible_told, planned, stale_told
from sstag.experiments.provenance import code_of
from sstag.experiments.trials import Row, Trial, described, rows_of
from sstag.foundation.errors import ConfigError, DataError, SstagError, counted
from sstag.foundation.replacing import alone


@dataclass(frozen=True)
class Progress:
    """How far a run of trials is."""

    done: int
    kept: int  # of which were found before
    total: int
    seconds_left: float  # as fast as until now, or at first as the trials expect
    running: Sequence[str]


@dataclass(frozen=True)
class Repeats:
    """Whether recorded runs that are stale run again, and whether anything may run at all."""

    agrees: Callable[[Plan], bool] = lambda plan: True  # whether the stale runs of a plan run again
    report_only: bool = False


def checked(plan: Plan, repeats: Repeats, log: Log) -> None:
    """Refuses a plan that cannot be followed: nothing has run yet."""
    if repeats.report_only and (left := len(plan.jobs) - len(plan.kept)):
        raise ConfigError(
            f"{log.path}: {left:,} of {counted(len(plan.jobs), 'run')} are not recorded: without --report-only they run"
        )
    if plan.impossible:
        raise ConfigError(f"{impossible_told(plan)}: install or fetch that first; nothing was run")
    if plan.stale and not repeats.agrees(plan):
        # What other files have found is another run, which no page of these files can have.
        is_whole = not plan.new and plan.stale.keys() <= log.found().keys()
        as_recorded = "; --report-only writes the page as recorded" if is_whole else ""
        raise ConfigError(f"{log.path}: {stale_told(plan)}. --again runs them again{as_recorded}")


def results(
    trials: Sequence[Trial],
    corpora: Corpora,
    version: int,
    log: Log,
    makes_crew: MakesCrew,
    tell: Callable[[Progress], None],
) -> list[list[Row]]:
    """The rows of each trial, every row with the settings of its trial; all that is stale runs again."""
    plan = planned(trials, corpora, version, log)
    return rows_in(plan, done(plan, corpora, log, makes_crew, tell))


def rows_in(plan: Plan, kept: Mapping[str, Kept]) -> list[list[Row]]:
    """The rows of each trial of a plan, every row with the settings of its trial."""
    return [rows_of(job.trial, kept[job.key].rows) for job in plan.trials]


def done(
    plan: Plan, corpora: Corpora, log: Log, makes_crew: MakesCrew, tell: Callable[[Progress], None]
) -> Mapping[str, Kept]:
    """The runs of all trials of a plan, kept or new, by key. An interruption loses no finished trial."""
    with alone(Path(log.path)) as ours:
        if not ours:
            raise DataError("another process is running this experiment into the same folder", log.path)
        return _done(plan, corpora, log, makes_crew, tell)


def _done(
    plan: Plan, corpora: Corpora, log: Log, makes_crew: MakesCrew, tell: Callable[[Progress], None]
) -> Mapping[str, Kept]:
    jobs, kept = plan.jobs, dict(plan.kept)
    urgent = _urgencies(list(jobs.values()))
    waiting = sorted((job for key, job in jobs.items() if key not in kept), key=lambda job: -urgent[job.key])
    finished: list[Job] = []
    began = time.monotonic()

    def progress(crew: Crew, busy: Sequence[Job]) -> Progress:
        left = sum(job.trial.cost for job in (*waiting, *busy))
        work = sum(job.trial.cost for job in finished)
        speed = work / (time.monotonic() - began) if finished else crew.size
        running = [described(job.trial) for job in busy]
        return Progress(len(kept), len(plan.kept), len(jobs), left / speed, running)

    with makes_crew(len(waiting), corpora) as crew:
        busy: dict[str, Job] = {}
        while waiting or busy:
            ready = [job for job in waiting if all(need.key in kept for need in job.needs)]
            for job in _startable(ready, list(busy.values()))[: crew.size - len(busy)]:
                crew.begin(job.key, (job.trial, [rows_of(need.trial, kept[need.key].rows) for need in job.needs]))
                busy[job.key] = job
                waiting.remove(job)
            tell(progress(crew, list(busy.values())))
            for key, outcome in crew.finished():
                job = busy.pop(key)
                rows, seconds = _rows(outcome, job.trial)
                finished.append(job)
                kept[key] = Kept(rows, code_of(job.trial.function))
                log.add(key, job.trial, kept[key], seconds)
    log.put_in_order([(key, job.trial, kept[key]) for key, job in jobs.items()])
    return kept


def _startable(ready: Sequence[Job], busy: Sequence[Job]) -> Sequence[Job]:
    """The trials that can begin now; one that has to be alone waits for all that run, and no later one overtakes it."""
    if any(one.trial.alone for one in busy):
        return []
    first = next((place for place, one in enumerate(ready) if one.trial.alone), len(ready))
    return ready[:first] if first or busy else ready[:1]


def _urgencies(jobs: Sequence[Job]) -> dict[str, float]:
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
