"""Texts full of what terminals obey, in files that are good but for that; what they are shown is looked at."""

import random

from tests.attack.inputs import Good, Input, drawn

EVIL = (
    "\x1b[2J",
    "\x1b]0;owned\x07",
    "\x9b31m",
    "\u202e",
    "\u2066",
    "\u200f",
    "\x08",
    "\x7f",
    "\r",
    "\x85",
    "\u2028",
    "\x1bc",
    "\x90q",
)
NAMES = (
    "train",
    "raw",
    "two",
    "lexicon",
    "features",
    "expectations",
    "rules",
    "spans",
    "terms",
    "clusters",
    "vectors",
    "template",
)
PLACES = (b"Ann", b"Oslo", b"PER", b"LOC", b"met", b"label", b"word", b"1", b"2", b"0")


def made(chance: random.Random, good: Good) -> Input:
    """A good command, on a terminal; a word of its files has more than letters."""
    words, name = drawn(chance, *NAMES)
    files = {}
    place, evil = chance.choice(PLACES), chance.choice(EVIL).encode()
    for one in {name, *(("train", "raw", "two") if chance.random() < 0.5 else ())}:
        at = chance.randrange(len(place) + 1)
        files[one] = good[one].replace(place, place[:at] + evil + place[at:], chance.choice((-1, 1)))
    return Input(tuple(word for word in words if word not in ("--output", "{>o}")), files)
