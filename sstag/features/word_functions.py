"""Functions that templates apply to a word, from a word to a text or to nothing.

They are applied once per distinct word of a column, never per token.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from sstag.features.safe_patterns import safe_pattern
from sstag.features.word_kinds import kind
from sstag.foundation.errors import ConfigError

Word = Callable[[str], str | None]
Argument = int | str | None

LONGEST_AFFIX = 32
YES = ""  # the value of a function that is only true or absent, which adds nothing to an attribute's text


@dataclass(frozen=True)
class WordFunction:
    """A function of words: how it is written, the argument it takes besides the word, and how it is made.

    A `total` function has a value for every word. The marks for "before the sentence" and "after it" pass through it
    unchanged; other functions have no value for them.
    """

    usage: str
    takes: type[int] | type[str] | None
    total: bool
    made: Callable[[Argument], Word]


def shape(word: str) -> str:
    """`U.S.-born30` → `X.X.-xxxxdd`: X upper case, x lower case, c other letters, d digits, the rest as it is."""
    return "".join(map(_shape_of, word))


@lru_cache(maxsize=2**12)
def _shape_of(char: str) -> str:
    if char.isupper():
        return "X"
    if char.islower():
        return "x"
    if char.isdigit():
        return "d"
    return "c" if char.isalpha() else char


def short_shape(word: str) -> str:
    """The shape with runs cut to one: `U.S.-born30` → `X.X.-xd`."""
    return "".join(char for char, _ in groupby(shape(word)))


def _affix(argument: Argument, cut: Callable[[str, int], str]) -> Word:
    length = int(argument or 0)
    if not 1 <= length <= LONGEST_AFFIX:
        raise ConfigError(f"a prefix or suffix has 1 to {LONGEST_AFFIX} characters, not {length}")
    return lambda word: cut(word, length) if len(word) >= length else None


def _matches(argument: Argument) -> Word:
    found = safe_pattern(str(argument))
    return lambda word: YES if found(word) else None


WORD_FUNCTIONS = {
    "lower": WordFunction("lower(word[0])", None, True, lambda _: str.lower),
    "shape": WordFunction("shape(word[0])", None, True, lambda _: shape),
    "short_shape": WordFunction("short_shape(word[0])", None, True, lambda _: short_shape),
    "prefix": WordFunction("prefix(word[0], 1..4)", int, False, lambda n: _affix(n, lambda word, k: word[:k])),
    "suffix": WordFunction("suffix(word[0], 1..4)", int, False, lambda n: _affix(n, lambda word, k: word[-k:])),
    "kind": WordFunction("kind(word[0])", None, False, lambda _: kind),
    "matches": WordFunction("matches(word[0], '^[A-Z]')", str, False, _matches),
}
