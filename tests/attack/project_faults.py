"""`python -m tests.attack.project_faults FOLDER`: a project of the workbench, each of whose system calls fails once.

A child opens the project and keeps answers one after another, as the server does; the k-th call in the folder that
opens, writes, syncs or removes something fails, for every k. Afterwards the project opens, is whole, and has every
answer that was acknowledged. Prints a line of JSON: how many calls were tried, in how many tries an answer was refused,
and what went wrong.
"""

import ctypes
import json
import os
import shutil
import sqlite3
import sys
import traceback
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from sstag.foundation.errors import SstagError
from sstag.interfaces.annotate.answers import Answer
from sstag.interfaces.annotate.project import opened
from sstag.interfaces.web.answers import Refused
from tests.attack.many import preloaded
from tests.attack.runs import FAULTS
from tests.projects import project_in

ANSWERS = 6
PROPER = (SstagError, Refused, OSError)  # what the server and the command tell in a line


def keep_answers(folder: str, acknowledge: Callable[[str], None]) -> None:
    """Opens a project and keeps answers; an answer that is refused is followed by the next one."""
    project = opened(folder)
    try:
        session = project.store.begin("ann")
        for number in range(ANSWERS):
            key = f"key-{number}"
            answer = Answer(key, "feature", f"feature:{number}", {"feature": "x" * 300, "nothing": True})
            try:
                project.store.keep(session, [answer])
            except PROPER:
                continue
            acknowledge(key)
    finally:
        project.close()


def tried(made: Path, folder: Path, at: int, number: int) -> tuple[int, list[str], str]:
    """The calls that were counted, the answers that were acknowledged, and the traceback of a child that had one."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(made, folder)
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        library, told = ctypes.CDLL(None), os.fdopen(sink, "w", buffering=1)
        library.fail_at(at, number, os.fsencode(f"{folder}/"))
        fault = ""
        try:
            keep_answers(str(folder), lambda key: print(f"kept {key}", file=told))
        except PROPER:
            pass
        except BaseException:
            fault = traceback.format_exc()
        print(json.dumps({"calls": library.calls_seen(), "fault": fault}), file=told)
        told.flush()
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as heard:
        *kept, last = heard.read().splitlines()
    os.waitpid(child, 0)
    end = json.loads(last)
    return end["calls"], [line.removeprefix("kept ") for line in kept], end["fault"]


def lost(folder: Path, kept: list[str]) -> str:
    """The trouble of a project after a fault, in words: it does not open, is not whole, or lacks an answer."""
    try:
        opened(str(folder)).close()
    except SstagError as error:
        return f"does not open: {error}"
    file = sqlite3.connect(folder / "project.db")
    keys = {key for (key,) in file.execute("select key from event")}
    file.close()
    missing = [key for key in kept if key not in keys]
    return f"lost {', '.join(missing)}" if missing else ""


def main() -> int:
    """The number of failures."""
    preloaded("tests.attack.project_faults")
    folder = Path(sys.argv[1]).resolve()
    (folder / "new").mkdir(parents=True)
    made, work = project_in(folder / "new"), folder / "work"
    calls, kept, fault = tried(made, work, 0, 0)
    assert (len(kept), fault) == (ANSWERS, ""), fault
    failures, refused = [], 0
    for at, (name, number) in zip(range(1, calls + 1), cycle(FAULTS.items()), strict=False):
        _, kept, fault = tried(made, work, at, number)
        refused += len(kept) < ANSWERS
        if trouble := fault or lost(work, kept):
            failures.append(f"call {at}, {name}: {trouble}")
    print(json.dumps({"calls": calls, "refused": refused, "failures": failures}))
    return len(failures)


if __name__ == "__main__":
    sys.exit(main() > 0)
