"""`python -m tests.attack.many N FOLDER`: N inputs in a process that is reused; a table of what came of them.

The next run goes on where this one was ended. What fails is in FOLDER/failures.jsonl; `--again NUMBER` runs one
input once more and shows it; SSTAG_ATTACK_ONLY=KIND in the environment makes inputs of one kind alone. The library of
`faults.c` is loaded before the C library, for disks that are full.
"""

import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from sstag.interfaces import cli
from tests.attack.inputs import KINDS, made
from tests.attack.material import good_files
from tests.attack.runs import fault_library
from tests.attack.tally import Tally
from tests.attack.worker import Attacks, label_of, tell, work

BETWEEN = 20  # seconds between two tables
LOADED = "SSTAG_FAULTS"  # the library
QUIET = os.environ.get("SSTAG_ATTACK_WAITS")  # a file: as long as it is there, nothing is run


ENDLESS = {-signal.SIGPROF: "no end", -signal.SIGALRM: "waits for ever"}


def preloaded(module: str) -> None:
    """Begins this program again with the library of `faults.c`, unless it is there."""
    if LOADED in os.environ:
        return
    library = fault_library(Path(tempfile.mkdtemp(prefix="sstag-faults-")))
    if library is None:
        sys.exit("this needs Linux and a compiler of C")
    more = {LOADED: str(library), "LD_PRELOAD": str(library)}
    os.execve(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]], {**os.environ, **more})


def _ready() -> None:
    """Imports what children would import again and again."""
    for module, _ in cli.COMMANDS.values():
        importlib.import_module(module)
    for kind, _ in KINDS:
        importlib.import_module(f"tests.attack.inputs.{kind}")
    for module in ("sstag.interfaces.cli.train_run", "sstag.model.tagged_text", "sstag.selection.choosing"):
        importlib.import_module(module)


def attacked(many: int, folder: Path, base: str | None = None) -> int:
    """Runs inputs until so many are done; the number of failures among all."""
    folder.mkdir(parents=True, exist_ok=True)
    saved, failures = folder / "tally.json", folder / "failures.jsonl"
    tally = Tally()
    if saved.exists():
        tally.load(saved)
    failures.touch()
    _ready()
    room = Path(tempfile.mkdtemp(prefix="sstag-attack-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    room = room.resolve()
    shown, late = time.monotonic(), -1
    child = 0
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        good = good_files(room / "good")
        while tally.next < many:
            while QUIET and os.path.exists(QUIET):
                time.sleep(1)
            child = os.fork()
            if not child:
                try:
                    work(room / "work", good, tally, many, failures)
                except BaseException:
                    import traceback

                    (folder / "broken.txt").write_text(traceback.format_exc())
                    os._exit(3)
                os._exit(0)
            code, child = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0
            if code == 3:
                raise RuntimeError((folder / "broken.txt").read_text())
            if code in ENDLESS and late != tally.next:
                late = tally.next  # once more: somebody may have stopped the whole program meanwhile
            elif code:
                what = ENDLESS.get(code, f"ended by signal {-code}")
                one = made(tally.next, good)
                tell(failures, tally.next, one, what, None)
                tally.add(label_of(tally.next, one), 1, 0)
                tally.next += 1
            tally.save(saved)
            if time.monotonic() > shown + BETWEEN:
                shown = time.monotonic()
                print(tally.table(_by_kind(failures)), flush=True)
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
        shutil.rmtree(room, ignore_errors=True)
        tally.save(saved)
    print(tally.table(_by_kind(failures)))
    return sum(_by_kind(failures).values())


def _by_kind(failures: Path) -> Counter[str]:
    return Counter(json.loads(line)["kind"] for line in failures.read_text().splitlines())


def again(number: int) -> None:
    """Runs an input once more, and shows it."""
    _ready()
    room = Path(tempfile.mkdtemp(prefix="sstag-attack-"))
    one = made(number, good_files(room / "good"))
    for name, data in one.files.items():
        is_text = isinstance(data, bytes) and b"\0" not in data
        print(f"--- {name}\n{data[:3000].decode('utf-8', 'replace')}" if is_text else f"--- {name}\n{data!r:.3000}")
    print("---", " ".join(one.words), one.trouble or "", flush=True)
    shown = os.dup(1)
    fault, came = Attacks(room.resolve() / "work", good_files(room / "good")).attacked(number, one)
    os.write(shown, f"{fault}: {came.code}\n{came.out[:2000]}\n{came.err[-5000:]}\n".encode("utf-8", "replace"))


if __name__ == "__main__":
    preloaded("tests.attack.many")
    if sys.argv[1] == "--again":
        again(int(sys.argv[2]))
    else:
        sys.exit(attacked(int(sys.argv[1]), Path(sys.argv[2]).absolute()) > 0)
