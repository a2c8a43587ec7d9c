"""Ends: a command gets a signal at one of the calls with which it writes."""

import random
import signal
from functools import cache

from tests.attack.inputs import SELDOM, SLOW, Good, Input, Trouble
from tests.attack.kills import COMMANDS
from tests.attack.material import recipes

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
NEVER = ("experiment", "export", "{folder}")  # slow; refused here, where no project and no encoder is
MORE = 1.05  # a little beyond the end, where nothing befalls the command any more


@cache
def writers() -> tuple[list[tuple[str, ...]], ...]:
    every = dict.fromkeys(tuple(words) for words in (*recipes(), *(line.split() for line in COMMANDS)))
    found = [words for words in every if any("{>" in word for word in words) and not set(words) & set(NEVER)]
    slow = [words for words in found if " ".join(words).startswith(SLOW)]
    return slow, [words for words in found if words not in slow]


def writer(chance: random.Random) -> tuple[str, ...]:
    """A good command that writes; seldom one that takes its time."""
    slow, quick = writers()
    return chance.choice(slow if chance.random() < 5 * SELDOM else quick)


def made(chance: random.Random, good: Good) -> Input:
    """A good command that writes, and gets a signal."""
    sent = chance.choice(SIGNALS)
    return Input(writer(chance), trouble=Trouble("signal", chance.uniform(0, MORE), int(sent)))
