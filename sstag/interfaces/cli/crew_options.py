"""The options that say who runs trials, together as a crew: processes of this machine, or the workers of a cluster."""

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


def asking_crew(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the options that say who runs its trials, together as `crew`."""

    @options_of(OTHER)(
        "--processes",
        type=click.IntRange(1, MOST),
        show_default="all processors",
        help="Runs at a time; they change the time and nothing else.",
    )
    @joining_cluster
    @wraps(command)
    def with_options(*, processes: int | None, joining: Joining | None, **others: object) -> object:
        if processes and joining:
            raise click.UsageError("--processes are those of this machine: not with a cluster")
        return command(crew=AskedCrew(processes, joining), **others)

    return with_options
