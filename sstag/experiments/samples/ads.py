"""Apartment ads, every word labelled with its field, drawn from the grammar in ads.grammar.

The task is that of the CLASSIFIEDS corpus (Grenager et al. 2005), whose words all belong to a field: punctuation to the
field it closes, a connecting word to the field it opens. The ads are ours, and so are the people, streets and places in
them; telephone numbers and addresses in the net are ones reserved for examples.

    parts of the PLAN, put in order -> marks left out, abbreviations -> slips of the keyboard -> capitals
"""

from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise

import numpy as np

from sstag.experiments.samples.grammar import Grammar, Token

LABELS = (
    "address",
    "available",
    "contact",
    "features",
    "neighborhood",
    "photos",
    "rent",
    "restrictions",
    "roommates",
    "size",
    "utilities",
)

SHORTEST, LONGEST = 20, 120  # tokens in an ad
PATIENCE = 20  # draws of a part that would repeat what the ad has said

# symbol, its chance, mean position, spread around that; the label that, once in the title, makes it superfluous
PLAN: tuple[tuple[str, float, float, float, str], ...] = (
    ("title", 0.85, -9.0, 0.0, ""),
    ("head", 0.85, 0.0, 2.0, "size"),
    ("place", 0.90, 2.5, 6.0, ""),
    ("lot", 0.45, 2.5, 8.0, "address"),
    ("details", 1.00, 2.5, 3.0, ""),
    ("more", 0.80, 4.0, 4.0, ""),
    ("house", 0.35, 4.0, 6.0, ""),
    ("free", 0.70, 5.0, 6.0, "available"),
    ("money", 0.90, 5.0, 7.0, "rent"),
    ("power", 0.65, 6.0, 4.0, ""),
    ("rules", 0.75, 6.5, 4.0, ""),
    ("deposit", 0.30, 6.5, 3.0, ""),
    ("look", 0.45, 7.5, 5.0, ""),
    ("reach", 0.95, 8.5, 4.0, ""),
)

ABBREVIATIONS = {
    "and": "&",
    "apartment": "apt",
    "appliances": "appl",
    "available": "avl",
    "bathroom": "bthrm",
    "beautiful": "beaut",
    "bedrooms": "bdrms",
    "building": "bldg",
    "deposit": "dep",
    "dining": "din",
    "floors": "flrs",
    "garage": "gar",
    "garbage": "garb",
    "hardwood": "hdwd",
    "included": "incl",
    "kitchen": "kit",
    "large": "lg",
    "laundry": "lndry",
    "living": "liv",
    "location": "loc",
    "minutes": "min",
    "month": "mo",
    "neighborhood": "nbhd",
    "parking": "pkg",
    "please": "pls",
    "private": "priv",
    "remodeled": "remod",
    "required": "req",
    "room": "rm",
    "security": "sec",
    "shopping": "shops",
    "spacious": "spac",
    "storage": "stor",
    "utilities": "utils",
    "water": "wtr",
    "with": "w/",
}

_GRAMMAR = Grammar(files("sstag.experiments.samples").joinpath("ads.grammar").read_text(encoding="utf-8"))


def ads(count: int, rng: np.random.Generator) -> Iterator[list[Token]]:
    """So many ads, each a list of (word, label) pairs; the first ads of a longer stream are the shorter stream."""
    for _ in range(count):
        ad = _ad(rng)
        while not SHORTEST <= len(ad) <= LONGEST:
            ad = _ad(rng)
        yield ad


def _ad(rng: np.random.Generator) -> list[Token]:
    return _cased(_with_slips(_shortened(_composed(rng), rng), rng), rng)


def _composed(rng: np.random.Generator) -> list[Token]:
    """The parts of one ad in their order. The first part of the plan, the title, may make others superfluous."""
    said: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    parts: list[tuple[float, list[Token]]] = []
    for symbol, chance, position, spread, superfluous in PLAN:
        if rng.random() >= chance or superfluous in said:
            continue
        for _ in range(PATIENCE):
            words = _GRAMMAR.expand(symbol, rng)
            new = _pairs(words)
            if len(set(new)) == len(new) and pairs.isdisjoint(new):
                break
        pairs.update(new)
        parts.append((position + spread * (rng.random() - 0.5), words))
        if symbol == "title":
            said = {label for _, label in words}
    ad = [token for _, words in sorted(parts, key=lambda part: part[0]) for token in words]
    ad = [(_article(word, after), label) for (word, label), (after, _) in pairwise([*ad, (".", "")])]
    return ad[:-1] if ad and ad[-1][0] in ",;-:" else ad


def _article(word: str, after: str) -> str:
    return "an" if word == "a" and after[0] in "aeiou" and not after.startswith(("uni", "one")) else word


def _pairs(words: list[Token]) -> list[tuple[str, str]]:
    """Pairs of words, in one order, that no ad has twice ("no pets") and none mirrored ("water and water")."""
    pairs = [(a, b) for (a, _), (b, _) in pairwise(words) if len(a) + len(b) > 5 and a.isalpha() and b.isalpha()]
    return [(a, b) if a < b else (b, a) for a, b in pairs]


def _shortened(ad: list[Token], rng: np.random.Generator) -> list[Token]:
    """As in print, where every letter costs: marks left out in some ads, words abbreviated in others."""
    unmarked = 0.8 if rng.random() < 0.15 else 0.02
    abbreviated = 0.6 * rng.random() if rng.random() < 0.4 else 0.0
    ad = [(word, label) for word, label in ad if word not in ".,!;-" or rng.random() >= unmarked]
    return [
        (ABBREVIATIONS[word], label) if word in ABBREVIATIONS and rng.random() < abbreviated else (word, label)
        for word, label in ad
    ]


def _with_slips(ad: list[Token], rng: np.random.Generator) -> list[Token]:
    """Letters dropped, swapped or doubled and blanks left out: seldom in most ads, often in a few."""
    rate = 0.1 * rng.random() ** 3
    slipped: list[Token] = []
    for word, label in ad:
        if word.isalpha() and len(word) > 3 and rng.random() < rate:
            k = 1 + int(rng.random() * (len(word) - 2))
            start, letter, end = word[:k], word[k], word[k + 1 :]
            kind = int(rng.random() * 4)
            if kind < 3:
                word = (start + end, start + end[0] + letter + end[1:], start + letter + letter + end)[kind]
            elif slipped and slipped[-1][0].isalpha() and slipped[-1][1] == label:
                word = slipped.pop()[0] + word
        slipped.append((word, label))
    return slipped


def _cased(ad: list[Token], rng: np.random.Generator) -> list[Token]:
    """Sentence case for most ads, lower case for some, the first words or the whole ad in capitals for a few."""
    style = rng.random()
    if style < 0.06:
        return [(word.upper(), label) for word, label in ad]
    if style < 0.30:
        return [(word.lower(), label) for word, label in ad]
    loud = 2 + int(rng.random() * 6) if style < 0.45 else 0
    cased: list[Token] = []
    for (before, _), (word, label) in pairwise([(".", ""), *ad]):
        if len(cased) < loud:
            word = word.upper()
        elif before in (".", "!") and word.isalpha():
            word = word[0].upper() + word[1:]
        cased.append((word, label))
    return cased
