"""`python -m tests.attack.kills N`: N commands that are ended at random moments, by kill -9 or by Ctrl-C.

What stood in their outputs is there as it was, or the new whole; what a killed command left is removed by the next one.
"""

import json
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tests.attack.material import filled, prepare
from tests.attack.runs import Ran, Server

COMMANDS = (
    "train --template {template} --train {train} --model {>m} --report {>r} --threads 1",
    "train --template {template} --train {train} --model {>m} --checkpoint {>check} --checkpoint-every 1 --threads 1",
    "convert {train} --to-scheme bioes --output {>o}",
    "convert {train} --to-format jsonl --output {>o}",
    "convert {train} --to-format brat --output {>folder2}/",
    "tag {raw} --model {model} --output {>o} --threads 1",
    "tag {raw} --model {model} --match-shares {shares} --write-model {>m} --output {>o}",
    "split {train} --part {>p}=2 --part {>q}=rest --force",
    "expectations --template {template} --train {train} --output {>o}",
    "density --text {train} --save {>d}",
    "vectors {train} --dimensions 2 --least 1 --output {>v}",
    "clusters {train} --count 2 --least 1 --output {>c}",
    "merge {train} {train} --output {>o} --report {>r}",
    "select --pool {raw} --model {model} --count 1 --strategy entropy --output {>o}",
)
OLD = b"old\n"
PART = ".sstag-part"
MODELS = ("m", "d", "v")  # an output that stands there has to be one of these
KEPT = ("m", "m.interrupted", "r")  # what is made of a training that is ended in order
GROWING = ("check",)  # a checkpoint, which is another after every step
STOPPED = {
    signal.SIGKILL: (-signal.SIGKILL,),
    signal.SIGINT: (130, -signal.SIGINT),
    signal.SIGTERM: (143, -signal.SIGTERM),
}


def contents(folder: Path) -> dict[str, bytes]:
    """The files in a folder, by their paths within it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def is_whole(name: str, data: bytes, new: bytes) -> bool:
    """Whether the content of a file is the new one; a report says how long a run took."""
    return data == new or (name == "r" and _keys(data) == _keys(new) != ())


def _keys(data: bytes) -> object:
    try:
        return json.loads(data).keys()
    except ValueError:
        return ()


@dataclass(frozen=True)
class Command:
    """A command, the seconds that it takes, what stood in its outputs and what it writes."""

    words: tuple[str, ...]
    seconds: float
    old: dict[str, bytes]
    new: dict[str, bytes]

    def fault(self, code: int, said: str, there: dict[str, bytes], sent: signal.Signals) -> str:
        """The fault that the command shows in what is there after a signal; empty if none."""
        if "Traceback" in said or code not in (0, *STOPPED[sent]):
            return f"exit code {code}"
        left = [name for name in there if PART in name]
        if left and sent != signal.SIGKILL:
            return f"{left} left"
        kept = KEPT if sent != signal.SIGKILL and self.words[0] == "train" else ()  # as far as it has come
        return self.damage({name: data for name, data in there.items() if name not in (*kept, *left, *GROWING)}, there)

    def damage(self, found: dict[str, bytes], there: Collection[str]) -> str:
        """The fault of files that are found, empty if none: each is the old or the new, and no old one is missing."""
        for name, data in found.items():
            if data != self.old.get(name) and not is_whole(name, data, self.new.get(name, b"")):
                return f"{name} is neither the old nor the new"
        lost = [name for name in self.old if name not in there]
        return f"{lost} lost" if lost else ""


class Killer:
    """Runs commands in a folder and ends them."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder, self.out = server, folder, folder / "out"
        self.commands = [self._known(line) for line in COMMANDS]

    def _run(self, words: tuple[str, ...], old: dict[str, bytes], **more: object) -> Ran:
        shutil.rmtree(self.out)
        self.out.mkdir()
        for name, data in old.items():
            (self.out / name).write_bytes(data)
        return self.server.run(*filled(list(words), self.folder), folder=str(self.folder), **more)

    def _known(self, line: str) -> Command:
        words = tuple(line.split())
        model = (self.folder / "model").read_bytes()
        names = [word[word.index("{>") + 2 : word.index("}")] for word in words if "{>" in word]
        old = {name: model if name in MODELS else OLD for name in names if name not in ("folder2", *GROWING)}
        came = self._run(words, old)
        assert came.code == 0, came.err
        return Command(words, came.seconds, old, contents(self.out))

    def kill(self, chance: random.Random) -> tuple[str, bool]:
        """The fault that a command showed when it was ended, empty if none; and whether it was ended in time."""
        one, sent = chance.choice(self.commands), chance.choice(list(STOPPED))
        after = chance.uniform(0, 1.1 * one.seconds)
        came = self._run(one.words, one.old, kill={"after": after, "signal": int(sent)})
        what = f"{' '.join(one.words)}, {sent.name} after {after:.4f} s: {came.err[-1000:]}"
        in_time = came.code in STOPPED[sent]
        there = contents(self.out)
        fault = one.fault(came.code, came.err, there, sent) or self._next(one, there)
        return fault and f"{fault}: {what}", in_time

    def _next(self, one: Command, there: dict[str, bytes]) -> str:
        """The fault of a command after it: a model can be read, and what was left is removed."""
        if any(self.server.run("inspect", self.out / name).code for name in KEPT[:2] if name in there):
            return "the model cannot be read"
        if "check" in there:
            again = self.server.run(*filled(list(one.words), self.folder), folder=str(self.folder))
            if again.code or (self.out / "m").read_bytes() != one.new["m"]:
                return f"does not go on from its checkpoint: {again.err}"
        self.server.run("convert", self.folder / "train", "--to-scheme", "io", "--output", self.out / "other")
        return "what was left is not removed" if any(PART in name for name in contents(self.out)) else ""


def kills(many: int) -> int:
    """Ends so many commands, and tells what came of it; the number of failures."""
    folder, server, chance = Path(tempfile.mkdtemp(prefix="sstag-kills-")), Server(), random.Random(1)
    count: Counter[str] = Counter()
    try:
        prepare(folder, server)
        killer = Killer(server, folder)
        while count["ended"] < many:
            fault, in_time = killer.kill(chance)
            count["ended"] += in_time
            count["too late"] += not in_time
            if fault:
                count["failures"] += 1
                print(fault, flush=True)
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(", ".join(f"{count[name]:,} {name}" for name in ("ended", "too late", "failures")))
    return count["failures"]


if __name__ == "__main__":
    sys.exit(kills(int(sys.argv[1])) > 0)
