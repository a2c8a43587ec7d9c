"""sstag experiment"""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sstag.cli.options import Command, processors
from sstag.cli.progress import ProgressLine
from sstag.errors import nearest
from sstag.experiments import EXPERIMENTS, SCALES
from sstag.files import translated_errors

if TYPE_CHECKING:
    from sstag.experiments.runner import Progress

LOG = "runs.jsonl"
MINUTE = 60.0


@click.command(
    name="experiment",
    cls=Command,
    epilog="\b\nExperiments:\n" + "\n".join(f"  {name:<15} {entry.help}" for name, entry in EXPERIMENTS.items()),
)
@click.argument("name", metavar="NAME")
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default=SCALES[0],
    show_default=True,
    help="smoke runs the same on a few sentences, in seconds.",
)
@click.option("--out", default="results", show_default=True, metavar="FOLDER", help="Results go to FOLDER/NAME.")
@click.option(
    "--processes",
    type=click.IntRange(1, 1024),
    default=processors,
    show_default="all processors",
    help="Runs at a time; they change how long it takes and nothing else.",
)
def command(name: str, scale: str, out: str, processes: int) -> None:
    """Run the experiment of a paper: tables beside the paper's, plots, and every run as a line of JSON.

    Corpora are looked for in data/ and in the folder that SSTAG_DATA names; generated text takes the place of what is
    absent, and such results are kept apart. What has been run is kept: after an interruption the same command goes on.

    \b
    Example:
        sstag experiment tsuboi2008 --scale smoke
        SSTAG_DATA=~/corpora sstag experiment tsuboi2008
    """
    if name not in EXPERIMENTS:
        raise click.UsageError(f"there is no experiment '{name}'{nearest(name, EXPERIMENTS)}")
    from sstag.experiments.corpora import corpora
    from sstag.experiments.log import Log
    from sstag.experiments.page import as_text
    from sstag.experiments.plots import can_draw
    from sstag.experiments.publication import experiment, folder_of, found, published

    here = corpora(os.environ)
    made = experiment(name, scale, here)
    folder = folder_of(name, scale, made, out)
    with translated_errors(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for file in made.absent:
        click.echo(f"{file}: not in {' or '.join(here.folders)}; generated text takes its place", err=True)
    log = Log(os.path.join(folder, LOG))
    with ProgressLine(patience=0.0) as line:
        watch = _Watch(line)
        try:
            page = found(name, scale, made, here, log, processes, watch.tell)
        except (KeyboardInterrupt, SystemExit) as end:
            line.clear()
            click.echo(f"interrupted; {log.path} keeps what is done, and the same command goes on from there", err=True)
            sys.exit(end.code if isinstance(end, SystemExit) else 130)
    plots = can_draw()
    names = published(page, folder, plots)
    click.echo(as_text(page))
    click.echo(f"{folder}: {', '.join([*names, LOG])}")
    if not plots:
        click.echo("plots are skipped, since matplotlib is not installed (pip install 'sstag[plots]')", err=True)


class _Watch:
    """Says how far it is: in one line on a terminal, elsewhere every minute."""

    def __init__(self, line: ProgressLine) -> None:
        self._line = line
        self._next = time.monotonic() + MINUTE

    def tell(self, progress: "Progress") -> None:
        left = progress.seconds_left
        some = f"{left / MINUTE:.0f} min" if left >= 2 * MINUTE else f"{left:.0f} s"
        kept = f" ({progress.kept} kept from before)" if progress.kept else ""
        running = f": {', '.join(progress.running)}" if progress.running else ""
        text = f"{progress.done} of {progress.total} runs{kept}, about {some} left{running}"
        self._line.show(text)
        if not self._line.terminal and time.monotonic() >= self._next:
            click.echo(text, err=True)
            self._next = time.monotonic() + MINUTE
