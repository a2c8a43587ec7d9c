"""Tokens of a text as their places in it, by one of three rules that know no language.

Between tokens there is nothing but blanks and characters that are not seen: control characters, byte order marks, marks
of direction, zero-width spaces. Whoever keeps the text therefore has it back from the tokens, to the character.

By rule, a token is the first of these that fits:

- a web address or an e-mail address, without the punctuation after it;
- an abbreviation of single letters with stops, such as `U.S.` or `z.B.`;
- a run of letters and digits with the marks on them, through `.`, `,` and `:` between digits (`3.50`, `12:30`);
- a character of Chinese or Japanese writing, or any other character, with the marks and joined characters after it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, overload

from sstag.corpus.text.options import TOKENS
from sstag.foundation.errors import ConfigError, nearest

if TYPE_CHECKING:
    from sstag.foundation.arrays import Longs

AT_ONCE = 2**12  # places that are made pairs at a time
Place = tuple[int, int]  # the first character, and the one after the last

CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
UNSEEN = "\\s\0-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
JOINERS = "\u00ad\u200c\u200d"  # stand within a word: soft hyphen, zero-width non-joiner and joiner
CONTROL = "\\s\0-\x1f\x7f-\x9f"
MARKS_END = 0x1E950  # marks that stand on letters have lower codes; variation selectors and tags are named apart
LONGEST_NAME = 64  # characters before the @ of an address
ADDRESS = re.compile(r"@|://|www\.", re.IGNORECASE)


def token_places(text: str, how: str = "rule") -> list[Place]:
    """The places of the tokens of a text, in order."""
    return [found.span() for found in _found(text, how)]


class TokenPlaces(Sequence[Place]):
    """The places of tokens as one array, a fifth of the memory of pairs, which are made when somebody looks."""

    def __init__(self, bounds: "Longs") -> None:
        self.bounds = bounds  # (T, 2)

    def __len__(self) -> int:
        return len(self.bounds)

    @overload
    def __getitem__(self, place: int) -> Place: ...
    @overload
    def __getitem__(self, place: slice) -> list[Place]: ...
    def __getitem__(self, place: int | slice) -> Place | list[Place]:
        found = self.bounds[place].tolist()
        return [(start, stop) for start, stop in found] if isinstance(place, slice) else (found[0], found[1])

    def firsts(self, stops: Sequence[int]) -> list[int]:
        """The first token of each part of the text that has one, given where parts but the last one end."""
        ends = self.bounds[:, 0].searchsorted(stops)
        ends.sort()  # a part that ends before another one has none of its own
        begins = [0, *ends.tolist()]
        return [first for first, end in zip(begins, [*begins[1:], len(self)], strict=True) if first < end]

    def __iter__(self) -> Iterator[Place]:
        for begin in range(0, len(self), AT_ONCE):
            yield from self[begin : begin + AT_ONCE]


def place_array(text: str, how: str = "rule") -> TokenPlaces:
    """The places of the tokens of a text, in order; in NumPy's arrays, since a text may have millions."""
    import numpy as np

    bounds = np.fromiter((end for found in _found(text, how) for end in found.span()), np.int64)
    return TokenPlaces(bounds.reshape(-1, 2))


def first_places(text: str, most: int) -> list[Place]:
    """The places of the first tokens of a text, at most so many, however long it is."""
    return [found.span() for found in islice(_found(text, "rule"), most)]


def _found(text: str, how: str) -> Iterator[re.Match[str]]:
    if how not in TOKENS:
        raise ConfigError(f"no way '{how}' to make tokens{nearest(how, TOKENS)}")
    return _patterns()["address" if how == "rule" and ADDRESS.search(text) else how].finditer(text)


def is_unseen(character: str) -> bool:
    """Whether a character is one of those that stand between tokens."""
    return _patterns()["unseen"].match(character) is not None


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    marks = f"{_marks()}\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef\U0001f3fb-\U0001f3ff"
    letters, on_them = f"[^\\W_{CJK}]", f"[{marks}{JOINERS}]"
    run = f"{letters}+(?:{on_them}+{letters}*)*"
    word = f"{run}(?:(?<=\\d)[.,:](?=\\d){run})*"
    stops = "(?:[^\\W\\d_]\\.){2,}"
    flag = "[\U0001f1e6-\U0001f1ff]{2}"
    one = f"[^{UNSEEN}][{marks}]*(?:\u200d[^{UNSEEN}][{marks}]*)*[{JOINERS}]*"
    inner_url, last_url = f'[^{UNSEEN}<>"]', f"[^{UNSEEN}<>\".,;:!?)\\]}}'…]"
    url = f"(?:[a-z][a-z0-9+.-]{{1,15}}://|www\\.){inner_url}*{last_url}"
    mail = f"[\\w.+-]{{1,{LONGEST_NAME}}}@\\w[\\w-]*(?:\\.\\w[\\w-]*)+"
    rule = f"{stops}|{word}|{flag}|{one}"
    made = {
        "rule": rule,
        "address": f"(?i:{url})|{mail}|{rule}",
        "char": f"{flag}|{one}",
        "blank": f"[^{CONTROL}]+",
        "unseen": f"[{UNSEEN}]",
    }
    return {name: re.compile(pattern) for name, pattern in made.items()}


def _marks() -> str:
    """The ranges of characters that stand on the one before them, as a part of a class of characters."""
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in _mark_ranges())


def _mark_ranges() -> Iterator[tuple[int, int]]:
    first = None
    for code in range(0x300, MARKS_END):
        is_mark = unicodedata.category(chr(code)).startswith("M")
        if is_mark and first is None:
            first = code
        elif not is_mark and first is not None:
            yield first, code - 1
            first = None
