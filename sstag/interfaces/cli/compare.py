"""The command `sstag experiment compare`: methods and templates by cross-validation on files of your own."""

import shlex
from itertools import product
from pathlib import Path

import click

from sstag.corpus.contexts import context_called
from sstag.corpus.formats import Asked
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD, translated_errors
from sstag.interfaces.cli.crew_options import AskedCrew, AskedRepeats, asking_crew
from sstag.interfaces.cli.help_sections import DATA, METHOD, OUTPUT, Command, options_of
from sstag.interfaces.cli.options import seed_option, whole_context_option
from sstag.interfaces.cli.text_options import reading_text, words_of
from sstag.training.configuration import FEWEST_FOLDS, settings
from sstag.training.methods import METHODS

VERSION = 2  # of what these trials find: 2 with the prior l2=0.1 where none is said
WITH_PARAMETERS = "Methods, with parameters as entropy:gamma=0.1,l2=2 or expectation:expectations=FILE"

_data, _method, _output = map(options_of, (DATA, METHOD, OUTPUT))


@click.command(
    name="compare",
    cls=Command,
    keeps_names=True,
    lists=[
        (
            "Methods, with parameters as entropy:gamma=0.1 or expectation:expectations=FILE,l2=2",
            [(name, one.help) for name, one in METHODS.items()],
        )
    ],
    short_help="methods and templates by cross-validation, with intervals: which one for my files?",
)
@_data("--train", multiple=True, required=True, metavar="FILE", help="Labelled sentences. Repeatable.")
@_data("--unlabeled", metavar="FILE", help="Raw text, for methods that learn from it.")
@_method("--template", "-t", "templates", multiple=True, required=True, metavar="TEMPLATE", help="Repeatable.")
@_method(
    "--method",
    "methods",
    multiple=True,
    default=["crf"],
    show_default=True,
    metavar="METHOD",
    help="A method, perhaps as crf:l2=0.5. Repeatable.",
)
@_method(
    "--folds", default=5, show_default=True, type=click.IntRange(FEWEST_FOLDS), metavar="K", help="How many folds."
)
@_method(
    "--resamples", default=1000, show_default=True, type=click.IntRange(100, 1_000_000), help="For intervals and p."
)
@whole_context_option
@_output("--out", required=True, metavar="FOLDER", help="Where the results go.")
@seed_option
@asking_crew
@reading_text
def command(
    train: tuple[str, ...],
    unlabeled: str | None,
    templates: tuple[str, ...],
    methods: tuple[str, ...],
    folds: int,
    resamples: int,
    context: str | None,
    out: str,
    seed: int,
    crew: AskedCrew,
    asked: AskedRepeats,
    read_as: Asked,
) -> None:
    """Compare methods and templates on files of your own, by cross-validation.

    Every template is tried with every method. Shows how good each is, how far below the best, with intervals, and
    whether that may be chance. What has been run is kept: after an interruption the same command goes on.

    \b
    Example:
        sstag experiment compare --train train.txt -t ner -t mine.yaml --out compared
        sstag experiment compare --train few.txt --unlabeled raw.txt -t ner \\
            --method crf --method self-training --method entropy:gamma=0.1 --out compared
    """
    if STANDARD in (*train, unlabeled, *templates):
        raise click.UsageError("several processes read the files: none can be standard input (-)")
    from sstag.experiments.compare import Plan, System, experiment
    from sstag.experiments.curve import ANYWHERE
    from sstag.experiments.publication import page_of
    from sstag.interfaces.cli.trials import publish, watched

    systems = []
    for template, text in product(templates, methods):
        method, _, said = text.partition(":")
        try:
            given = {
                name: value
                for one in settings(said.split(",") if said else [])
                for name, value in one.mapping().items()
            }
        except ConfigError as error:
            raise click.BadParameter(f"{text}: {error.message}", param_hint="--method") from error
        name = text if len(templates) == 1 else template if len(methods) == 1 else f"{template}, {text}"
        systems.append(System(template, method, given, name))
    read = context_called(context) if context else None
    made = experiment(Plan(train, unlabeled, systems, folds, seed, resamples, read_as, read))
    with translated_errors(out):
        Path(out).mkdir(parents=True, exist_ok=True)
    words = [word for one in train for word in ("--train", one)]
    words += ["--unlabeled", unlabeled] if unlabeled else []
    words += [word for one in templates for word in ("--template", one)]
    words += [word for one in methods for word in ("--method", one)]
    words += ["--folds", str(folds), "--resamples", str(resamples), "--seed", str(seed), "--out", out]
    words += ["--context", context] if context else []
    words += words_of(read_as)
    about = {"command": shlex.join(["sstag", "experiment", "compare", *words])}
    page = watched(out, asked, lambda log, *how: page_of(made, about, VERSION, ANYWHERE, log, crew, *how))
    publish(page, out)
