"""The examples of a document: its commands and its Python, run in a folder of their own, beside what it shows of them.

A block ```console has commands, each after `$ `, with what it prints below; a here-document ends with END. A block
```python is run after those before it, with their names; the block ``` after it is what it prints. A shown line `…`
stands for lines that are left out.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sstag.foundation.child_python import module_command

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = re.compile(
    r"```console\n(?P<console>.*?)```|```python\n(?P<python>.*?)```\n\n```\n(?P<shown>.*?)```", re.DOTALL
)
COMMAND = re.compile(r"^\$ (.*<<'END'.*\n(?:.*\n)*?END|.*)\n((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)
LEFT_OUT = "…"
# What differs between processors or machines, and is therefore not compared: how long the way to an optimum was.
VARIABLE = (re.compile(r"\d[\d,]* iterations?"), re.compile(r"added \S+ of itself"), re.compile(r"gradient is \S+ of"))


@dataclass(frozen=True)
class Example:
    """A command or a piece of Python, what a document shows of its output, and where that stands in the document."""

    code: str
    shown: str
    begin: int
    end: int
    python: bool


def examples(text: str) -> Iterator[Example]:
    """The examples of a document, in order."""
    for block in EXAMPLE.finditer(text):
        if block["console"] is None:
            yield Example(block["python"], block["shown"], *block.span("shown"), True)
            continue
        start = block.start("console")
        for command in COMMAND.finditer(block["console"]):
            begin, end = command.span(2)
            yield Example(command[1], command[2], start + begin, start + end, False)


@dataclass
class Session:
    """A folder in which the examples of one document run, one after another, by this tree or by another program."""

    folder: Path
    program: str | None = None  # an installed `sstag`, which sees nothing of this tree
    names: dict[str, object] = field(default_factory=dict)  # what the Python so far has defined

    def printed(self, example: Example) -> str:
        """The output of an example: standard output, then standard error, since how they mingle is chance."""
        if example.python:
            said = io.StringIO()
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(said):
                exec(example.code, self.names)
            return said.getvalue()
        return self._run(example.code)

    def _run(self, command: str) -> str:
        programs = self.folder / ".programs"
        if not programs.exists():
            programs.mkdir()
            sstag = programs / "sstag"
            called = shlex.quote(self.program) if self.program else shlex.join(module_command("sstag"))
            sstag.write_text(f'#!/bin/sh\nexec {called} "$@"\n')
            sstag.chmod(0o755)
        paths = [] if self.program else [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(paths),
            "COLUMNS": "80",
        }
        run = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        return run.stdout + run.stderr


def agree(shown: str, printed: str) -> bool:
    """Whether a document shows what was printed, to the last digit but for what is variable and what it leaves out."""
    for pattern in VARIABLE:
        shown, printed = pattern.sub("#", shown), pattern.sub("#", printed)
    lines = [".*\n" if line == LEFT_OUT else re.escape(f"{line}\n") for line in shown.splitlines()]
    pattern = re.compile("".join(f"(?:{line})*" if line == ".*\n" else line for line in lines))
    return pattern.fullmatch(printed if not printed or printed.endswith("\n") else f"{printed}\n") is not None


def recorded(text: str, folder: Path) -> str:
    """The document with what its examples print now, except where it already shows that."""
    session, parts, done = Session(folder), [], 0
    for example in examples(text):
        printed = session.printed(example)
        same = agree(example.shown, printed)
        parts += [text[done : example.begin], example.shown if same else printed]
        done = example.end
    return "".join([*parts, text[done:]])
