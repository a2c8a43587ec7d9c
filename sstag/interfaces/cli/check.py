"""The command `sstag check`: it counts what column files hold and finds mistakes in their labels."""

import json
import sys
from dataclasses import asdict

import click
from click.core import ParameterSource

from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, display_name
from sstag.interfaces.cli.help_sections import METHOD, OUTPUT, Argument, Command, Number, OneOf, options_of
from sstag.interfaces.cli.options import (
    Reading,
    all_labels_option,
    format_option,
    reading,
    say_if_terminal,
    seed_option,
    threads_option,
)
from sstag.interfaces.cli.width import for_stdout
from sstag.labels.checking import Finding, Report, checked
from sstag.labels.schemes.rules import SCHEMES, scheme_name
from sstag.training.methods import METHODS

FEW_LABELS = 6  # that are shown unless all are asked for

FOLDS = 5
METHOD_OF_SUSPECTS = "partial"  # it learns from whatever labels there are
OF_SUSPECTS = ("template", "method", "said", "folds", "by", "open_below", "target", "seed", "threads")

_output, _suspects = options_of(OUTPUT), options_of("Labels that may be wrong (--suspect)")


@click.command(name="check", cls=Command)
@click.argument("files", cls=Argument, nargs=-1, required=True, metavar="FILE...")
@options_of(METHOD)(
    "--scheme",
    type=OneOf(SCHEMES, "scheme"),
    show_default="guessed",
    help=f"Scheme of the labels: {', '.join(SCHEMES)}.",
)
@_suspects("--suspect", is_flag=True, help="Rank labels that models of the other sentences doubt.")
@_suspects("--template", "-t", metavar="TEMPLATE", help="Features: a file, or a name of sstag template.")
@_suspects(
    "--method", type=OneOf(METHODS, "method"), default=METHOD_OF_SUSPECTS, show_default=True, help="Of sstag train."
)
@_suspects("--set", "-s", "said", multiple=True, metavar="NAME=VALUE", help="Set a parameter. Repeatable.")
@_suspects(
    "--folds",
    default=FOLDS,
    show_default=True,
    type=click.IntRange(2, 1000),
    metavar="K",
    help="Parts of the sentences.",
)
@_suspects("--by", type=OneOf(["chunk", "token"], "unit"), default="chunk", show_default=True, help="What to rank.")
@_suspects(
    "--open-below", type=Number(0, 1, min_open=True), metavar="P", help="Open what is given with less than P; with -o."
)
@_suspects("--output", "-o", "target", metavar="FILE", help="Where to write the file with these labels A|B, or ?.")
@_output(
    "--most", "-n", default=10, show_default=True, type=click.IntRange(0), help="How many findings of a kind to show."
)
@all_labels_option
@format_option(["text", "json"], "Format of the report.")
@seed_option
@threads_option
@reading
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    how: Reading,
    suspect: bool,
    template: str | None,
    method: str,
    said: tuple[str, ...],
    folds: int,
    by: str,
    open_below: float | None,
    target: str | None,
    seed: int,
    threads: int,
    scheme: str | None,
    most: int,
    all_labels: bool,
    form: str,
) -> None:
    """Look for mistakes in column files.

    Counts sentences, tokens and labels, guesses the scheme, and finds ill-formed lines and labels, and words that are
    labelled differently between the same words. The exit code is 1 if there are errors; warnings leave it 0.

    With --suspect it trains models on all folds but one, asks them about the labels of that one, and ranks what they
    doubt: those first whose suggestion is most probable beside them.

    \b
    Example:
        sstag check train.txt
        sstag check --columns word,pos,ner --scheme iob1 train.txt test.txt
        sstag check train.txt --suspect -t ner --most 50
        sstag check train.txt --suspect -t ner --open-below 0.05 -o opened.txt
    """
    _check_usage(context, files)
    if suspect and template:
        from sstag.foundation.files import check_outputs
        from sstag.interfaces.cli.suspects import Asked, search
        from sstag.training.configuration import settings

        check_outputs([target], files)
        given = {name: value for one in settings(said) for name, value in one.mapping().items()}
        asked = Asked(
            template, method, given, folds, seed, threads, by == "token", most, form == "json", open_below, target
        )
        for path in files:
            own = how.layout(path)
            search(path, own if how.columns or how.label else None, how.asked, how.marks_of(own), asked)
        return
    failed = False
    for path in files:
        say_if_terminal(path)
        layout = how.layout(path)
        try:
            report = checked(path, layout, how.marks_of(layout), scheme)
        except DataError as error:
            report = Report(display_name(path), findings=[Finding(True, error.message, error.line)])
        failed |= report.errors > 0
        click.echo(
            json.dumps(asdict(report), ensure_ascii=False)
            if form == "json"
            else for_stdout(_text(report, most, all_labels, scheme is not None))
        )
    if failed:
        sys.exit(1)


def _check_usage(context: click.Context, files: tuple[str, ...]) -> None:
    """Refuses options that have no meaning together."""
    params = context.params
    given = [name for name in OF_SUSPECTS if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if not params["suspect"]:
        if given:
            names = {"said": "set", "target": "output"}
            option = names.get(given[0], given[0].replace("_", "-"))
            raise click.UsageError(f"--{option} is for --suspect, which needs --template")
        return
    if params["template"] is None:
        raise click.UsageError("--suspect needs --template: what the models look at")
    if params["scheme"]:
        raise click.UsageError("--scheme is not for --suspect, which reads labels as sstag train does")
    if (params["open_below"] is None) != (params["target"] is None):
        raise click.UsageError("--open-below and --output go together: what to open, and where to write it")
    if params["target"] and len(files) > 1:
        raise click.UsageError("--output is for one FILE")
    if STANDARD in files:
        raise click.UsageError("with --suspect a file is read twice: it cannot be standard input (-)")


def _text(report: Report, most: int, all_labels: bool, given: bool) -> str:
    lines = [report.path]

    def say(name: str, text: str) -> None:
        lines.append(f"  {name:<11}{text}")

    if report.sentences:
        say("sentences", f"{report.sentences:,}")
        detail = "({shortest:,} to {longest:,} in a sentence, median {median:,})".format(**report.lengths)
        say("tokens", f"{report.tokens:,}   {detail}")
        say("columns", ", ".join(report.columns))
    if report.columns and report.scheme is None:
        say("labels", "none: there is no label column")
    elif report.scheme is not None:
        labels = [f"{name} {count:,}" for name, count in report.labels.items()]
        shown = labels if all_labels or len(labels) <= FEW_LABELS else [*labels[:FEW_LABELS], "… (--all-labels)"]
        say("labels", f"{len(labels)}   {'   '.join(shown)}")
        say("scheme", f"{scheme_name(report.scheme)}{'' if given else ' (guessed; --scheme names another)'}")
        if report.ambiguous or report.unknown:
            shares = f"{_share(report.ambiguous, report)} ambiguous, {_share(report.unknown, report)} unknown"
            say("undecided", shares)
    for error, kind in ((True, "error"), (False, "warning")):
        findings = [finding for finding in report.findings if finding.error == error]
        for finding in findings[:most]:
            where = report.path if finding.line is None else f"{report.path}:{finding.line}"
            lines.append(f"{kind}: {where}: {finding.message}")
        if len(findings) > most:
            lines.append(f"{kind}: {len(findings) - most:,} more (--most {len(findings)} shows all)")
    return "\n".join(lines)


def _share(count: int, report: Report) -> str:
    return f"{count:,} ({100 * count / report.tokens:.2f} %)"
