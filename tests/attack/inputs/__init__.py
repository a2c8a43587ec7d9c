"""Inputs that are made at random: each a command, and files in place of those that it reads, nearly as they should be.

Input number n is the same whenever it is made, so that a number says all about a failure.
"""

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Literal

from tests.attack.material import recipes

SEED = 25
ONLY = os.environ.get("SSTAG_ATTACK_ONLY")  # a kind, of which alone inputs are made


@dataclass(frozen=True)
class Trouble:
    """A misfortune that befalls a command while it writes."""

    kind: Literal["room", "fault", "signal"]  # the disk is full, a call fails, the program gets a signal
    share: float  # of the bytes or calls of the whole command, after which it does; 1.05 at most
    number: int = 0  # of the error or of the signal


@dataclass(frozen=True)
class Odd:
    """Something in the place of a file."""

    kind: Literal["link", "pipe", "folder"]
    target: str = ""  # of a link


@dataclass(frozen=True)
class Input:
    """A command line, with names of files in braces, and the files that are others than the good ones."""

    words: tuple[str, ...]
    files: Mapping[str, bytes | Odd] = field(default_factory=dict)
    then: tuple[str, ...] = ()  # a command that must do well if this one did: what is written can be read
    trouble: Trouble | None = None


Good = Mapping[str, bytes]  # the good files by their names
Maker = Callable[[random.Random, Good], Input]

KINDS = (  # module of this package, and its share
    ("columns", 5),
    ("documents", 5),
    ("templates", 4),
    ("lists", 4),
    ("models", 4),
    ("vectors", 2),
    ("folders", 4),
    ("projects", 3),
    ("expectations", 3),
    ("rules", 3),
    ("spans", 3),
    ("options", 3),
    ("escapes", 2),
    ("names", 2),
    ("planted", 1),
    ("disk", 2),
    ("signals", 1),
)
TURNS = tuple(name for name, share in KINDS for _ in range(share))
FILES = TURNS[: -sum(share for _, share in KINDS[11:])]  # kinds whose inputs are files, most of which have a door
EVERY = 10  # one in so many inputs is a whole command, even where there is a door to what it does
SLOW = ("vectors", "experiment", "train", "check {train} --suspect", "template", "sample")
SELDOM = 0.02  # how often a slow command is drawn where another one would do


def is_command(number: int) -> bool:
    """Whether the input of a number is a whole command in any case."""
    return number % EVERY == 0


def kind_of(number: int) -> str:
    """The kind of an input: the only one that the environment asks for, or each in its turn."""
    if ONLY:
        return ONLY
    return TURNS[number // EVERY % len(TURNS)] if is_command(number) else FILES[number % len(FILES)]


def made(number: int, good: Good) -> Input:
    """The input of a number."""
    kind = kind_of(number)
    chance = random.Random(f"{SEED} {number}")
    maker: Maker = import_module(f"{__name__}.{kind}").made
    return maker(chance, good)


@cache
def _uses(names: tuple[str, ...]) -> tuple[list[tuple[tuple[str, ...], str]], ...]:
    """The good commands that read some files, each with the file: those that take their time, and others."""
    found = [
        (tuple(words), name) for words in recipes() for name in names if any(f"{{{name}}}" in word for word in words)
    ]
    slow = [one for one in found if " ".join(one[0]).startswith(SLOW)]
    return slow, [one for one in found if one not in slow]


def drawn(chance: random.Random, *names: str) -> tuple[tuple[str, ...], str]:
    """A good command that reads one of some files, and the name of that file; seldom one that takes its time."""
    slow, quick = _uses(names)
    return chance.choice(slow if slow and (not quick or chance.random() < SELDOM) else quick)


def any_use(chance: random.Random) -> tuple[str, ...]:
    """Any good command but those of experiments; seldom one that takes its time."""
    slow, quick = _every()
    return chance.choice(slow if chance.random() < SELDOM else quick)


@cache
def _every() -> tuple[list[tuple[str, ...]], ...]:
    every = [tuple(words) for words in recipes() if words[0] != "experiment"]
    return [one for one in every if " ".join(one).startswith(SLOW)], [
        one for one in every if not " ".join(one).startswith(SLOW)
    ]
