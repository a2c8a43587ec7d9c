"""Places where sentences begin, found by lines, by blank lines, or by a rule that knows next to no language.

By rule a sentence ends with a blank line, and with `.`, `!`, `?` or their likes and the quotes and brackets after them,
unless what follows begins with a small letter. A full stop ends none after a single capital letter (`J. Smith`), after
an abbreviation with stops inside (`U.S.`), or after one of a few titles; full stops of Chinese and Japanese always do.
"""

import re
from collections.abc import Sequence

from sstag.corpus.text.options import SENTENCES
from sstag.corpus.text.tokenizer import TokenPlaces
from sstag.foundation.errors import ConfigError, nearest

LINE = re.compile(r"\n\s*")
BLANK_LINE = re.compile(r"\r?\n[^\S\n]*\n\s*")
CLOSING = "[\"'”’»)\\]」』）]*"
END = re.compile(rf"\r?\n[^\S\n]*\n\s*|[。！？｡]+{CLOSING}\s*|([.!?…؟।։]+){CLOSING}\s+")
BEFORE = 20  # characters before a full stop that are looked at
WORD_BEFORE = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
TITLES = frozenset(["mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "gen", "col", "sgt", "capt", "lt", "vs", "nr"])


def sentence_starts(text: str, how: str = "rule") -> list[int]:
    """The places after which a sentence begins; the first is 0."""
    match how:
        case "rule":
            ends = [found.end() for found in END.finditer(text) if not found[1] or _ends(text, found)]
        case "line":
            ends = [found.end() for found in LINE.finditer(text)]
        case "blank":
            ends = [found.end() for found in BLANK_LINE.finditer(text)]
        case "none":
            ends = []
        case _:
            raise ConfigError(f"no way '{how}' to find sentences{nearest(how, SENTENCES)}")
    return [0, *ends]


def _ends(text: str, found: re.Match[str]) -> bool:
    """Whether a sentence ends with these stops."""
    if text[found.end() : found.end() + 1].islower():
        return False
    if found[1] != ".":
        return True
    word = WORD_BEFORE.search(text, max(0, found.start() - BEFORE), found.start())
    if word is None:
        return True
    return not ("." in word[0] or (len(word[0]) == 1 and word[0].isupper()) or word[0].lower() in TITLES)


def first_tokens(starts: Sequence[int], tokens: Sequence[tuple[int, int]]) -> list[int]:
    """The first token of each sentence that has one, given where sentences begin."""
    if isinstance(tokens, TokenPlaces):
        return tokens.firsts(starts[1:])
    firsts, token = [], 0
    for stop in [*starts[1:], None]:
        first = token
        while token < len(tokens) and (stop is None or tokens[token][0] < stop):
            token += 1
        if token > first:
            firsts.append(first)
    return firsts
