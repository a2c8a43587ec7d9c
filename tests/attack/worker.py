"""A process that runs one input after another, each a command in this very process, so that hundreds run in a second.

It is a child of one that has everything imported, and is ended by the system where an input has no end; its parent
then knows from shared memory which one that was, and begins another child after it.
"""

import io
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sstag.interfaces import cli
from tests.attack.inputs import Input, kind_of, made
from tests.attack.material import filled
from tests.attack.runs import MEMORY
from tests.attack.tally import Tally

SECONDS = 10  # of processor time for an input, all of which are small
WAITING = 60  # seconds by the clock
MORE_MEMORY = 400 * 2**20  # bytes that an input may need beyond what was there
LONGEST_LINE = 4096  # characters of a message
SEVERAL = ("check", "agree", "density", "experiment", "merge", "sample", "split", "train")  # may fail after the first
STOPPED = (129, 130, 143)  # exit codes: somebody ends all of it
INPUTS = 4000  # for one process
LEFT = re.compile(r"\.sstag-(part|lock)$")
# What a terminal obeys; a carriage return, and what clears a line, are what progress is shown with.
OBEYED = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OURS = re.compile("\r|\x1b\\[K")


@dataclass(frozen=True)
class Came:
    """The end of a command: its exit code and what it said."""

    code: int
    out: str
    err: str

    def fault(self, one: Input) -> str:
        """The fault that a command must not have, in words; empty if it has none."""
        if "Traceback" in self.err:
            return "traceback"
        if self.code not in (0, 1, 2):
            return f"exit code {self.code}"
        if self.code and not self.err.strip() and not self.out.strip():
            return "no message"
        if "not enough memory" in self.err:
            return "memory"
        if "site-packages" in self.err or "Warning: " in self.err:
            return "a warning with paths of sources"
        return "a long message" if any(len(line) > LONGEST_LINE for line in self.err.splitlines()) else ""


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Room:
    """A folder with the good files, which inputs change and which is as it was after each."""

    def __init__(self, folder: Path, good: Mapping[str, bytes]) -> None:
        self.folder, self.good = folder, good
        self.status: dict[str, tuple[int, int]] = {}
        os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = str(folder / "home")
        for name in ("out", "folder", "home"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        for name in good:
            self._write(name, good[name])
        self.streams = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600) for name in ("home/1", "home/2")]

    def _write(self, name: str, data: bytes) -> None:
        with open(name, "wb") as file:
            file.write(data)
        found = os.stat(name)
        self.status[name] = found.st_size, found.st_mtime_ns

    def run(self, words: list[str], terminal: bool = False) -> Came:
        """A command."""
        before = sys.stdin, sys.stdout, sys.stderr
        for number, handle in enumerate(self.streams, 1):
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.dup2(handle, number)
        wrapper = Terminal if terminal else io.TextIOWrapper
        sys.stdin = io.TextIOWrapper(_opened(0, "rb"), "utf-8", "surrogateescape")
        sys.stdout = wrapper(_opened(1, "wb"), "utf-8")
        sys.stderr = wrapper(_opened(2, "wb"), "utf-8", line_buffering=True)
        sys.argv = ["sstag", *words]
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = before
        out, err = (Path(name).read_bytes().decode("utf-8", "replace") for name in ("home/1", "home/2"))
        return Came(code, out, err)

    def attacked(self, one: Input, terminal: bool = False) -> tuple[str, Came]:
        """The fault that showed, if one did, and what the command came to."""
        for name, data in one.files.items():
            self._write(name, data)
        memory = _memory()
        came = self.run(filled(list(one.words), Path()), terminal)
        fault = came.fault(one)
        if not fault and _memory() > memory + MORE_MEMORY:
            fault = "memory"
        if not fault and terminal and OBEYED.search(OURS.sub("", came.out + came.err)):
            fault = "a terminal would obey"
        if not fault and any(LEFT.search(name) for name in [*os.listdir(), *os.listdir("out")]):
            fault = "something left behind"
        if not fault and came.code and one.words[0] not in SEVERAL and _outputs(one) == 1 and os.listdir("out"):
            fault = f"a failure has written {os.listdir('out')}"
        if not fault and not came.code and one.then:
            after = self.run(filled(list(one.then), Path()))
            if after.code or after.fault(one):
                fault, came = f"what is written cannot be read: {after.fault(one)}", after
        self._restore(one)
        return fault, came

    def _restore(self, one: Input) -> None:
        for name in one.files:
            if name in self.good:
                self._write(name, self.good[name])
        for folder in (".", "out", "folder"):
            with os.scandir(folder) as entries:
                for entry in list(entries):
                    if folder == "." and entry.name in ("out", "folder", "home"):
                        continue
                    if folder != "." or entry.name not in self.good:
                        _remove(entry)
        for name, data in self.good.items():
            try:
                found = os.stat(name)
                same = (found.st_size, found.st_mtime_ns) == self.status[name]
            except OSError:
                same = False
            if not same:
                self._write(name, data)


def _outputs(one: Input) -> int:
    """How many outputs a command has: one that has several may fail after the first."""
    return sum("{>" in word for word in one.words)


def _opened(number: int, mode: str) -> Any:
    return open(number, mode, closefd=False)


def _remove(entry: "os.DirEntry[str]") -> None:
    if entry.is_dir(follow_symlinks=False):
        import shutil

        shutil.rmtree(entry.path)
    else:
        os.unlink(entry.path)


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def work(folder: Path, good: Mapping[str, bytes], tally: Tally, end: int, failures: Path) -> None:
    """Runs the inputs from the next one of the tally on."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    room = Room(folder, good)
    for number in range(tally.next, min(end, tally.next + INPUTS)):
        tally.next = number
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(WAITING)
        began = time.process_time()
        kind = kind_of(number)
        one = made(number, good)
        memory = _memory()
        fault, came = room.attacked(one, kind == "escapes")
        if came.code in STOPPED:
            return
        tally.add(kind, one.words[0], came.code, time.process_time() - began)
        if fault:
            tell(failures, number, one, fault, came)
        tally.next = number + 1
        if _memory() > memory + MORE_MEMORY:
            return  # the next input begins with less


def tell(failures: Path, number: int, one: Input, fault: str, came: Came | None) -> None:
    """Writes a failure down."""
    found = {"number": number, "kind": kind_of(number), "fault": fault, "words": one.words}
    found |= {"code": came.code, "err": came.err[-3000:], "out": came.out[-300:]} if came else {}
    with failures.open("a") as file:
        file.write(json.dumps(found) + "\n")
