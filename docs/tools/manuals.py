"""Manual pages of the commands and completion scripts of shells, which are installed with the package.

They are made from click's commands, so that `man sstag-train` says what `sstag train --help` says.
"""

import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from docs.tools.examples import ROOT
from docs.tools.registries import every_command
from sstag.interfaces.cli import COMMANDS, COMPLETION, EXIT_CODES, sstag
from sstag.interfaces.cli.help_sections import Command, options_by_section

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
MANUALS = Path("share/man/man1")
WRITTEN = str.maketrans({"\\": "\\e", "-": "\\-", "`": "\\(ga", "~": "\\(ti", "^": "\\(ha"})  # signs that troff changes
SCRIPTS: dict[Path, type[ShellComplete]] = {
    Path("share/bash-completion/completions/sstag"): BashComplete,
    Path("share/zsh/site-functions/_sstag"): ZshComplete,
    Path("share/fish/vendor_completions.d/sstag.fish"): FishComplete,
}


def files() -> dict[Path, str]:
    """Each manual page and each completion script, by its place in the repository."""
    found = {place: _script(shell) for place, shell in SCRIPTS.items()}
    found[MANUALS / "sstag.1"] = _overview()
    for path, command in every_command():
        found[MANUALS / f"{path.replace(' ', '-')}.1"] = _manual(path, command)
    return found


def _script(shell: type[ShellComplete]) -> str:
    script = shell(sstag, {}, "sstag", "_SSTAG_COMPLETE")
    return (script.source_template % script.source_vars()).strip() + "\n"


def _overview() -> str:
    """The page of the program."""
    help_text = sstag.help or ""
    commands = [(f"sstag-{name}(1)", line) for name, (_, line) in COMMANDS.items()]
    lists = [("COMMANDS", commands), ("EXIT STATUS", EXIT_CODES), ("SHELL COMPLETION", COMPLETION)]
    body = [_title("sstag"), ".SH NAME", "sstag \\- " + _plain(help_text.partition("\n")[0].rstrip("."))]
    body += [".SH SYNOPSIS", ".B sstag", _plain("COMMAND [OPTIONS] ..."), ".SH DESCRIPTION", *_paragraphs(help_text)]
    for title, rows in lists:
        body += [f".SH {title}", *_listed(rows)]
    return "\n".join(body) + "\n"


def _manual(path: str, command: click.Command) -> str:
    """The page of a command: its name, how it is called, what it does, its options by section, and lists of names."""
    context = click.Context(command, info_name=path, help_option_names=["-h", "--help"])
    usage = " ".join(command.collect_usage_pieces(context))
    first = inspect.cleandoc(command.help or "").partition("\n")[0]
    page = path.replace(" ", "-")
    body = [_title(page), ".SH NAME", f"{page} \\- {_plain(first.rstrip('.'))}", ".SH SYNOPSIS", f".B {path}"]
    body += [_plain(usage), ".SH DESCRIPTION", *_paragraphs(command.help or "")]
    body.append(".SH OPTIONS")
    for title, rows in options_by_section(command, context).items():
        body += [f".SS {_plain(title)}", *_listed(rows)]
    for title, names in command.lists if isinstance(command, Command) else ():
        body += [f".SH {_plain(title.upper())}", *_listed(names)]
    inner = command.commands if isinstance(command, click.Group) else {}
    also = ["sstag(1)", *(f"{page}-{name}(1)" for name in inner)]
    return "\n".join([*body, ".SH SEE ALSO", _plain(", ".join(also))]) + "\n"


def _title(page: str) -> str:
    return f'.TH "{page.upper()}" "1" "" "sstag {VERSION}" "sstag"'


def _listed(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, text in rows:
        yield from (".TP", f"\\fB{_plain(name)}\\fR", _plain(text))


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; those after a `\\b` stand as they are written."""
    for number, paragraph in enumerate(inspect.cleandoc(text).split("\n\n")):
        if paragraph.startswith("\b\n"):
            yield from (".PP", ".nf", *(_plain(one) for one in paragraph.splitlines()[1:]), ".fi")
        else:
            yield from ([".PP"] if number else [])
            yield _plain(" ".join(paragraph.split()))


def _plain(text: str) -> str:
    """A text in which troff sees no request and changes no sign."""
    text = (re.sub(r"\s*\n\s*", " ", text) if not text.startswith(" ") else text).translate(WRITTEN)
    return f"\\&{text}" if text.startswith((".", "'")) else text
