"""The command `sstag check`: it counts what column files hold and finds mistakes in their labels."""

import json
import sys
from dataclasses import asdict

import click

from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name
from sstag.interfaces.cli.help_sections import METHOD, OUTPUT, Argument, Command, OneOf, options_of
from sstag.interfaces.cli.options import Reading, all_labels_option, format_option, reading, say_if_terminal
from sstag.interfaces.cli.width import for_stdout
from sstag.labels.checking import Finding, Report, checked
from sstag.labels.schemes.rules import SCHEMES, scheme_name

FEW_LABELS = 6  # that are shown unless all are asked for

_output = options_of(OUTPUT)


@click.command(name="check", cls=Command)
@click.argument("files", cls=Argument, nargs=-1, required=True, metavar="FILE...")
@options_of(METHOD)(
    "--scheme",
    type=OneOf(SCHEMES, "scheme"),
    show_default="guessed",
    help=f"Scheme of the labels: {', '.join(SCHEMES)}.",
)
@_output(
    "--most", "-n", default=10, show_default=True, type=click.IntRange(0), help="How many findings of a kind to show."
)
@all_labels_option
@format_option(["text", "json"], "Format of the report.")
@reading
def command(
    files: tuple[str, ...],
    how: Reading,
    scheme: str | None,
    most: int,
    all_labels: bool,
    form: str,
) -> None:
    """Look for mistakes in column files.

    Counts sentences, tokens and labels, guesses the scheme, and finds ill-formed lines and labels, and words that are
    labelled differently between the same words. The exit code is 1 if there are errors; warnings leave it 0.

    \b
    Example:
        sstag check train.txt
        sstag check --columns word,pos,ner --scheme iob1 train.txt test.txt
    """
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
