"""The command `sstag experiment curve`: learning curves of strategies on files of your own."""

import re
import shlex
from pathlib import Path

import click

from sstag.corpus.contexts import NONE, context_called
from sstag.corpus.formats import Asked
from sstag.foundation.files import STANDARD, translated_errors
from sstag.interfaces.cli.crew_options import AskedCrew, AskedRepeats, asking_crew
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Command, OneOf, options_of
from sstag.interfaces.cli.options import whole_context_option
from sstag.interfaces.cli.text_options import reading_text, words_of
from sstag.selection.strategies import CHANCE, STRATEGIES
from sstag.training.configuration import settings

RANGE = re.compile(r"(\d{1,9})(?::(\d{1,9}):(\d{1,9}))?", re.ASCII)
MOST_ROUNDS = 10_000
VERSION = 2  # of what these trials find: 2 with the prior l2=0.1 where none is said
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


_strategies = [(name, entry.help.replace("--", "")) for name, entry in STRATEGIES.items()]  # not options here
_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(
    name="curve",
    cls=Command,
    keeps_names=True,
    lists=[("Strategies, with options as quota:by=length", _strategies)],
    short_help="learning curves of strategies of `sstag select`, with a labelled pool as the annotator",
)
@_data("--pool", required=True, metavar="FILE", help="Labelled sentences to choose from.")
@_data("--test", required=True, metavar="FILE", help="Labelled sentences to judge by.")
@_method("--template", "-t", required=True, metavar="TEMPLATE", help="Features: a file, or a name of sstag template.")
@_method(
    "--strategy",
    "strategies",
    multiple=True,
    required=True,
    metavar="NAME[:OPTIONS]",
    help="A strategy, perhaps as sesal:confidence=0.9. Repeatable.",
)
@_method("--count", metavar="N,N,…", help="Rounds, by their totals of sentences, or spans.")
@_method("--tokens", metavar="N,N,…", help="Rounds, by their totals of tokens; or 100:900:100.")
@_method("--draws", type=click.IntRange(1), default=DRAWS, show_default=True, help="How many seeds: 1, 2, …")
@_method(
    "--first",
    type=OneOf(STRATEGIES, "strategy"),
    default=CHANCE,
    show_default=True,
    help="What chooses before there is a model.",
)
@_data("--no-marks", is_flag=True, help="Read A|B, ? and !A as plain labels.")
@_method("--workbench", is_flag=True, help="Ask through the API of a running workbench (sstag annotate).")
@_method("--set", "-s", "said", multiple=True, metavar="NAME=VALUE", help="Set a parameter. Repeatable.")
@whole_context_option
@_output("--out", required=True, metavar="FOLDER", help="Where the results go.")
@asking_crew
@reading_text
def command(
    pool: str,
    test: str,
    template: str,
    strategies: tuple[str, ...],
    tokens: str | None,
    count: str | None,
    draws: int,
    first: str,
    no_marks: bool,
    workbench: bool,
    said: tuple[str, ...],
    context: str | None,
    out: str,
    crew: AskedCrew,
    asked: AskedRepeats,
    read_as: Asked,
) -> None:
    """Draw learning curves of strategies, with a labelled pool as a stand-in for the annotator.

    In each round a strategy chooses from the pool as `sstag select` does and is told those labels; a model is trained
    and scored on the test sentences. What has been run is kept: after an interruption the same command goes on.

    \b
    Example:
        sstag experiment curve --pool train.txt --test test.txt -t ner \\
            --tokens 500,1000,2000,4000 --strategy random --strategy entropy \\
            --strategy token-entropy:spans --out curves
    """
    if (tokens is None) == (count is None):
        raise click.UsageError("how much in each round? --tokens, or --count")
    if workbench and first != CHANCE:
        raise click.UsageError(
            "--first is for strategies that are asked without a --workbench, which spreads its first questions"
        )
    if workbench and no_marks:
        raise click.UsageError("--no-marks is for strategies that are asked without a --workbench")
    if workbench and context == NONE:
        raise click.UsageError("a --workbench counts the texts that it is judged by: not with --context none")
    if STANDARD in (pool, test, template):
        raise click.UsageError("several processes read the files: none can be standard input (-)")
    totals = totals_in(tokens or count or "")
    parameters = {name: value for one in settings(said) for name, value in one.mapping().items()}

    from sstag.experiments.curve import ANYWHERE, Files, Plan, experiment
    from sstag.experiments.publication import page_of
    from sstag.interfaces.cli.trials import publish, watched
    from sstag.selection.simulation.rounds import SENTENCES, TOKENS

    plan = Plan(strategies, totals, TOKENS if tokens else SENTENCES, draws, first, parameters, workbench)
    made = experiment(
        Files(pool, test, template, read_as, no_marks, context_called(context) if context else None), plan
    )
    with translated_errors(out):
        Path(out).mkdir(parents=True, exist_ok=True)
    words = ["--pool", pool, "--test", test, "--template", template]
    words += [word for one in strategies for word in ("--strategy", one)]
    words += ["--tokens", tokens] if tokens else ["--count", count or ""]
    words += ["--draws", str(draws), "--first", first, *(["--workbench"] if workbench else [])]
    words += [*(word for one in said for word in ("--set", one)), *(["--no-marks"] if no_marks else [])]
    words += [*(["--context", context] if context else []), "--out", out, *words_of(read_as)]
    about = {"command": shlex.join(["sstag", "experiment", "curve", *words])}
    page = watched(out, asked, lambda log, *how: page_of(made, about, VERSION, ANYWHERE, log, crew, *how))
    publish(page, out)
