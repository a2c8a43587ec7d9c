"""The command `sstag experiment`: it runs the experiment of a paper and publishes its page."""

import os
from dataclasses import replace
from pathlib import Path

import click

from sstag.experiments import EXPERIMENTS, SCALES
from sstag.foundation.errors import nearest
from sstag.foundation.files import translated_errors
from sstag.interfaces.cli.compare import command as compare
from sstag.interfaces.cli.crew_options import AskedCrew, AskedRepeats, asking_crew
from sstag.interfaces.cli.curve import command as curve
from sstag.interfaces.cli.help_sections import DATA, OUTPUT, Command, OneOf, options_of, say_more, written

SMOKE = SCALES[1]
OWN = {"curve": curve, "compare": compare}  # on files of one's own


class _Experiments(click.Group):
    """A command for each experiment, and those on files of one's own."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [*EXPERIMENTS, *OWN]

    def get_command(self, context: click.Context, name: str) -> click.Command:
        if name in OWN:
            return OWN[name]
        if name not in EXPERIMENTS:
            known = self.list_commands(context)
            raise click.UsageError(f"there is no experiment '{name}'{nearest(name, known)}", context)
        return _named(name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        papers = [(name, entry.help) for name, entry in EXPERIMENTS.items()]
        written(
            formatter,
            [
                ("Experiments", papers),
                ("On your own files", [(name, str(one.short_help)) for name, one in OWN.items()]),
            ],
        )

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        say_more("experiment", formatter)


@click.group(name="experiment", cls=_Experiments, subcommand_metavar="NAME [OPTIONS]")
def command() -> None:
    """Run the experiment of a paper: tables beside the paper's, plots, and every run as a line of JSON.

    Corpora are looked for in data/ and in the folder that SSTAG_DATA names; what needs one that is absent runs on
    generated text. What has been run is kept: after an interruption the same command goes on.

    \b
    Example:
        sstag experiment tsuboi2008 --scale smoke
        SSTAG_DATA=~/corpora sstag experiment tsuboi2008
        sstag experiment curve --help
    """


def _named(name: str) -> click.Command:
    """The command of an experiment."""

    line = EXPERIMENTS[name].help
    example = f"\b\nExample:\n    sstag experiment {name} --scale smoke"

    @click.command(name=name, cls=Command, help=f"{line[:1].upper()}{line[1:]}.\n\n{example}")
    @options_of(DATA)(
        "--scale",
        type=OneOf(SCALES, "scale"),
        default=SCALES[0],
        show_default=True,
        help="smoke: a few sentences, in seconds.",
    )
    @options_of(OUTPUT)(
        "--out", default="results", show_default=True, metavar="FOLDER", help="Results go to FOLDER/NAME."
    )
    @asking_crew
    def run(scale: str, out: str, crew: AskedCrew, asked: AskedRepeats) -> None:
        _run(name, scale, out, crew, asked)

    return run


def _run(name: str, scale: str, out: str, crew: AskedCrew, asked: AskedRepeats) -> None:
    from sstag.experiments.corpora import corpora
    from sstag.experiments.publication import chosen, found
    from sstag.interfaces.cli.trials import LOG, publish, watched

    if scale == SMOKE and not asked.report_only:
        asked = replace(asked, again=True)  # seconds, of which nothing is evidence
    here = corpora(os.environ)
    experiment, known, folder = chosen(name, scale, here, out, LOG, asked.report_only)
    with translated_errors(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    where = " or ".join(here.folders)
    for file in experiment.absent:
        click.echo(f"{file}: not in {where}; what needs it runs on generated text", err=True)
    for part in experiment.left_out:
        lacks = f"not in {where}" if "." in part else f"not installed (pip install {part})"  # a file, or a package
        click.echo(f"{part}: {lacks}; the runs that need it are left out", err=True)
    page = watched(folder, asked, lambda log, *how: found(name, scale, experiment, known, log, crew, *how))
    publish(page, folder)
