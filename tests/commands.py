"""The commands as a shell runs them; and `sstag eval` in the process of the tests, which is faster."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from sstag.foundation.errors import SstagError
from sstag.interfaces import cli

SSTAG = [sys.executable, "-m", "sstag"]


def sstag(
    *arguments: str | Path, stdin: str | bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    run = subprocess.run([*SSTAG, *map(str, arguments)], input=data, capture_output=True, cwd=cwd)
    return subprocess.CompletedProcess(run.args, run.returncode, run.stdout.decode(), run.stderr.decode())


def trained_in(folder: Path, arguments: list[str], **more: str) -> "subprocess.CompletedProcess[str]":
    """The real command in a folder; arguments take the place of what is said by default."""
    base = {"--template": "t.yaml", "--train": "train.txt", "--model": "m", **more}
    left = [word for name, value in base.items() if name not in arguments for word in (name, value)]
    return subprocess.run(
        [*SSTAG, "train", *left, *arguments], cwd=folder, capture_output=True, text=True, encoding="utf-8"
    )


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


def ran(*arguments: str | Path, stdin: bytes = b"") -> Ran:
    """The output and the exit code of `sstag eval`, run in this process; a bug is raised."""
    result = CliRunner().invoke(cli.sstag, ["eval", *map(str, arguments)], input=stdin)
    if isinstance(result.exception, SstagError):
        return Ran(1, result.stdout, f"{result.exception}\n")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)
