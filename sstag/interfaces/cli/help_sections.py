"""Commands whose help shows options by section, and the types of their values."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

import click
from click.shell_completion import CompletionItem
from click.types import OptionHelpExtra

from sstag.foundation.errors import alike, nearest
from sstag.foundation.files import NO_TEXT

DATA, METHOD, TUNING, OUTPUT, READING, SPANS, CLUSTER, OTHER = (
    "Data", "Method", "Tuning", "Output", "Reading files", "Text and spans", "Cluster", "Other",
)  # fmt: skip
WIDEST = 26  # columns of option names beside which their help begins
LONGEST = 24  # columns of choices that are shown in place of a word for them
REFERENCE = "docs/reference"
FILES = ("FILE", "MODEL", "TEMPLATE", "GOLD", "PREDICTED", "FOLDER", "PROJECT", "POOL", "STEM")

Listed: TypeAlias = Sequence[tuple[str, Iterable[tuple[str, str]]]]  # titles, each with names and a line for each


# What a shell completes a value with, by the word that stands for it.
COMPLETED = {"FILE": "file", "MODEL": "file", "TEMPLATE": "file", "GOLD": "file", "PREDICTED": "file", "FOLDER": "dir"}


def _paths(metavar: str | None, incomplete: str) -> list[CompletionItem]:
    """The files or folders that a shell may complete a value to."""
    kind = COMPLETED.get((metavar or "").strip("[]."))
    return [CompletionItem(incomplete, type=kind)] if kind else []


class Argument(click.Argument):
    """An argument that a shell completes to a path."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return _paths(self.metavar, incomplete) or super().shell_complete(ctx, incomplete)


class Option(click.Option):
    """An option that stands in a section of the help."""

    def __init__(self, names: Sequence[str], section: str = OTHER, **more: Any) -> None:
        super().__init__(names, **more)
        self.section = section

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return _paths(self.metavar, incomplete) or super().shell_complete(ctx, incomplete)

    def make_metavar(self, ctx: click.Context) -> str:
        if self.metavar is None and isinstance(self.type, click.IntRange):
            return "N"
        return super().make_metavar(ctx)

    def get_help_extra(self, ctx: click.Context) -> OptionHelpExtra:
        """Whether it is required and its default, and its range in words unless that goes without saying."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        if isinstance(self.type, click.IntRange | click.FloatRange) and (words := _range(self.type)):
            extra["range"] = words
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


def _range(of: click.IntRange | click.FloatRange) -> str:
    """The numbers in a range with an end: that counts are not negative goes without saying."""
    if of.max is None:
        return "" if of.min in (0, 1) else f"from {of.min}"
    return f"above {of.min}, to {of.max:,}" if of.min_open else f"{of.min} to {of.max:,}"


def options_of(section: str) -> Callable[..., Callable[[Callable[..., object]], Callable[..., object]]]:
    """A function like `click.option` whose options stand in a section."""
    return partial(click.option, cls=Option, section=section)


class Command(click.Command):
    """A command that shows its options by section, then lists of names, then where more is written.

    An option that takes one value is given once: which of two counts is not for us to guess.
    """

    def __init__(
        self, lists: Listed = (), explains_spans: bool = False, keeps_names: bool = False, **more: Any
    ) -> None:
        super().__init__(**more)
        self.keeps_names = keeps_names  # in files of JSON, so that names of files have to be text as well
        self.lists = lists
        self.explains_spans = explains_spans  # other commands name the options for text and spans alone

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        try:
            *_, order = self.make_parser(context).parse_args(list(args))
        except click.NoSuchOption as error:
            meant = _meant(error.option_name, error.possibilities or ())
            raise click.NoSuchOption(error.option_name, possibilities=meant, ctx=error.ctx) from error
        given: set[str] = set()
        for parameter in order:
            if isinstance(parameter, click.Option) and not parameter.multiple and not parameter.is_flag:
                if parameter.opts[0] in given:
                    raise click.UsageError(f"{parameter.opts[0]} is given twice", context)
                given.add(parameter.opts[0])
        rest = super().parse_args(context, args)
        for parameter in self.params:
            free = _names_file(parameter) and not self.keeps_names
            if not (free or _is_text(context.params.get(parameter.name or ""))):
                raise click.BadParameter("is no text in UTF-8", context, parameter)
        return rest

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        sections = options_by_section(self, context)
        sections[OTHER] = sections.pop(OTHER)  # at the end
        named = () if self.explains_spans else [name.split()[0] for name, _ in sections.pop(SPANS, ())]
        written(formatter, [*sections.items()])
        if named:
            with formatter.section(f"{SPANS} (sstag convert --help explains these)"):
                formatter.write_text(" ".join(named))
        written(formatter, self.lists)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(context, formatter)
        say_more(context.command_path.removeprefix("sstag ").split()[0], formatter)


def _names_file(parameter: click.Parameter) -> bool:
    """Whether a value is the name of a file, which may have any bytes."""
    return any(word in (parameter.metavar or "") for word in FILES)


def _is_text(said: object) -> bool:
    """Whether a value of the command line is text; bytes that are none come as halves of characters."""
    if isinstance(said, tuple):
        return all(map(_is_text, said))
    return not isinstance(said, str) or NO_TEXT.search(said) is None


def options_by_section(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """The options of a command and what is said of each, by the section that they stand in."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and isinstance(parameter, click.Option):
            sections.setdefault(getattr(parameter, "section", OTHER), []).append(record)
    return sections


def _meant(name: str, options: Sequence[str]) -> list[str]:
    """The options that may be meant by one that there is not: those that are alike, and those that contain it."""
    near = alike(name.lstrip("-"), [option.lstrip("-") for option in options])
    return [option for option in options if option.lstrip("-") in near or name.lstrip("-") in option]


def written(formatter: click.HelpFormatter, lists: Listed) -> None:
    """Writes lists one below the other, what is said of their names in one column."""
    rows = [(title, list(some)) for title, some in lists]
    width = max((len(name) for _, some in rows for name, _ in some if len(name) <= WIDEST), default=0)
    for title, some in rows:
        with formatter.section(title):
            formatter.write_dl([(f"{name:<{width}}", text) for name, text in some], col_max=width)


def say_more(page: str, formatter: click.HelpFormatter) -> None:
    """Writes the page on which a command is explained at length."""
    formatter.write_paragraph()
    formatter.write_text(f"More: {REFERENCE}/{page}.md")


class OneOf(click.Choice[str]):
    """One of some names, with the nearest one for a name that is none of them."""

    def __init__(self, names: Iterable[str], noun: str) -> None:
        super().__init__(list(names))
        self.noun = noun

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        every = f"[{'|'.join(self.choices)}]"
        return every if len(every) <= LONGEST else self.noun.upper()

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        return f"there is no {self.noun} '{value}'{nearest(str(value), self.choices)}"


class Number(click.FloatRange):
    """A number in a range: nan is in none, and infinity is no number."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        number: float = super().convert(value, parameter, context)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", parameter, context)
        return number
