"""Parts of documents that are made from the registries: commands, methods, parameters, schemes and formats."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

import click
import numpy as np

from sstag.corpus.formats import FORMATS
from sstag.features.encoders import BACKENDS
from sstag.interfaces.cli import COMMANDS
from sstag.labels.schemes.rewrite import rewritten
from sstag.labels.schemes.rules import SCHEMES
from sstag.labels.schemes.tagset import tagset

REFERENCE = Path(__file__).parent.parent / "reference"
WIDTH = 80  # columns of the help on the page


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar within a cell is written so that it does not end the cell."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def code(name: str) -> str:
    """A name as code."""
    return f"`{name}`"


def command_list() -> str:
    """A table of the commands, with links to their pages and to their help."""
    rows = [(_page(name), line, f"[help](commands.md#sstag-{name})") for name, (_, line) in COMMANDS.items()]
    return table(("command", "what it does", "options"), rows)


def _page(name: str) -> str:
    return f"[`sstag {name}`]({name}.md)" if (REFERENCE / f"{name}.md").exists() else f"`sstag {name}`"


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Each command and those within it, with its whole name."""
    for name, (where, _) in COMMANDS.items():
        yield from _with_inner(f"sstag {name}", import_module(where).command)


def _with_inner(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _with_inner(f"{path} {name}", inner)


def command_help() -> str:
    """The help of every command, as a terminal of 80 columns shows it."""
    return "\n\n".join(_help(path, command) for path, command in every_command())


def _help(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path, terminal_width=WIDTH, help_option_names=["-h", "--help"])
    lines = command.get_help(context).splitlines()
    return f"## {path}\n\n```\n" + "\n".join(line.rstrip() for line in lines) + "\n```"


def schemes() -> str:
    """A table of the tag schemes."""
    return table(("scheme", "how chunks are written"), [(code(name), scheme.help) for name, scheme in SCHEMES.items()])


def scheme_example() -> str:
    """A table of two neighbouring persons as each scheme writes them."""
    names = ["B-PER", "I-PER", "O"]
    persons, offsets = np.array([0, 1, 0, 2], np.int32), np.array([0, 4], np.int64)
    rows = []
    for scheme in SCHEMES:
        labels, codes, _ = rewritten(tagset(names, "iob2"), scheme, persons, offsets)
        rows.append((code(scheme), *(labels[one] for one in codes.tolist())))
    return table(("scheme", "Ann", "Lee", "Bob", "met"), rows)


def backends() -> str:
    """A table of the programs that run encoders."""
    rows = [
        (code(name), entry.help, f"`pip install '.[{name}]'`" if entry.packages else "nothing")
        for name, entry in BACKENDS.items()
    ]
    return table(("`--backend`", "runs", "needs"), rows)


def formats() -> str:
    """A table of the file formats; what looks like a link in an example is none."""
    shown = {True: "yes", False: "no"}
    rows = [
        (code(name), entry.help.replace("](", "]&#40;"), entry.ending or "", shown[entry.reads], shown[entry.writes])
        for name, entry in FORMATS.items()
    ]
    return table(("format", "what it is", "ending", "is read", "is written"), rows)
