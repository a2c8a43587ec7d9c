"""Options that several commands share, and what they mean."""

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from sstag.corpus.layout import Layout, layout_for
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD
from sstag.labels.marks import CONLLU_MARKS, PLAIN, Marks, changed

MOST_THREADS = 1024


class Command(click.Command):
    """A command in which an option that takes one value is given once: which of two counts is not for us to guess."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        *_, order = self.make_parser(context).parse_args(list(args))
        given: set[str] = set()
        for parameter in order:
            if isinstance(parameter, click.Option) and not parameter.multiple and not parameter.is_flag:
                if parameter.opts[0] in given:
                    raise click.UsageError(f"{parameter.opts[0]} is given twice", context)
                given.add(parameter.opts[0])
        return super().parse_args(context, args)


class Number(click.FloatRange):
    """A number in a range: nan is in none, and infinity is no number."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        number: float = super().convert(value, parameter, context)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", parameter, context)
        return number


@dataclass(frozen=True)
class Reading:
    """How column files are to be read, as the options say."""

    columns: str | None
    label: str | None
    unlabeled: bool
    from_format: str
    marks: tuple[str, ...]
    no_marks: bool

    @property
    def conllu(self) -> bool | None:
        """Whether the input is CoNLL-U; None leaves it to its name."""
        return is_said_to_be_conllu(self.from_format)

    def layout(self, path: str) -> Layout:
        """The layout of one file."""
        names = [name.strip() for name in self.columns.split(",")] if self.columns is not None else None
        if names and not all(names):
            raise click.BadParameter("a name is empty", param_hint="--columns")
        try:
            return layout_for(path, names, self.label, self.unlabeled, self.conllu)
        except ConfigError as error:
            raise click.UsageError(error.message) from error

    def marks_of(self, layout: Layout) -> Marks:
        """The marks in the label column of such files."""
        return changed(CONLLU_MARKS if layout.conllu else Marks(), marks_said(self.marks, self.no_marks))


def marks_said(said: tuple[str, ...], none: bool) -> dict[str, str | None]:
    """The changes that `--mark` and `--no-marks` ask for."""
    changes: dict[str, str | None] = dict(vars(PLAIN)) if none else {}
    for setting in said:
        name, equals, text = setting.partition("=")
        try:
            if not equals:
                raise ConfigError(f"'{setting}': write NAME=TEXT")
            changed(Marks(), changes | {name: text or None})
        except ConfigError as error:
            raise click.BadParameter(error.message, param_hint="--mark") from error
        changes[name] = text or None
    return changes


def marking(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options for marks in label columns."""
    mark = click.option(
        "--mark",
        "marks",
        multiple=True,
        metavar="NAME=TEXT",
        help="Another text for a mark: either (|), unknown (?), negation (!). Empty: off.",
    )
    none = click.option("--no-marks", is_flag=True, help="Labels have no marks: A|B, ? and !A are plain labels.")
    return mark(none(command))


input_format = click.option(
    "--from-format",
    "from_format",
    type=click.Choice(["auto", "columns", "conllu"]),
    default="auto",
    show_default=True,
    help="Format of the input; auto goes by the name (.conllu).",
)


def is_said_to_be_conllu(from_format: str) -> bool | None:
    """What `--from-format` says; None leaves it to the name."""
    return None if from_format == "auto" else from_format == "conllu"


def naming(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options for the columns of its files."""
    for option in (
        input_format,
        click.option("--unlabeled", is_flag=True, help="No column is a label."),
        click.option(
            "--label", metavar="NAME", help="The column that holds the label.  [default: last; CoNLL-U: upos]"
        ),
        click.option("--columns", metavar="A,B,…", help="Names of the columns.  [default: word, column2, …, label]"),
    ):
        command = option(command)
    return command


def reading_columns(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command that reads no label the options for reading column files, together as `how`."""

    @naming
    @wraps(command)
    def with_options(
        *, columns: str | None, label: str | None, unlabeled: bool, from_format: str, **others: Any
    ) -> Any:  # fmt: skip
        return command(how=Reading(columns, label, unlabeled, from_format, (), False), **others)

    return with_options


def reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the options for reading column files, together as `how`."""

    @naming
    @marking
    @wraps(command)
    def with_options(
        *, columns: str | None, label: str | None, unlabeled: bool, from_format: str, marks: tuple[str, ...],
        no_marks: bool, **others: Any,
    ) -> Any:  # fmt: skip
        return command(how=Reading(columns, label, unlabeled, from_format, marks, no_marks), **others)

    return with_options


def reading_format_and_marks(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a command that chooses columns itself, and whose `--format` is that of its output."""

    @input_format
    @marking
    @wraps(command)
    def with_options(*, from_format: str, marks: tuple[str, ...], no_marks: bool, **others: Any) -> Any:
        return command(how=Reading(None, None, False, from_format, marks, no_marks), **others)

    return with_options


def say_if_terminal(path: str) -> None:
    """A person who forgot the file name should not wait for nothing."""
    if path == STANDARD and sys.stdin is not None and sys.stdin.isatty():
        click.echo("reading from the terminal (end with Ctrl-D)", err=True)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


threads_option = click.option(
    "--threads",
    type=click.IntRange(1, MOST_THREADS),
    default=processors,
    show_default="all processors",
    help="Threads; they change how long it takes and nothing else.",
)
