"""Trials, which are runs that depend on their settings alone; and experiments: trials and the report on them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol, TypeAlias

from sstag.experiments.corpora import Corpora
from sstag.experiments.page import Block
from sstag.foundation.json_values import Json

KEYS = "0.1.0"  # the release of the first keys; what a later one changes is told by the versions of experiments
Row: TypeAlias = dict[str, Any]  # what a trial finds is rows of JSON values


class Runs(Protocol):
    """The function of a trial: from corpora, the rows of other trials and settings to rows."""

    def __call__(self, corpora: Corpora, needed: Sequence[Sequence[Row]], /, **settings: Json) -> list[Row]: ...


@dataclass(frozen=True, eq=False)
class Trial:
    """One run: `function(corpora, needed, **settings) → rows` depends on nothing but the fields of the trial."""

    function: str  # module:name
    settings: Mapping[str, Json]
    data: Sequence[str] = ()  # the files it reads, as `Corpora` names them
    needs: Sequence["Trial"] = ()  # other trials, whose rows it is given
    cost: float = 1.0  # about how many seconds it takes, which only the order of work and the time left depend on
    alone: bool = False  # it measures time, so no other trial may run beside it
    packages: Sequence[str] = ()  # what it imports that need not be installed, and is no part of its key


@dataclass(frozen=True)
class Section:
    """Some trials and the report on them: a function from their rows, with the settings, to blocks of the page."""

    trials: Sequence[Trial]
    report: Callable[[list[Row]], Iterable[Block]]


@dataclass(frozen=True)
class Experiment:
    """The trials of a paper, and the page that they fill."""

    title: str
    sections: Sequence[Section]
    absent: Sequence[str] = ()  # files that are not there: what needs them runs on generated text
    deviations: Sequence[tuple[str, str, str]] = ()  # what differs from the paper: what, there, here
    left_out: Sequence[str] = ()  # files and packages that are not there: the trials that need them are left out


def key_of(trial: Trial, digest: Callable[[str], str], version: int) -> str:
    """A hash of everything that a trial depends on: settings, bytes of corpora, the trials it needs, and a version."""
    needs = [key_of(one, digest, version) for one in trial.needs]
    files = {name: digest(name) for name in trial.data}
    said = [KEYS, version, trial.function, dict(trial.settings), files, needs]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def rows_of(trial: Trial, found: Sequence[Row]) -> list[Row]:
    """The rows that a trial found, each with the settings of the trial."""
    return [{**trial.settings, **row} for row in found]


def described(trial: Trial) -> str:
    """A trial in one line."""
    said = " ".join(f"{name}={value}" for name, value in trial.settings.items() if isinstance(value, str | int | float))
    return f"{trial.function.rpartition(':')[2]} {said}"
