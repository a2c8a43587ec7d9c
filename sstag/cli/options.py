"""Options that several commands share, and what they mean."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from sstag.errors import ConfigError, nearest
from sstag.files import STANDARD
from sstag.labels import CONLLU_MARKS, PLAIN, Marks
from sstag.layout import Layout, layout_for

MARKS = ("either", "unknown", "negation")


@dataclass(frozen=True)
class Reading:
    """How column files are to be read, as the options say."""

    columns: str | None
    label: str | None
    unlabeled: bool
    form: str
    marks: tuple[str, ...]
    no_marks: bool

    def layout(self, path: str) -> Layout:
        """The layout of one file."""
        names = [name.strip() for name in self.columns.split(",")] if self.columns is not None else None
        if names and not all(names):
            raise click.BadParameter("a name is empty", param_hint="--columns")
        conllu = None if self.form == "auto" else self.form == "conllu"
        try:
            return layout_for(path, names, self.label, self.unlabeled, conllu)
        except ConfigError as error:
            raise click.UsageError(error.message) from error

    def marks_of(self, layout: Layout) -> Marks:
        """The marks in the label column of such files."""
        if self.no_marks:
            return PLAIN
        base = CONLLU_MARKS if layout.conllu else Marks()
        chosen = {name: getattr(base, name) for name in MARKS}
        for setting in self.marks:
            name, equals, text = setting.partition("=")
            if not equals or name not in chosen:
                hint = nearest(name, MARKS) if equals else "; write NAME=TEXT"
                raise click.BadParameter(f"there is no mark '{name}'{hint}", param_hint="--mark")
            chosen[name] = text or None
        try:
            return Marks(**chosen)
        except ConfigError as error:
            raise click.BadParameter(error.message, param_hint="--mark") from error


def reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options for reading column files, together as `how`."""

    @click.option("--columns", metavar="A,B,…", help="Names of the columns.  [default: word, column2, …, label]")
    @click.option("--label", metavar="NAME", help="The column that holds the label.  [default: last; CoNLL-U: upos]")
    @click.option("--unlabeled", is_flag=True, help="No column is a label.")
    @click.option(
        "--format",
        "form",
        type=click.Choice(["auto", "columns", "conllu"]),
        default="auto",
        show_default=True,
        help="Format of the input; auto goes by the name (.conllu).",
    )
    @click.option(
        "--mark",
        "marks",
        multiple=True,
        metavar="NAME=TEXT",
        help="Another text for a mark: either (|), unknown (?), negation (!). Empty: off.",
    )
    @click.option("--no-marks", is_flag=True, help="Labels have no marks: A|B, ? and !A are plain labels.")
    @wraps(command)
    def with_options(
        *, columns: str | None, label: str | None, unlabeled: bool, form: str, marks: tuple[str, ...], no_marks: bool,
        **others: Any,
    ) -> Any:  # fmt: skip
        return command(how=Reading(columns, label, unlabeled, form, marks, no_marks), **others)

    return with_options


def _cpus() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


threads = click.option(
    "--threads",
    type=click.IntRange(1),
    default=_cpus,
    metavar="N",
    show_default="all processors",
    help="How many threads; the result does not depend on it.",
)


def say_if_terminal(path: str) -> None:
    """A person who forgot the file name should not wait for nothing."""
    if path == STANDARD and sys.stdin is not None and sys.stdin.isatty():
        click.echo("reading from the terminal (end with Ctrl-D)", err=True)
