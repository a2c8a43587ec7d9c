"""Messages with advice, in tables by command: what provokes each, and the commands that do what it says.

A command is written as in a shell, without `sstag`. What follows a message is a whole command; or the same one again
`with` more words at its end, `without` some of its words, or with others in their place (`without --legal with
--curve`); and `with` alone says it once more. Advice about files is followed by `$ mv …` and the like, and `NAME=VALUE`
before a command is its environment.
"""

import re
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from pathlib import Path

from click.testing import CliRunner

import sstag
from sstag.foundation.errors import SstagError
from sstag.interfaces import cli

WITH, WITHOUT, SHELL, PYTHON = "with", "without", "$", "python"
SETTING = re.compile(r"[A-Z_]+=")
Files = Mapping[str, str | bytes | Path]  # a path is that of a link
Bounds = Mapping[str, object]  # `module.NAME`: lower ones, which a small file reaches


@dataclass(frozen=True)
class Case:
    """A command that fails with advice, or succeeds with it, and the commands that follow the advice, the last last."""

    files: Files
    words: Sequence[str]
    told: str  # what stands in the message
    then: Sequence[Sequence[str]] = ()  # whole commands; or else the words are said again with
    added: Sequence[Sequence[str]] = field(default=())  # one of these at a time
    stdin: str = ""
    bounds: Bounds = field(default_factory=dict)
    before: Sequence[Sequence[str]] = ()  # commands that run first
    code: int = 0  # the exit code of what follows the advice

    def at(self, address: str, folder: str) -> "Case":
        """The case with an address in the place of `@`, and a folder in the place of `%`."""
        every = (self.words, *self.then)
        words, *then = ([word.replace("@", address).replace("%", folder) for word in some] for some in every)
        return replace(self, words=words, then=then)


def advised(
    command: str, told: str, *then: str, stdin: str = "", bounds: Bounds | None = None, files: Files | None = None,
    before: Sequence[str] = (), code: int = 0,
) -> Case:  # fmt: skip
    """A case whose commands are written as in a shell."""
    words, first = shlex.split(command), [*map(shlex.split, before)]
    follow = [*map(partial(_said_again, words), then)]
    return Case(files or {}, words, told, follow, (), stdin, bounds or {}, first, code)


def in_python(program: str, told: str, *then: str, files: Files | None = None, bounds: Bounds | None = None) -> Case:
    """A case of the Python API: a program that fails, and programs that do what the error says."""
    return Case(files or {}, [PYTHON, program], told, [[PYTHON, text] for text in then], bounds=bounds or {})


def _said_again(words: Sequence[str], text: str) -> list[str]:
    """A whole command; or the words of another one with changes."""
    parts = shlex.split(text)
    if not parts or parts[0] not in (WITH, WITHOUT):
        return parts
    changed, way, some, place = list(words), "", list[str](), len(words)
    for part in [*parts, WITH]:
        if part not in (WITH, WITHOUT):
            some.append(part)
            continue
        if way == WITHOUT:
            place = next(at for at in range(len(changed)) if changed[at : at + len(some)] == some)
            del changed[place : place + len(some)]
        else:
            changed[place:place] = some
            place = len(changed)
        way, some = part, []
    return changed


def ran(words: Sequence[str], stdin: str = "") -> tuple[int, str]:
    """The exit code of a command in this process, and what it says."""
    return PROGRAMS.get(words[0], _sstag)(words, stdin)


def _sstag(words: Sequence[str], stdin: str) -> tuple[int, str]:
    environment = dict(word.split("=", 1) for word in takewhile(SETTING.match, words))
    result = CliRunner(env=environment).invoke(cli.sstag, list(words[len(environment) :]), input=stdin)
    if isinstance(result.exception, SstagError):
        return 1, result.output + str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def _shell(words: Sequence[str], stdin: str) -> tuple[int, str]:
    done = subprocess.run(shlex.join(words[1:]), shell=True, capture_output=True, text=True, input=stdin)
    return done.returncode, done.stdout + done.stderr


def _python(words: Sequence[str], stdin: str) -> tuple[int, str]:
    try:
        exec(words[1], {"sstag": sstag})
    except (SstagError, ImportError, TypeError, ValueError) as error:
        return 1, str(error)
    return 0, ""


PROGRAMS: dict[str, Callable[[Sequence[str], str], tuple[int, str]]] = {SHELL: _shell, PYTHON: _python}
