"""Options that several commands share, and what they mean."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from sstag.conll import Layout, layout_for
from sstag.errors import ConfigError, nearest
from sstag.files import STANDARD
from sstag.labels import CONLLU_MARKS, PLAIN, Marks

Command = TypeVar("Command", bound=Callable[..., Any])
MARKS = ("either", "unknown", "negation")


def reading(command: Command) -> Command:
    """Options for reading column files: columns, label, format and marks."""
    for option in reversed(
        [
            click.option("--columns", metavar="A,B,…", help="Names of the columns.  [default: word, …, label]"),
            click.option("--label", metavar="NAME", help="The column that holds the label.  [default: the last]"),
            click.option("--unlabeled", is_flag=True, help="No column is a label."),
            click.option(
                "--format",
                "form",
                type=click.Choice(["auto", "columns", "conllu"]),
                default="auto",
                show_default=True,
                help="Format of the input; auto goes by the name (.conllu).",
            ),
            click.option(
                "--mark",
                "marks",
                multiple=True,
                metavar="NAME=TEXT",
                help="Another text for a mark: either (|), unknown (?), negation (!). Empty: off.",
            ),
            click.option("--no-marks", is_flag=True, help="Labels have no marks: A|B, ? and !A are plain labels."),
        ]
    ):
        command = option(command)
    return command


def layout(path: str, columns: str | None, label: str | None, unlabeled: bool, form: str) -> Layout:
    """How a path is to be read."""
    names = [name.strip() for name in columns.split(",")] if columns is not None else None
    if names and not all(names):
        raise click.BadParameter("a name is empty", param_hint="--columns")
    return layout_for(path, names, label, unlabeled, None if form == "auto" else form == "conllu")


def marks_from(settings: tuple[str, ...], no_marks: bool, conllu: bool) -> Marks:
    """The marks that `--mark` and `--no-marks` ask for."""
    if no_marks:
        return PLAIN
    base = CONLLU_MARKS if conllu else Marks()
    chosen = {name: getattr(base, name) for name in MARKS}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise click.BadParameter(f"'{setting}' is not NAME=TEXT", param_hint="--mark")
        if name not in chosen:
            raise ConfigError(f"there is no mark '{name}'{nearest(name, MARKS)}")
        chosen[name] = text or None
    return Marks(**chosen)


def say_if_terminal(path: str) -> None:
    """A person who forgot the file name should not wait for nothing."""
    if path == STANDARD and sys.stdin is not None and sys.stdin.isatty():
        click.echo("reading from the terminal (end with Ctrl-D)", err=True)
