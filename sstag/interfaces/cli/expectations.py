"""The command `sstag expectations`: it proposes features to label, and asks a person for their labels."""

import sys
from typing import Any

import click

from sstag.foundation.files import STANDARD, check_outputs
from sstag.interfaces.cli.asked_features import Proposing
from sstag.interfaces.cli.help_sections import DATA, METHOD, Command, Number, OneOf, options_of
from sstag.interfaces.cli.options import marking, marks_said, output_option, seed_option, those_called
from sstag.interfaces.cli.text_options import reading_text

WAYS = {
    "prototypes": "those that a label has most often, unless another label has them more often (needs --train)",
    "entropy": "those whose label is surest (needs --train)",
    "coverage": "those of most tokens that have none of the features before",
}
TARGETS = {
    "majority": "the most frequent label, or labels (needs --train)",
    "estimated": "shares of all labelled occurrences (needs --train)",
    "sampled": "shares of --samples labelled occurrences, with standard errors (needs --train or --ask)",
    "open": "a question mark, for a person to replace",
    "given": "what --list says; with --like, what it says of the nearest word",
}
USUAL_TARGETS = "given (--list, --like), majority (--train or --ask), or open"


_data, _method, _asking = map(options_of, (DATA, METHOD, "Asking"))


@click.command(
    name="expectations",
    cls=Command,
    lists=[("Ways to choose (--by)", WAYS.items()), ("What to say of features (--targets)", TARGETS.items())],
)
@_data("--template", "-t", required=True, metavar="TEMPLATE", help="Features: a file, or a name of sstag template.")
@_data("--train", multiple=True, callback=those_called, metavar="FILE", help="Labelled sentences. Repeatable.")
@_data(
    "--unlabeled",
    multiple=True,
    callback=those_called,
    metavar="FILE",
    help="Raw text, where features are counted. Repeatable.",
)
@_data("--list", "listed", metavar="FILE", help="Take the features of this list.")
@_data("--like", metavar="FILE", help="Propose words whose vectors are near those of this list.")
@_data("--vectors", metavar="FILE", show_default="the template's", help="--like: the vectors of words.")
@_method("--feature", "-f", "asked", multiple=True, metavar="F", help="Choose among these, as word[0]. Repeatable.")
@_method("--by", "way", type=OneOf(WAYS, "way"), show_default="prototypes, or coverage", help="How to choose.")
@_method("--count", type=click.IntRange(1), show_default="30; prototypes: 3 a label", help="How many features.")
@_method("--least", type=click.IntRange(1), show_default="2", help="Leave out what is rarer.")
@_method("--targets", type=OneOf(TARGETS, "target"), show_default=USUAL_TARGETS, help="What to say of them.")
@_method("--samples", default=10, show_default=True, type=click.IntRange(1), help="Occurrences looked at.")
@_method("--smoothing", default=0.1, show_default=True, type=Number(0), metavar="S", help="Added to every count.")
@_asking("--ask", is_flag=True, help="Ask for labels on the terminal.")
@_asking("--labels", metavar="A,B,…", show_default="those of --train, or any", help="The labels there are.")
@_asking("--show", type=click.IntRange(0), show_default="0; with --ask 5", help="Occurrences to show in context.")
@output_option
@seed_option
@marking
@reading_text
def command(target: str, ask: bool, labels: str | None, marks: tuple[str, ...], no_marks: bool, **values: Any) -> None:
    """Propose features to label, for `train --expectations`, and label them.

    Writes a list: a feature, a tab, and LABEL or LABEL:0.8 OTHER:0.2 on each line. With --ask a person labels the
    features; every answer is kept at once, and the same command goes on where it was ended.

    \b
    Example:
        sstag expectations -t ads --train few.txt --unlabeled raw.txt -o words.tsv
        sstag expectations -t ads --unlabeled raw.txt --by coverage -o open.tsv
        sstag expectations -t ads --unlabeled raw.txt --like words.tsv \\
            --vectors glove.txt -o more.tsv
        sstag expectations -t ads --unlabeled raw.txt --ask \\
            --labels size,rent,contact -o words.tsv
    """
    from sstag.interfaces.cli import expectations_run  # it imports numpy, for which help need not wait
    from sstag.knowledge.expectation_list import is_label

    how = _completed(values | {"marks": marks_said(marks, no_marks)}, ask)
    choosing = {"by": "way", "count": "count", "feature": "asked", "least": "least"}
    others = choosing | {"list": "listed"}
    if how.listed and (said := [option for option, name in choosing.items() if values[name] not in (None, ())]):
        raise click.UsageError(f"--{said[0]} is for choosing features: not together with --list")
    if how.like and (said := [option for option in ("list", "by", "feature") if values[others[option]]]):
        raise click.UsageError(f"--like proposes words like those of a list: not together with --{said[0]}")
    if how.vectors and not how.like:
        raise click.UsageError("--vectors is for --like")
    inputs = [how.template, *how.train, *how.unlabeled, how.listed, how.like, how.vectors]
    if not (how.train or how.unlabeled):
        raise click.UsageError("which text? say --train, --unlabeled, or both")
    if how.targets in ("majority", "estimated", "sampled") and not (how.train or ask):
        raise click.UsageError(f"--targets {how.targets} needs --train")
    if how.targets == "given" and not (how.listed or how.like):
        raise click.UsageError("--targets given needs --list, or --like")
    if ask and target == STANDARD:
        raise click.UsageError("--ask needs a file for the answers: --output")
    if ask and how.targets not in ("majority", "sampled"):
        raise click.UsageError("--ask is for --targets majority or sampled")
    named = tuple(label.strip() for label in labels.split(",")) if labels is not None else ()
    if labels is not None and not ask:
        raise click.UsageError("--labels is for --ask, which needs --output")
    if not all(named):
        raise click.BadParameter("a label is empty", param_hint="--labels")
    if wrong := next((label for label in named if not is_label(label)), None):
        raise click.BadParameter(f"{wrong!r} is not one label", param_hint="--labels")
    if ask and sys.stdin is None:
        raise click.UsageError("--ask reads answers from standard input, which is closed")
    if inputs.count(STANDARD) > (0 if ask else 1):
        raise click.UsageError("standard input (-) can be read only once")
    check_outputs([target], inputs)
    if ask:
        expectations_run.ask(how, named, target)
    else:
        expectations_run.propose(how, target)


def _completed(values: dict[str, Any], ask: bool) -> Proposing:
    """The choices, with what goes without saying."""
    way = values["way"] or ("prototypes" if values["train"] else "coverage")
    given_list = values["listed"] or values["like"]
    usual: dict[str, Any] = {
        "way": way,
        "least": 2,
        "count": 3 if way == "prototypes" and not values["like"] else 30,
        "targets": "majority" if ask else "given" if given_list else "majority" if values["train"] else "open",
        "show": 5 if ask else 0,
    }
    given = {name: value for name, value in values.items() if value is not None or name not in usual}
    return Proposing(**usual | given)
