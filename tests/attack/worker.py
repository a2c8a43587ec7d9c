"""A process that runs one input after another, each a command in this very process, so that hundreds run in a second.

It is a child of one that has everything imported, and is ended by the system where an input has no end; its parent
then knows from shared memory which one that was, and begins another child after it.
"""

import json
import os
import random
import resource
import signal
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

from tests.attack.doors import Doors, has_door
from tests.attack.inputs import Input, is_command, kind_of, made
from tests.attack.room import MORE_MEMORY, Came, Room, keep_parsers, memory
from tests.attack.runs import MEMORY
from tests.attack.tally import Tally
from tests.attack.troubled import Troubled

SECONDS = 10  # of processor time for an input, all of which are small
WAITING = 60  # seconds by the clock
STOPPED = (129, 130, 143)  # exit codes: somebody ends all of it
INPUTS = 4000  # for one process


class Attacks:
    """A room, and the ways in which an input is tried in it."""

    def __init__(self, folder: Path, good: Mapping[str, bytes]) -> None:
        keep_parsers()
        warnings.simplefilter("ignore")  # as commands do
        self.room = Room(folder, good)
        self._troubled, self._doors = Troubled(self.room, _limit_time), Doors(self.room.folder)

    def calls(self, words: tuple[str, ...]) -> int:
        """The number of calls with which a command writes."""
        return self._troubled.known(words).calls

    def attacked(self, number: int, one: Input) -> tuple[str, Came]:
        """The fault that showed, empty if none did, and what the input came to."""
        if one.trouble:
            return self._troubled.attacked(one)
        if not _by_door(number, one):
            return self.room.attacked(one, kind_of(number) == "escapes")
        before = memory()
        self.room.lay(one)
        came = self._doors.came(one, random.Random(number))
        self.room.restore(one)
        return came.fault() or ("memory" if memory() > before + MORE_MEMORY else ""), came


def _by_door(number: int, one: Input) -> bool:
    return has_door(one) and not is_command(number)


def label_of(number: int, one: Input) -> str:
    """The row of the table in which an input is counted."""
    return f"{kind_of(number)}, door" if _by_door(number, one) else kind_of(number)


def work(folder: Path, good: Mapping[str, bytes], tally: Tally, end: int, failures: Path) -> None:
    """Runs the inputs from the next one of the tally on."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    attacks = Attacks(folder, good)
    for number in range(tally.next, min(end, tally.next + INPUTS)):
        tally.next = number
        _limit_time()
        began, before = time.process_time(), memory()
        one = made(number, good)
        fault, came = attacks.attacked(number, one)
        if came.code in STOPPED:
            return
        tally.add(label_of(number, one), came.code, time.process_time() - began)
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
    found = {"number": number, "kind": label_of(number, one), "fault": fault, "words": one.words}
    found |= {"code": came.code, "err": came.err[-3000:], "out": came.out[-300:]} if came else {}
    with failures.open("a") as file:
        file.write(json.dumps(found) + "\n")
