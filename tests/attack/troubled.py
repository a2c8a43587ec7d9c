"""Commands that something befalls while they write, and what they leave: the old or the new, whole.

`faults.c`, loaded before the C library, lets the disk be full, a call fail or a signal come at a place that is drawn.
"""

import ctypes
import os
import re
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.attack.inputs import Input, Trouble
from tests.attack.kills import GROWING, MODELS, OLD, PART, Command, contents, is_whole
from tests.attack.material import filled
from tests.attack.room import Came, Room

BUG = 70
KEPT = re.compile(r": kept in (.*) instead$", re.MULTILINE)  # a training's end that is written elsewhere
TO_CLEAN = ("convert", "{train}", "--to-scheme", "io", "--output")


@dataclass(frozen=True)
class Known:
    """A command that nothing befell: what it writes, by how many calls, how many bytes."""

    command: Command
    calls: int
    size: int


class Troubled:
    """Runs commands in a room, and lets things befall them."""

    def __init__(self, room: Room, begin: Callable[[], None]) -> None:
        self.room, self._begin = room, begin  # the latter sets the limits of a child
        self.out = room.folder / "out"
        self.library = ctypes.CDLL(None)
        self.library.bytes_written.restype = ctypes.c_longlong
        self._found: dict[tuple[str, ...], Known] = {}

    def _lay(self, old: dict[str, bytes]) -> None:
        shutil.rmtree(self.out)
        self.out.mkdir()
        for name, data in old.items():
            (self.out / name).write_bytes(data)

    def _watch(self, at: int = 0, number: int = 0) -> None:
        self.library.fail_at(at, number, os.fsencode(f"{self.out}/"))

    def _words(self, words: tuple[str, ...]) -> list[str]:
        return filled(list(words), self.room.folder)

    def known(self, words: tuple[str, ...]) -> Known:
        """The command as it is when nothing befalls it."""
        if words not in self._found:
            names = [word[word.index("{>") + 2 : word.index("}")] for word in words if "{>" in word]
            model = self.room.good["model"]
            old = {name: model if name in MODELS else OLD for name in names if name not in GROWING}
            for known in (old, {}):  # a folder is made where there is nothing, and some commands write over nothing
                self._lay(known)
                self._watch()
                came = self.room.run(self._words(words))
                calls, size = self.library.calls_seen(), self.library.bytes_written()
                if came.code == 0:
                    break
            if came.code:
                raise ValueError(f"{words}: {came.err}")
            self._found[words] = Known(Command(words, 0, known, contents(self.out)), calls, size)
        return self._found[words]

    def attacked(self, one: Input) -> tuple[str, Came]:
        """The fault that the command showed, if it did, and what it came to."""
        assert one.trouble
        known = self.known(one.words)
        self._lay(known.command.old)
        at = 1 + int(one.trouble.share * known.calls)
        fault, came = (self._ended if one.trouble.kind == "signal" else self._failed)(known, one.trouble, at)
        self.room.restore(one)
        return fault, came

    def _failed(self, known: Known, trouble: Trouble, at: int) -> tuple[str, Came]:
        full = trouble.kind == "room"
        self._watch(0 if full else at, trouble.number)
        if full:
            self.library.room_for(ctypes.c_longlong(int(trouble.share * known.size)))
        came = self.room.run(self._words(known.command.words))
        self.library.calls_seen()
        there = contents(self.out)
        left = [name for name in there if PART in name]
        fault = came.fault()
        if not fault and came.code not in (0, 1):
            fault = f"exit code {came.code}"
        if not fault and len(left) > (not full):  # the call that failed may have been the one that removes
            fault = f"{left} left"
        files = {name: data for name, data in there.items() if name not in (*left, *GROWING)}
        fault = fault or known.command.damage(files, there)
        if not fault and came.code == 0 and not KEPT.search(came.err):
            old = [name for name, data in known.command.new.items() if name not in GROWING and there.get(name) != data]
            fault = f"{old} not written" if [name for name in old if name != "r"] else ""
        for place in KEPT.findall(came.err):
            data = Path(place).read_bytes()
            if not any(is_whole(name, data, new) for name, new in known.command.new.items()):
                fault = fault or f"what is kept in {place} is not whole"
            Path(place).unlink()
        return fault, came

    def _ended(self, known: Known, trouble: Trouble, at: int) -> tuple[str, Came]:
        sent = signal.Signals(trouble.number)
        child = os.fork()
        if not child:
            try:
                self._begin()
                self._watch(at)
                self.library.signal_at(int(sent))
                os._exit(self.room.run(self._words(known.command.words)).code)
            finally:
                os._exit(BUG)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        came = Came(code, *self.room.said())
        there = contents(self.out)
        fault = known.command.fault(code, came.err, there, sent) or self._after(known, sent, there)
        return fault, Came(0 if code < 0 else min(code, 1), came.out, came.err)

    def _after(self, known: Known, sent: signal.Signals, there: dict[str, bytes]) -> str:
        """The fault of commands after it: a model can be read, and what was left is removed."""
        for name in ("m", "m.interrupted"):
            if name in there and self.room.run(["inspect", str(self.out / name)]).code:
                return f"{name} cannot be read"
        if any(name in there for name in GROWING):
            again = self.room.run(self._words(known.command.words))
            if again.code or (self.out / "m").read_bytes() != known.command.new["m"]:
                return f"does not go on from its checkpoint: {again.err}"
        left = [self.out / name for name in there if PART in name]
        for folder in {next(one for one in (path, *path.parents) if PART in one.name).parent for path in left}:
            self.room.run([*self._words(TO_CLEAN), str(folder / "other")])
        return "what was left is not removed" if any(PART in name for name in contents(self.out)) else ""
