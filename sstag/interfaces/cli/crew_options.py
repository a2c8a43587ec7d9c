"""The options that say who runs trials: processes of this machine, or the workers of a cluster; and which run again."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

import click

from sstag.interfaces.cli.cluster_options import joining_cluster
from sstag.interfaces.cli.help_sections import OTHER, options_of
from sstag.interfaces.cli.options import processors
from sstag.interfaces.cluster.wanted import Joining

if TYPE_CHECKING:
    from sstag.experiments.corpora import Corpora
    from sstag.experiments.crews import Crew

MOST = 1024


@dataclass(frozen=True)
class AskedCrew:
    """A crew that is made when there are trials for it."""

    processes: int | None
    joining: Joining | None

    def __call__(self, trials: int, corpora: "Corpora") -> "AbstractContextManager[Crew]":
        if self.joining:
            from sstag.interfaces.cluster.trials import in_cluster

            return in_cluster(self.joining, corpora)
        from sstag.experiments.crews import in_processes

        return in_processes(self.processes or processors())(trials, corpora)


@dataclass(frozen=True)
class AskedRepeats:
    """The wish of the command line for recorded runs."""

    again: bool
    report_only: bool


def asking_crew(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the options that say who runs its trials, as `crew`, and which of them, as `asked`."""

    @options_of(OTHER)(
        "--report-only", is_flag=True, help="Run nothing: write the page from the runs that are recorded."
    )
    @options_of(OTHER)(
        "--again", is_flag=True, help="Run recorded runs again that other code, or other files, have found."
    )
    @options_of(OTHER)(
        "--processes",
        type=click.IntRange(1, MOST),
        show_default="all processors",
        help="Runs at a time; they change the time and nothing else.",
    )
    @joining_cluster
    @wraps(command)
    def with_options(
        *, processes: int | None, joining: Joining | None, again: bool, report_only: bool, **others: object
    ) -> object:
        if processes and joining:
            raise click.UsageError("--processes are those of this machine: not with a cluster")
        return command(crew=AskedCrew(processes, joining), asked=AskedRepeats(again, report_only), **others)

    return with_options
