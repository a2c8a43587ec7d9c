"""sstag experiment curve"""

import re
import shlex
from pathlib import Path

import click

from sstag.foundation.files import STANDARD, translated_errors
from sstag.interfaces.cli.help_sections import Command
from sstag.interfaces.cli.trials import processes_option, publish, watched
from sstag.selection.strategies import CHANCE, STRATEGIES
from sstag.training.configuration import settings

RANGE = re.compile(r"(\d{1,9})(?::(\d{1,9}):(\d{1,9}))?", re.ASCII)
MOST_ROUNDS = 10_000
VERSION = 1  # of what these trials find
DRAWS = 5


def totals_in(text: str) -> list[int]:
    """Numbers and ranges: `100,200` and `100:500:100`, which is 100, 200, 300, 400, 500."""
    found: list[int] = []
    for part in text.split(","):
        match = RANGE.fullmatch(part.strip())
        if not match:
            raise click.BadParameter(f"'{part}' is no number, and no FIRST:LAST:STEP")
        first, last, step = (int(group) if group else None for group in match.groups())
        assert first is not None
        if step == 0:
            raise click.BadParameter(f"'{part}': a step is from 1 up")
        some = [first] if last is None or step is None else range(first, last + 1, step)
        if len(found) + len(some) > MOST_ROUNDS:
            raise click.BadParameter(f"'{part}': too many rounds (at most {MOST_ROUNDS:,})")
        found += some
    if found != sorted(set(found)) or not found or found[0] < 1:
        raise click.BadParameter("each total is above the one before, from 1 up")
    return found


def _epilog() -> str:
    """The strategies, and how their options are written."""
    lines = [f"  {name:<14} {entry.help}" for name, entry in STRATEGIES.items()]
    options = (
        "Options of a strategy follow a colon, separated by commas, and are those of sstag select:\n"
        "  quota:by=length  token-entropy:spans  span-entropy:spans,terms=LIST  entropy:diverse=0.5\n"
        "  sesal:confidence=0.9  density:density=FILE"
    )
    return "\b\nStrategies:\n" + "\n".join(lines) + "\n\n\b\n" + options


@click.command(
    name="curve",
    cls=Command,
    epilog=_epilog(),
    short_help="learning curves of strategies of `sstag select`, with a labelled pool as the annotator",
)
@click.option("--pool", required=True, metavar="FILE", help="Labelled sentences to choose from.")
@click.option("--test", required=True, metavar="FILE", help="Labelled sentences to judge by.")
@click.option("--template", required=True, metavar="FILE", help="Feature template, which names the columns.")
@click.option(
    "--strategy", "strategies", multiple=True, required=True, metavar="NAME[:OPTIONS]", help="May be repeated."
)
@click.option("--tokens", metavar="N,N,…", help="A round up to each of these totals of labelled tokens.")
@click.option("--count", metavar="N,N,…", help="The same in sentences; of spans, so many spans.")
@click.option("--draws", type=click.IntRange(1), default=DRAWS, show_default=True, help="Seeds: 1, 2, …")
@click.option("--first", default=CHANCE, show_default=True, metavar="NAME", help="Chooses what comes before any model.")
@click.option(
    "--set", "-s", "said", multiple=True, metavar="NAME=VALUE", help="A parameter of the training, as l2=0.5."
)
@click.option("--out", required=True, metavar="FOLDER", help="Where the results go.")
@processes_option
def command(
    pool: str,
    test: str,
    template: str,
    strategies: tuple[str, ...],
    tokens: str | None,
    count: str | None,
    draws: int,
    first: str,
    said: tuple[str, ...],
    out: str,
    processes: int,
) -> None:
    """Learning curves of strategies, with a labelled pool as a stand-in for the annotator.

    In each round a strategy chooses from the pool as `sstag select` does, is told the labels that it asks for and no
    others, and a model is trained from the last one and scored on the test sentences. Totals are lists, or ranges:
    100:1000:100. What asks for spans is charged for their tokens only, and learns from partial labels; sesal labels
    itself what it is sure of. Strategies that need a model begin with sentences that --first chooses.

    Writes curves by sentence and by token with bands over the draws, how much annotation is saved at equal scores, and
    what warm starts save. What has been run is kept: after an interruption the same command goes on.

    \b
    Example:
        sstag experiment curve --pool train.txt --test test.txt --template ner.yaml --tokens 500,1000,2000,4000 \\
            --strategy random --strategy entropy --strategy sesal --strategy token-entropy:spans --out curves
    """
    if (tokens is None) == (count is None):
        raise click.UsageError("how much in each round? --tokens, or --count")
    if STANDARD in (pool, test, template):
        raise click.UsageError("several processes read the files: none can be standard input (-)")
    totals = totals_in(tokens or count or "")
    parameters = {name: value for one in settings(said) for name, value in one.mapping().items()}

    from sstag.experiments.curve import ANYWHERE, Files, Plan, experiment
    from sstag.experiments.publication import page_of
    from sstag.selection.simulation.rounds import SENTENCES, TOKENS

    plan = Plan(strategies, totals, TOKENS if tokens else SENTENCES, draws, first, parameters)
    made = experiment(Files(pool, test, template), plan)
    with translated_errors(out):
        Path(out).mkdir(parents=True, exist_ok=True)
    words = ["--pool", pool, "--test", test, "--template", template]
    words += [word for one in strategies for word in ("--strategy", one)]
    words += ["--tokens", tokens] if tokens else ["--count", count or ""]
    words += ["--draws", str(draws), "--first", first, *(word for one in said for word in ("--set", one)), "--out", out]
    about = {"command": shlex.join(["sstag", "experiment", "curve", *words])}
    page = watched(out, lambda log, tell: page_of(made, about, VERSION, ANYWHERE, log, processes, tell))
    publish(page, out)
