"""Runs of commands and of functions, each in a process of its own, with their seconds and peak memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sstag.foundation.child_python import child_environment, module_command

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench/results"
# An installed package has its byte code in files; where Python is told to write none, every start compiles it anew.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class NotMeasured(Exception):
    """Something could not be measured, for the reason in the message."""


@dataclass(frozen=True)
class Command:
    """A command to run, with its standard input."""

    words: tuple[str, ...]
    stdin: Path | None = None
    speaks: bool = False  # whether it prints its result as JSON
    environment: Mapping[str, str] = field(default_factory=dict)  # what is added to that of all commands


def function(where: str, **arguments: Any) -> Command:
    """The command that calls the function `module:name` of this package and prints its result."""
    words = module_command("bench.child", where, json.dumps(arguments, default=str))
    return Command(tuple(words), speaks=True, environment=child_environment())


def module(name: str, *words: object) -> Command:
    """The command that runs a script of this package."""
    return Command(tuple(module_command(name, *words)), environment=child_environment())


def sstag(*words: object, stdin: Path | None = None, speaks: bool = False) -> Command:
    """A command of sstag as it is installed."""
    return Command((str(Path(sys.executable).with_name("sstag")), *map(str, words)), stdin, speaks)


def run(side: Command) -> dict[str, Any]:
    """The result that a command prints, or else its seconds from start to end, and its peak memory in MiB."""
    with ExitStack() as files:
        said, complaints = (files.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        given = files.enter_context(open(side.stdin or os.devnull, "rb"))
        began = time.perf_counter()
        environment = ENVIRONMENT | side.environment
        process = subprocess.Popen(side.words, stdin=given, stdout=said, stderr=complaints, cwd=ROOT, env=environment)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            last = complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise NotMeasured(last or f"ended with {process.returncode}")
        said.seek(0)
        result = (json.loads(said.read()) or {}) if side.speaks else {"seconds": seconds}
    peak = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return result | {"MiB": peak, "processor seconds": usage.ru_utime + usage.ru_stime}


def alternated(sides: Mapping[str, Command], runs: int, tell: Callable[[str], None]) -> dict[str, list[dict[str, Any]]]:
    """The runs of every side, one after another in turn, so that a slow minute of the machine hits all sides."""
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in sides}
    for number in range(runs):
        for name, side in sides.items():
            tell(f"{name}, run {number + 1} of {runs}")
            results[name].append(run(side))
    return results
