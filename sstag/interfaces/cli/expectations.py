"""The command `sstag expectations`: it proposes features to label, and asks a person for their labels."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from sstag.foundation.errors import ConfigError, counted
from sstag.foundation.files import STANDARD, check_outputs, output
from sstag.interfaces.cli.help_sections import DATA, METHOD, Command, Number, OneOf, options_of
from sstag.interfaces.cli.options import marking, marks_said, output_option, say_if_terminal, seed_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sstag.corpus.corpus import Corpus
    from sstag.features.template import Feature, Template
    from sstag.knowledge.proposals import Proposals

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
    "given": "what --list says",
}
USUAL_TARGETS = "given (--list), majority (--train or --ask), or open"


@dataclass(frozen=True)
class Proposing:
    """A request for features, and for what to say of each."""

    template: str
    train: tuple[str, ...]
    unlabeled: tuple[str, ...]
    asked: tuple[str, ...]
    listed: str | None
    way: str
    count: int
    least: int
    targets: str
    samples: int
    smoothing: float
    show: int
    seed: int
    marks: dict[str, str | None]


_data, _method, _asking = map(options_of, (DATA, METHOD, "Asking"))


@click.command(
    name="expectations",
    cls=Command,
    lists=[("Ways to choose (--by)", WAYS.items()), ("What to say of features (--targets)", TARGETS.items())],
)
@_data("--template", "-t", required=True, metavar="TEMPLATE", help="Features: a file, or a name of sstag template.")
@_data("--train", multiple=True, metavar="FILE", help="Labelled sentences. Repeatable.")
@_data("--unlabeled", multiple=True, metavar="FILE", help="Raw text, where features are counted. Repeatable.")
@_data("--list", "listed", metavar="FILE", help="Take the features of this list.")
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
def command(target: str, ask: bool, labels: str | None, marks: tuple[str, ...], no_marks: bool, **values: Any) -> None:
    """Propose features to label, for `train --expectations`, and label them.

    Writes a list: a feature, a tab, and LABEL or LABEL:0.8 OTHER:0.2 on each line. With --ask a person labels the
    features; every answer is kept at once, and the same command goes on where it was ended.

    \b
    Example:
        sstag expectations -t ads --train few.txt --unlabeled raw.txt -o words.tsv
        sstag expectations -t ads --unlabeled raw.txt --by coverage -o open.tsv
        sstag expectations -t ads --unlabeled raw.txt --ask \\
            --labels size,rent,contact -o words.tsv
    """
    from sstag.knowledge.expectation_list import is_label

    how = _completed(values | {"marks": marks_said(marks, no_marks)}, ask)
    choosing = {"by": "way", "count": "count", "feature": "asked", "least": "least"}
    if how.listed and (said := [option for option, name in choosing.items() if values[name] not in (None, ())]):
        raise click.UsageError(f"--{said[0]} is for choosing features: not together with --list")
    inputs = [how.template, *how.train, *how.unlabeled, how.listed]
    if not (how.train or how.unlabeled):
        raise click.UsageError("which text? say --train, --unlabeled, or both")
    if how.targets in ("majority", "estimated", "sampled") and not (how.train or ask):
        raise click.UsageError(f"--targets {how.targets} needs --train")
    if how.targets == "given" and not how.listed:
        raise click.UsageError("--targets given needs --list")
    if ask and target == STANDARD:
        raise click.UsageError("--ask needs a file for the answers: --output")
    if ask and how.targets not in ("majority", "sampled"):
        raise click.UsageError("--ask is for --targets majority and sampled")
    named = tuple(label.strip() for label in labels.split(",")) if labels is not None else ()
    if labels is not None and not ask:
        raise click.UsageError("--labels is for --ask")
    if not all(named):
        raise click.BadParameter("a label is empty", param_hint="--labels")
    if wrong := next((label for label in named if not is_label(label)), None):
        raise click.BadParameter(f"{wrong!r} is not one label", param_hint="--labels")
    if ask and sys.stdin is None:
        raise click.UsageError("--ask reads answers from standard input, which is closed")
    if inputs.count(STANDARD) > (0 if ask else 1):
        raise click.UsageError("standard input (-) can be read only once")
    check_outputs([target], inputs)
    found = _found(how)
    if ask:
        from sstag.interfaces.cli import asking
        from sstag.knowledge.questions import Questions

        samples = how.samples if how.targets == "sampled" else 0
        known = named or found.of.labels
        questions = Questions(
            found.of, found.chosen, found.said, found.text, how.show, samples, how.smoothing, how.seed
        )
        asking.ask(questions, known, target)
        return
    _check_unanswered(target, how)
    with output(target) as file:
        file.write("".join(_entries(how, found)).encode())
    times = int(found.of.occurrences[found.chosen].sum())
    features = counted(len(found.chosen), "feature")
    wanted = how.count * (len(found.of.labels) if how.way == "prototypes" else 1)
    fewer = f" of {wanted} (no others fit, of those that occur {how.least} times)"
    some = fewer if not how.listed and len(found.chosen) < wanted else ""
    click.echo(f"{features}{some}, {counted(times, 'occurrence')} in {found.text.path}", err=True)


def _check_unanswered(path: str, how: Proposing) -> None:
    """Answers are work: no list is written over them, and one that asks for labels not over any."""
    from sstag.knowledge.answers import has_answers, labels_named, read_entries

    if path != STANDARD and (has_answers(path) or (how.targets == "open" and labels_named(read_entries(path)))):
        raise click.UsageError(f"{path} has answers already: --ask goes on with it; else another --output")


def _completed(values: dict[str, Any], ask: bool) -> Proposing:
    """The choices, with what goes without saying."""
    way = values["way"] or ("prototypes" if values["train"] else "coverage")
    usual: dict[str, Any] = {
        "way": way,
        "least": 2,
        "count": 3 if way == "prototypes" else 30,
        "targets": "majority" if ask else "given" if values["listed"] else "majority" if values["train"] else "open",
        "show": 5 if ask else 0,
    }
    given = {name: value for name, value in values.items() if value is not None or name not in usual}
    return Proposing(**usual | given)


@dataclass(frozen=True)
class _Found:
    """The proposals, those that are chosen, the text in which they occur, and what a list says of each."""

    of: "Proposals"
    chosen: list[int]
    text: "Corpus"
    said: dict[int, tuple[str, ...]]


def _found(how: Proposing) -> _Found:
    """The features that are asked for."""
    from sstag.corpus.reading import read_files
    from sstag.features.reading import load_template
    from sstag.knowledge.expectation_list import OPEN, read_list, target_in
    from sstag.knowledge.proposals import chosen_proposals, every_proposal, listed_attributes, with_features
    from sstag.labels.marks import changed_marks, marks_in_file

    for path in (*how.train, *how.unlabeled):
        say_if_terminal(path)
    template = load_template(how.template)
    labelled = read_files(how.train, template.layout) if how.train else None
    template = template.named(labelled.columns) if labelled else template
    raw = read_files(how.unlabeled, template.raw_layout, template.label) if how.unlabeled else None
    text = raw or labelled
    assert text is not None
    template = template.named(text.columns)
    marks = changed_marks(marks_in_file(how.train[0] if how.train else ""), how.marks)
    if how.listed:
        listed = read_list(how.listed, template, text)
        for line in listed.lines:
            if line.rest[0] != OPEN:
                target_in(listed, line)  # an error if it says what no list can
        of = every_proposal(listed.template, labelled, raw, marks)
        said, missing = listed_attributes(of, listed)
        for name in missing:
            click.echo(f"{name} never occurs: left out", err=True)
        return _Found(of, list(said), text, said)
    own = [feature for line in how.asked for feature in _features(line, template)]
    of = every_proposal(with_features(template, own), labelled, raw, marks)
    return _Found(of, chosen_proposals(of, how.way, how.count, how.least, how.smoothing), text, {})


def _features(line: str, template: "Template") -> "Sequence[Feature]":
    """The features that `--feature` stands for; one with a value, as in lists, is an error."""
    from sstag.features.grammar import features

    try:
        return features(line, template.columns or (), template.label)
    except ConfigError as error:
        hint = "; what has a value, word[0]=rent, stands in a list (--list)" if "=" in line else ""
        raise ConfigError(f"{error.message}{hint}", "--feature") from error


def _entries(how: Proposing, found: _Found) -> list[str]:
    """The list, feature by feature."""
    import numpy as np

    from sstag.knowledge.proposal_text import in_context, occurrences_text, proposal_entry, target_text

    of, entries = found.of, []
    for attribute, name in zip(found.chosen, of.texts(found.chosen), strict=True):
        rng = np.random.default_rng([how.seed, attribute])
        notes: list[str] = []
        if how.targets == "given":
            target = "\t".join(found.said[attribute])
        else:
            target, notes = target_text(of, attribute, how.targets, how.samples, how.smoothing, rng)
            target = "\t".join([target, *found.said.get(attribute, ())[1:]])
        shown = rng.permutation(of.tokens(attribute))[: how.show].tolist() if how.show else []
        contexts = [f"  {in_context(found.text, token)}" for token in shown]
        entries.append(proposal_entry(name, target, [occurrences_text(of, attribute), *notes, *contexts]))
    return entries
