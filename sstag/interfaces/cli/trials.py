"""Running trials from the command line: how far they are, what is kept, and what is published."""

import os
import sys
import time
from collections.abc import Callable

import click

from sstag.experiments.log import Log
from sstag.experiments.page import Page, as_text
from sstag.experiments.plan import Plan, stale_told
from sstag.experiments.plots import can_draw
from sstag.experiments.publication import published
from sstag.experiments.runner import Progress, Repeats
from sstag.foundation.errors import installing
from sstag.interfaces.cli.crew_options import AskedRepeats
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cli.width import say

LOG = "runs.jsonl"
MINUTE = 60.0


def watched(folder: str, asked: AskedRepeats, run: Callable[[Log, Callable[[Progress], None], Repeats], Page]) -> Page:
    """The page of an experiment; a line says how far it is, and the end of an interrupted one says what is kept."""
    log = Log(os.path.join(folder, LOG))
    if asked.again and asked.report_only:
        raise click.UsageError("--again runs what is stale, --report-only runs nothing: only one of them")
    with ProgressLine(patience=0.0) as line:
        try:
            repeats = Repeats(lambda plan: asked.again or _agrees(plan), asked.report_only)
            return run(log, _Watch(line).tell, repeats)
        except (KeyboardInterrupt, SystemExit) as end:
            line.clear()
            click.echo(f"interrupted; {log.path} keeps what is done, and the same command goes on from there", err=True)
            sys.exit(end.code if isinstance(end, SystemExit) else 130)


def _agrees(plan: Plan) -> bool:
    """Whether somebody at the terminal wants stale runs to run again; nobody is there, no."""
    return _at_terminal() and click.confirm(f"{stale_told(plan)}. Run them again?", err=True)


def _at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def publish(page: Page, folder: str) -> None:
    """Writes a page to its folder, and prints it."""
    plots = can_draw()
    names = published(page, folder, plots)
    say(as_text(page))
    click.echo(f"{folder}: {', '.join([*names, LOG])}")
    if not plots:
        click.echo(f"plots are skipped, since matplotlib is not installed: {installing('plots')}", err=True)


class _Watch:
    """Says how far it is: in one line on a terminal, elsewhere every minute."""

    def __init__(self, line: ProgressLine) -> None:
        self._line = line
        self._next = time.monotonic() + MINUTE

    def tell(self, progress: Progress) -> None:
        left = progress.seconds_left
        some = f"{left / MINUTE:.0f} min" if left >= 2 * MINUTE else f"{left:.0f} s"
        kept = f" ({progress.kept} kept from before)" if progress.kept else ""
        running = f": {', '.join(progress.running)}" if progress.running else ""
        text = f"{progress.done} of {progress.total} runs{kept}, about {some} left{running}"
        self._line.show(text)
        if not self._line.terminal and time.monotonic() >= self._next:
            click.echo(text, err=True)
            self._next = time.monotonic() + MINUTE
