"""A folder in which one command after another runs in this very process, and what each came to."""

import io
import os
import re
import resource
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tests.attack.ended import ended
from tests.attack.inputs import Input, Odd
from tests.attack.material import filled

HERE = Path()
MORE_MEMORY = 400 * 2**20  # bytes that an input may need beyond what was there
LONGEST_LINE = 4096  # characters of a message
SEVERAL = ("check", "agree", "density", "experiment", "merge", "sample", "split", "train")  # may fail after the first
FOLDERS = ("out", "folder", "home")
CHANGING = (".", "out", "folder")  # written into; the time of each is 0 as long as its names are as they were
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

    def fault(self) -> str:
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
        shutil.rmtree(folder, ignore_errors=True)  # that of a child which was ended in the middle of an input
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        for name in good:
            self._write(name, good[name])
        self.streams = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600) for name in ("home/1", "home/2")]

    def _write(self, name: str, data: bytes | Odd) -> None:
        if os.path.dirname(name):
            os.makedirs(os.path.dirname(name), exist_ok=True)
        if isinstance(data, Odd):
            _put(name, data)
            return
        with open(name, "wb") as file:
            file.write(data)
        found = os.stat(name)
        self.status[name] = found.st_size, found.st_mtime_ns

    def run(self, words: list[str], terminal: bool = False) -> Came:
        """A command."""
        before = sys.stdin, sys.stdout, sys.stderr
        self._clear_streams()
        wrapper = Terminal if terminal else io.TextIOWrapper
        sys.stdin = io.TextIOWrapper(_opened(0, "rb"), "utf-8", "surrogateescape")
        sys.stdout = wrapper(_opened(1, "wb"), "utf-8")
        sys.stderr = wrapper(_opened(2, "wb"), "utf-8", line_buffering=True)
        sys.argv = ["sstag", *words]
        code = ended(0)  # what is printed tells a mistake
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = before
        return Came(code, *self.said())

    def _clear_streams(self) -> None:
        for number, handle in enumerate(self.streams, 1):
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.dup2(handle, number)

    def said(self) -> tuple[str, str]:
        """The texts that the last command has written to its output and of its errors."""
        out, err = (os.pread(one, os.fstat(one).st_size, 0).decode("utf-8", "replace") for one in self.streams)
        return out, err

    def lay(self, one: Input) -> None:
        """Writes the files of an input in place of the good ones."""
        for name, data in one.files.items():
            self._write(name, data)

    def attacked(self, one: Input, terminal: bool = False) -> tuple[str, Came]:
        """The fault that showed, if one did, and what the command came to."""
        before = memory()
        self.lay(one)
        came = self.run(_filled(one.words), terminal)
        fault = came.fault()
        if not fault and memory() > before + MORE_MEMORY:
            fault = "memory"
        if not fault and terminal and OBEYED.search(OURS.sub("", came.out + came.err)):
            fault = "a terminal would obey"
        there = [name for folder in CHANGING if _has_changed(folder) for name in os.listdir(folder)]
        if not fault and any(LEFT.search(name) for name in there):
            fault = "something left behind"
        written = os.listdir("out") if there else []
        if not fault and came.code and one.words[0] not in SEVERAL and _outputs(one) == 1 and written:
            fault = f"a failure has written {written}"
        if not fault and not came.code and one.then:
            after = self.run(_filled(one.then))
            if after.code or after.fault():
                fault, came = f"what is written cannot be read: {after.fault()}", after
        self.restore(one)
        return fault, came

    def restore(self, one: Input) -> None:
        """Makes the folder what it was; nothing is looked for in folders whose names are as they were."""
        for name in one.files:
            if name in self.good:
                self._write(name, self.good[name])
        changed = [folder for folder in CHANGING if _has_changed(folder)]
        for folder in changed:
            with os.scandir(folder) as entries:
                for entry in list(entries):
                    if folder != "." or entry.name not in (*FOLDERS, *self.good):
                        _remove(entry)
        for name, data in self.good.items() if "." in changed else ():
            try:
                found = os.stat(name)
                same = (found.st_size, found.st_mtime_ns) == self.status[name]
            except OSError:
                same = False
            if not same:
                self._write(name, data)
        for folder in changed:
            os.utime(folder, ns=(0, 0))


def _put(name: str, odd: Odd) -> None:
    """Puts something in the place of a file."""
    if os.path.lexists(name):
        os.unlink(name)
    if odd.kind == "link":
        os.symlink(odd.target, name)
    elif odd.kind == "pipe":
        os.mkfifo(name)
    else:
        os.mkdir(name)


def _has_changed(folder: str) -> bool:
    """Whether a name in a folder is another than after the last restoring."""
    return os.stat(folder).st_mtime_ns != 0


def _filled(words: Sequence[str]) -> list[str]:
    return filled(list(words), HERE)


def keep_parsers() -> None:
    """Lets click make the parser of a command once: that is a tenth of a small command, and always the same."""
    make, known = click.Command.make_parser, dict[click.Command, Any]()

    def parser_of(command: click.Command, context: click.Context) -> Any:
        if command not in known:
            known[command] = make(command, context)
        known[command].ctx = context
        return known[command]

    click.Command.make_parser = parser_of  # type: ignore[method-assign]


def _outputs(one: Input) -> int:
    """How many outputs a command has: one that has several may fail after the first."""
    return sum("{>" in word for word in one.words)


def _opened(number: int, mode: str) -> Any:
    return open(number, mode, closefd=False)


def _remove(entry: "os.DirEntry[str]") -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path)
    else:
        os.unlink(entry.path)


def memory() -> int:
    """The most bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
