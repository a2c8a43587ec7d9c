"""A process that runs one input after another, each a command in this very process, so that hundreds run in a second.

It is a child of one that has everything imported, and is ended by the system where an input has no end; its parent
then knows from shared memory which one that was, and begins another child after it.
"""

import json
import os
import resource
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from tests.attack.inputs import Input, kind_of, made
from tests.attack.room import MORE_MEMORY, Came, Room, keep_parsers, memory
from tests.attack.runs import MEMORY
from tests.attack.tally import Tally
from tests.attack.troubled import Troubled

SECONDS = 10  # of processor time for an input, all of which are small
WAITING = 60  # seconds by the clock
STOPPED = (129, 130, 143)  # exit codes: somebody ends all of it
INPUTS = 4000  # for one process


def work(folder: Path, good: Mapping[str, bytes], tally: Tally, end: int, failures: Path) -> None:
    """Runs the inputs from the next one of the tally on."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    keep_parsers()
    room = Room(folder, good)
    troubled = Troubled(room, _limit_time)
    for number in range(tally.next, min(end, tally.next + INPUTS)):
        tally.next = number
        _limit_time()
        began = time.process_time()
        kind = kind_of(number)
        one = made(number, good)
        before = memory()
        fault, came = troubled.attacked(one) if one.trouble else room.attacked(one, kind == "escapes")
        if came.code in STOPPED:
            return
        tally.add(kind, one.words[0], came.code, time.process_time() - began)
        if fault:
            tell(failures, number, one, fault, came)
        tally.next = number + 1
        if memory() > before + MORE_MEMORY:
            return  # the next input begins with less


def _limit_time() -> None:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(WAITING)


def tell(failures: Path, number: int, one: Input, fault: str, came: Came | None) -> None:
    """Writes a failure down."""
    found = {"number": number, "kind": kind_of(number), "fault": fault, "words": one.words}
    found |= {"code": came.code, "err": came.err[-3000:], "out": came.out[-300:]} if came else {}
    with failures.open("a") as file:
        file.write(json.dumps(found) + "\n")
