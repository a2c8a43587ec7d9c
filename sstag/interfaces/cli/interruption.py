"""Ctrl-C and other requests to end, put off until a training can end in order."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

from sstag.interfaces.cli import ENDINGS

STDERR = 2


@dataclass
class Interruption:
    """Whether a signal has asked for an end, and which."""

    number: int = 0
    may_wait: bool = False

    def asked(self) -> bool:
        """Asked between evaluations: from now on there is something to keep."""
        self.may_wait = True
        return self.number != 0


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Once the training can stop in order, the first signal only asks for that; others act as they always do."""
    interruption = Interruption()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDINGS)}

    def remember(number: int, frame: FrameType | None) -> None:
        first = not interruption.number
        interruption.number = interruption.number or number
        if interruption.may_wait and first:
            with suppress(OSError):  # past the stream, which does not bear a second writer in the midst of a line
                os.write(STDERR, b"\nending with the best weights so far (once more to give up)\n")
            return
        act = before[signal.Signals(number)]
        if callable(act):
            act(number, frame)

    shown = sys.unraisablehook

    def unless_it_asks_for_an_end(lost: "sys.UnraisableHookArgs") -> None:
        """Callbacks of the compiler and of imports lose what a signal raises in them; its number is not lost."""
        if not isinstance(lost.exc_value, SystemExit | KeyboardInterrupt):
            shown(lost)

    sys.unraisablehook = unless_it_asks_for_an_end
    for number, act in before.items():
        if callable(act):  # what is ignored, as under nohup, stays so
            signal.signal(number, remember)
    try:
        yield interruption
    finally:
        sys.unraisablehook = shown
        for number, handler in before.items():
            signal.signal(number, handler)
