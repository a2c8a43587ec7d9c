"""The trials of an experiment beside the runs that a log keeps: which hold, which are stale, which cannot run here.

A recorded run holds while the code of its experiment is the same. A stale one was found by other code, by another
version or from other files. A run that cannot be made again here, because it needs a file or a package that is absent,
is kept.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from importlib.util import find_spec

from sstag.experiments.corpora import Corpora
from sstag.experiments.log import Kept, Log
from sstag.experiments.provenance import code_of
from sstag.experiments.trials import Trial, key_of
from sstag.foundation.errors import counted

MINUTE = 60.0
ABOUT_SHOWN = 3  # names of files and packages in a sentence


@dataclass(frozen=True)
class Recorded(Corpora):
    """Corpora of which some are known by their digest alone, as the page of an earlier run names them.

    A file that is absent counts as there if its digest is known, so the trials are those of the earlier run.
    """

    digests: Mapping[str, str] = field(default_factory=dict)
    first: bool = False  # whether the recorded digest of a file counts even where the file is there

    def absent(self, names: Iterable[str]) -> list[str]:
        return [name for name in super().absent(names) if name not in self.digests]

    def digest(self, name: str) -> str:
        if name in self.digests and (self.first or self.here.absent([name])):
            return self.digests[name]
        return super().digest(name)

    @property
    def here(self) -> Corpora:
        """The corpora that are really there."""
        return Corpora(self.folders)


@dataclass(frozen=True)
class Job:
    """A trial by its key."""

    key: str
    trial: Trial
    needs: Sequence["Job"]


@dataclass(frozen=True)
class Plan:
    """The trials of an experiment, and how each is found."""

    trials: Sequence[Job]  # of which the page has the rows, in its order
    jobs: Mapping[str, Job]  # these and what they need, which stands before them
    kept: Mapping[str, Kept]  # the runs that are taken from the log, by key
    stale: Mapping[str, Job]  # recorded, but they would not run the same today
    new: Mapping[str, Job]  # recorded nowhere
    impossible: Mapping[str, Sequence[str]]  # recorded nowhere, and what is absent here that they need
    absent: Mapping[str, Sequence[str]]  # kept, and what is absent here that they need
    outdated: int  # how many of the kept ones other code has found
    seconds: float  # of a processor that the stale ones take, as recorded or else as expected


def planned(trials: Iterable[Trial], corpora: Corpora, version: int, log: Log, report_only: bool = False) -> Plan:
    """The plan for some trials. If nothing may run, every recorded run is kept, whatever code has found it."""
    digests: dict[str, str] = {}

    def digest(name: str) -> str:
        if name not in digests:
            digests[name] = corpora.digest(name)
        return digests[name]

    def job(trial: Trial) -> Job:
        return Job(key_of(trial, digest, version), trial, [job(need) for need in trial.needs])

    asked = [job(trial) for trial in trials]
    jobs = {each.key: each for each in _in_order(asked)}
    before, seconds = log.found(), {key: took for key, (_, _, took) in log.made().items()}
    recorded = log.keys_by_content()
    kept, stale, new = dict[str, Kept](), dict[str, Job](), dict[str, Job]()
    impossible, absent = dict[str, Sequence[str]](), dict[str, Sequence[str]]()
    outdated, stale_seconds = 0, 0.0
    lacking = _lacking(corpora)
    for key, each in jobs.items():
        needed = lacking(each.trial)
        holds = key in before and before[key].code in ("", code_of(each.trial.function))
        if key in before and (holds or needed or report_only):
            kept[key] = before[key]
            outdated += not holds
            if needed:
                absent[key] = needed
        elif needed:
            impossible[key] = needed
        elif earlier := [key] * (key in before) or recorded.get(log.content(each.trial)):
            stale[key] = each
            stale_seconds += seconds.get(earlier[-1], each.trial.cost)
        else:
            new[key] = each
    return Plan(asked, jobs, kept, stale, new, impossible, absent, outdated, stale_seconds)


def _in_order(jobs: Iterable[Job]) -> list[Job]:
    """These jobs and what they need, which stands before them."""
    return [each for job in jobs for each in (*_in_order(job.needs), job)]


def _lacking(corpora: Corpora) -> Callable[[Trial], list[str]]:
    """A function that says which files and packages a trial needs that are absent; each is looked for once."""
    known: dict[str, bool] = {}

    def lacks_file(name: str) -> bool:
        if name not in known:
            known[name] = bool(really_absent([name], corpora))
        return known[name]

    return lambda trial: [*filter(lacks_file, trial.data), *not_installed(trial.packages)]


def really_absent(files: Iterable[str], corpora: Corpora) -> list[str]:
    """The files that are not there, also if their digests are recorded."""
    return (corpora.here if isinstance(corpora, Recorded) else corpora).absent(files)


def not_installed(packages: Iterable[str]) -> list[str]:
    """The packages that are not installed, as they are imported."""
    return [name for name in packages if find_spec(name) is None]


def uninstalled(packages: Iterable[str], corpora: Corpora) -> list[str]:
    """The packages that an experiment has to do without: runs with them may be recorded where corpora are, too."""
    return [] if isinstance(corpora, Recorded) else not_installed(packages)


def stale_told(plan: Plan) -> str:
    """How many runs are stale and what it would take to run them again."""
    return (
        f"{_share(plan.stale, plan)} were found by other code of the experiment, by another version of it or from "
        f"other files; to run them again takes about {_duration(plan.seconds)} of one processor"
    )


def kept_told(plan: Plan, report_only: bool) -> list[str]:
    """Sentences for the page about runs that are kept although they would not, or could not, be the same today."""
    sentences = []
    if plan.absent and not report_only:
        sentences.append(
            f"{_share(plan.absent, plan)} need {_names(plan.absent)}, absent where this page was written: they are "
            "kept as they were recorded."
        )
    if plan.outdated:
        sentences.append(f"{plan.outdated:,} of {len(plan.jobs):,} runs were found by other code of this experiment.")
    return sentences


def impossible_told(plan: Plan) -> str:
    """How many runs are neither recorded nor possible here, and the names that they need."""
    return f"{_share(plan.impossible, plan)} need {_names(plan.impossible)}"


def _share(runs: Sized, plan: Plan) -> str:
    return f"{len(runs):,} of {counted(len(plan.jobs), 'run')}"


def _names(needed: Mapping[str, Sequence[str]]) -> str:
    names = [*dict.fromkeys(name for names in needed.values() for name in names)]
    more = f" and {counted(len(names) - ABOUT_SHOWN, 'other')}" if len(names) > ABOUT_SHOWN else ""
    return ", ".join(names[:ABOUT_SHOWN]) + more


def _duration(seconds: float) -> str:
    minutes = seconds / MINUTE
    if minutes < 2:
        return counted(round(seconds), "second")
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"
