"""The options of `sstag annotate` for a project that is there: the same choices go on, and others change it."""

import secrets
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sstag.foundation.errors import ConfigError, counted
from sstag.interfaces.cli.options import Reading
from sstag.interfaces.cli.text_options import words_of

if TYPE_CHECKING:
    from sstag.corpus.layout import Layout
    from sstag.interfaces.annotate.again import Choices
    from sstag.interfaces.annotate.label_changes import LabelChange
    from sstag.interfaces.annotate.project import Project

BECOMES = ("open", "outside")  # what tokens with a removed label become


def names_in(labels: str | None) -> tuple[str, ...] | None:
    """The names in a list of labels."""
    return None if labels is None else tuple(name.strip() for name in labels.split(","))


def reading_words(how: Reading) -> tuple[str, ...]:
    """The options that say how a file is read, as a command line has them."""
    columns = ["--columns", how.columns] if how.columns else []
    label = ["--label", how.label] if how.label else []
    return (*words_of(how.asked), *columns, *label, *(["--no-label"] if how.no_label else []))


def goes_on(project: "Project", chosen: "Choices", layout: "Layout | None") -> None:
    """Refuses a choice that a project does not have, if the command could have begun it; says how much it is."""
    from sstag.interfaces.annotate.again import check_again

    if not chosen.are_a_beginning:
        chosen = replace(chosen, overlap=None)  # which changes the one that is there
    try:
        check_again(chosen, project.store.settings(), layout)
    except ConfigError as error:
        raise click.UsageError(error.message) from error
    if chosen.pool:
        pool = project.pool
        size = f"{counted(pool.texts, 'sentence')} with {counted(pool.tokens, 'token')}"
        click.echo(f"{project.name}: {size}; each sentence is a text to annotate", err=True)


def label_change(added: str | None, renamed: tuple[str, ...], removed: dict[str, str]) -> "LabelChange | None":
    """The change of labels that the options ask for; None if they ask for none."""
    from sstag.interfaces.annotate.label_changes import LabelChange

    pairs = [one.partition("=") for one in renamed]
    if wrong := next((one for one, (old, _, new) in zip(renamed, pairs, strict=True) if not (old and new)), None):
        raise click.BadParameter(f"'{wrong}': write OLD=NEW", param_hint="--rename-label")
    names = {old: new for old, _, new in pairs}
    if len(names) < len(pairs):
        raise click.BadParameter("a label stands twice", param_hint="--rename-label")
    return LabelChange(names_in(added) or (), names, removed) if added or names or removed else None


def labels_changed(project: "Project", change: "LabelChange") -> None:
    """Changes the labels; a person at a terminal is asked what becomes of answers with a label that goes."""
    from sstag.interfaces.annotate.changing import change_labels, uses_in
    from sstag.interfaces.annotate.keeping import COMMAND, Conflict

    removed = dict(change.removed)
    for label, uses in uses_in(project, [label for label, becomes in removed.items() if not becomes]).items():
        if any(uses.json.values()) and sys.stdin is not None and sys.stdin.isatty():
            click.echo(f"'{label}' is in answers about {uses}.", err=True)
            removed[label] = click.prompt("Their tokens become", type=click.Choice(BECOMES), err=True)
    session = project.store.begin("sstag annotate", COMMAND)
    try:
        change_labels(project, session, secrets.token_hex(12), replace(change, removed=removed))
    except Conflict as error:
        raise ConfigError(f"{error.message}: --remove-as {' or '.join(BECOMES)}") from error
    click.echo(f"{project.name}: the labels are {','.join(project.settings.labels)}", err=True)


def overlap_changed(project: "Project", overlap: int) -> None:
    """Asks so many annotators about each text from now on."""
    from sstag.interfaces.annotate.changing import change_overlap

    before = project.settings.overlap
    change_overlap(project, overlap)
    if overlap != before:
        many = counted(overlap, "annotator")
        click.echo(f"{project.name}: {many} for each text that nobody was asked about yet ({before} before)", err=True)
