"""Options that several commands share, and what they mean."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

import click

from sstag.corpus.contexts import FILE, KINDS, NO_CONTEXT, NONE, OF_FILE, WAYS, Context, context_called
from sstag.corpus.formats import Asked
from sstag.corpus.layout import Layout, layout_for
from sstag.foundation.errors import ConfigError
from sstag.foundation.files import STANDARD
from sstag.foundation.sources import is_file, matching
from sstag.interfaces.cli.help_sections import METHOD, OTHER, OUTPUT, READING, OneOf, options_of
from sstag.interfaces.cli.text_options import reading_text
from sstag.labels.marks import PLAIN, Marks, changed_marks, marks_in

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from sstag.model.model import Model

MOST_THREADS = 1024

_in_reading = options_of(READING)


@dataclass(frozen=True)
class Reading:
    """How column files are to be read, as the options say."""

    columns: str | None
    label: str | None
    no_label: bool
    asked: Asked
    marks: tuple[str, ...]
    no_marks: bool

    def layout(self, path: str) -> Layout:
        """The layout of one file."""
        names = [name.strip() for name in self.columns.split(",")] if self.columns is not None else None
        if names and not all(names):
            raise click.BadParameter("a name is empty", param_hint="--columns")
        try:
            return layout_for(path, names, self.label, self.no_label, self.asked)
        except ConfigError as error:
            raise click.UsageError(error.message) from error

    def marks_of(self, layout: Layout) -> Marks:
        """The marks in the label column of such files."""
        return changed_marks(marks_in(layout.format), marks_said(self.marks, self.no_marks))


def marks_said(said: tuple[str, ...], none: bool) -> dict[str, str | None]:
    """The changes that `--mark` and `--no-marks` ask for."""
    changes: dict[str, str | None] = dict(vars(PLAIN)) if none else {}
    for setting in said:
        name, equals, text = setting.partition("=")
        try:
            if not equals:
                raise ConfigError(f"'{setting}': write NAME=TEXT")
            changed_marks(Marks(), changes | {name: text or None})
        except ConfigError as error:
            raise click.BadParameter(error.message, param_hint="--mark") from error
        changes[name] = text or None
    return changes


def marking(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the options for marks in label columns."""
    mark = _in_reading(
        "--mark",
        "marks",
        multiple=True,
        metavar="NAME=TEXT",
        help="Another text for a mark: either (|), unknown (?) or negation (!); none turns it off. Repeatable.",
    )
    none = _in_reading("--no-marks", is_flag=True, help="Read A|B, ? and !A as plain labels.")
    return mark(none(command))


def naming(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the options for the columns of its files."""
    for option in (
        reading_text,
        _in_reading("--no-label", is_flag=True, help="No column is a label."),
        _in_reading("--label", metavar="COLUMN", show_default="last; in CoNLL-U upos", help="Column of the labels."),
        _in_reading("--columns", metavar="A,B,…", show_default="word, column2, …, label", help="Names of the columns."),
    ):
        command = option(command)
    return command


def reading_columns(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command that reads no label the options for reading column files, together as `how`."""

    @naming
    @wraps(command)
    def with_options(
        *, columns: str | None, label: str | None, no_label: bool, read_as: Asked, **others: object
    ) -> object:  # fmt: skip
        return command(how=Reading(columns, label, no_label, read_as, (), False), **others)

    return with_options


def reading(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the options for reading column files, together as `how`."""

    @naming
    @marking
    @wraps(command)
    def with_options(
        *, columns: str | None, label: str | None, no_label: bool, read_as: Asked, marks: tuple[str, ...],
        no_marks: bool, **others: object,
    ) -> object:  # fmt: skip
        marks_said(marks, no_marks)  # a mark that cannot be is an error also where no label is looked into
        return command(how=Reading(columns, label, no_label, read_as, marks, no_marks), **others)

    return with_options


def reading_format_and_marks(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command that names columns in its own way the options for the format and the marks, together as `how`."""

    @reading_text
    @marking
    @wraps(command)
    def with_options(*, read_as: Asked, marks: tuple[str, ...], no_marks: bool, **others: object) -> object:
        marks_said(marks, no_marks)
        return command(how=Reading(None, None, False, read_as, marks, no_marks), **others)

    return with_options


def say_if_terminal(path: str) -> None:
    """A person who forgot the file name should not wait for nothing."""
    if path == STANDARD and sys.stdin is not None and sys.stdin.isatty():
        click.echo("reading from the terminal (end with Ctrl-D)", err=True)


def those_called(_: click.Context, __: click.Parameter, said: tuple[str, ...]) -> tuple[str, ...]:
    """The files that some names and patterns mean: a callback of options and arguments that take several files."""
    return tuple(matching(said))


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


output_option = options_of(OUTPUT)(
    "--output", "-o", "target", default=STANDARD, metavar="FILE", show_default="stdout", help="Where to write."
)
seed_option = options_of(OTHER)(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="What is random depends on it."
)
threads_option = options_of(OTHER)(
    "--threads",
    type=click.IntRange(1, MOST_THREADS),
    default=processors,
    show_default="all processors",
    help="Threads; they change the time and nothing else.",
)
legal_option = options_of(METHOD)(
    "--legal", is_flag=True, help="Only labellings that are well-formed in the model's scheme."
)


class ContextKind(click.ParamType[Context]):
    """The text that is read before a sentence is tagged, by its name or as a number of sentences."""

    name = "context"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join((*KINDS[:-1], 'N', KINDS[-1]))}]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Context:
        try:
            return value if isinstance(value, Context) else context_called(value)
        except ConfigError as error:
            self.fail(error.message, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        return [CompletionItem(kind) for kind in KINDS if kind.startswith(incomplete)]


context_option = options_of(METHOD)(
    "--context",
    type=ContextKind(),
    show_default="file where the model has predicted(…) and FILE is a file",
    help=f"What a model with predicted(…) reads before it tags: {WAYS}.",
)


whole_context_option = options_of(METHOD)(
    "--context",
    type=OneOf((FILE, NONE), "context"),
    show_default="file where a model has predicted(…)",
    help="What a model with predicted(…) reads before: all of the text (file), or none.",
)


def context_of(model: "Model", said: Context | None, files: Sequence[str] = (), stream: bool = False) -> Context:
    """The text that a model of two stages reads before it tags; the file, if nothing is said and all are files."""
    if model.first is None and said:
        raise ConfigError("--context is for models of two stages: no feature of this one is predicted(…)")
    if said == OF_FILE and stream:
        raise click.UsageError(f"--stream answers before the text has ended: not with --context {OF_FILE}")
    if model.first is None or said:
        return said or NO_CONTEXT
    are_files = all(os.path.isdir(file) or is_file(file) for file in files)
    return OF_FILE if are_files and not stream else NO_CONTEXT


def format_option(formats: Sequence[str], help_line: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """The option --format of one of some formats, the first of them unless another is given."""
    kind = OneOf(formats, "format")
    return options_of(OUTPUT)("--format", "form", type=kind, default=formats[0], show_default=True, help=help_line)


all_labels_option = options_of(OUTPUT)("--all-labels", is_flag=True, help="Show all labels, however many there are.")
