"""Regular expressions that cannot run away.

Python's matcher goes back and tries again, which for some patterns, such as `(a+)+b`, takes time without bound. A
pattern is accepted only if its open-ended repeats cannot divide the same text among them in different ways: any two
have no characters in common, or something stands between them that one of the two cannot match; and where a group is
repeated, its first character tells that the round before has ended. Then there is one way to match a text from a place,
up to the end of the match. Only the first LONGEST characters of a word are looked at.
"""

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from re import _constants, _parser  # type: ignore[attr-defined]  # Python's own parser, in place of a second one
from typing import Any, TypeAlias

from sstag.foundation.errors import ConfigError

LONGEST = 256  # characters of a word that are looked at
LARGEST = 500  # characters of a pattern
VARIANTS = 64  # ways to go through a pattern's alternatives and short repeats
SHORT = 4  # a repeat with more choices than this counts as open-ended

# Characters that tell one class from another: the Latin blocks, and some of every kind beyond them.
_SAMPLE = frozenset([chr(code) for code in range(0x250)] + list("αΩжЖאعあア漢字가३५\u2003\u3000。、—…€🙂\ue000"))
_Parsed: TypeAlias = Any  # a kind or an item in what Python's parser returns, which has no types
_CATEGORIES: dict[_Parsed, Callable[[str], bool]] = {
    _constants.CATEGORY_DIGIT: str.isdecimal,
    _constants.CATEGORY_NOT_DIGIT: lambda char: not char.isdecimal(),
    _constants.CATEGORY_SPACE: str.isspace,
    _constants.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    _constants.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    _constants.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


@dataclass(frozen=True)
class _Piece:
    """One character out of a class, or an open-ended repeat: of such characters, or of a group of them."""

    characters: frozenset[str]
    repeated: bool
    begins: frozenset[str] = frozenset()  # of a repeated group: the characters that one round may begin with


_Way = tuple[_Piece, ...]  # one way through the pattern


def safe_pattern(pattern: str) -> Callable[[str], bool]:
    """A test for whether a word contains the pattern; one that could run away is refused."""
    if len(pattern) > LARGEST:
        raise ConfigError(f"the pattern is longer than {LARGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = _parser.parse(pattern)
            compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise ConfigError(f"'{pattern}' is no regular expression: {error}") from error
    if tree.state.flags & ~re.UNICODE:
        raise ConfigError(f"'{pattern}': flags are not read; compare lower(...) to ignore case")
    sample = _SAMPLE | _named(tree)
    if not all(_all_apart(way) for way in _ways(tree, sample)):
        raise ConfigError(f"'{pattern}' can run away: two of its repeats can match the same characters")
    return lambda word: compiled.search(word[:LONGEST]) is not None


def _named(tree: _Parsed) -> frozenset[str]:
    """The characters that a pattern names, and their neighbours, so that the sample has both sides of its classes."""
    codes: set[int] = set()
    rest = [tree]
    while rest:
        item = rest.pop()
        if isinstance(item, int):  # counts of repeats are among them, which do no harm
            codes.update((item - 1, item, item + 1))
        elif isinstance(item, (tuple, list, _parser.SubPattern)):
            rest.extend(item)
    return frozenset(chr(code) for code in codes if 0 <= code <= 0x10FFFF)


def _all_apart(way: _Way) -> bool:
    """Whether no two repeats of a way can divide the same text among them in different ways."""
    repeats = [index for index, piece in enumerate(way) if piece.repeated]
    return all(_apart(way[i], way[i + 1 : j], way[j]) for i, j in combinations(repeats, 2))


def _apart(first: _Piece, between: _Way, second: _Piece) -> bool:
    """Whether two repeats cannot divide the same text among them in different ways."""
    if not between and first.characters.isdisjoint(second.begins or second.characters):
        return True
    sure = [piece.characters for piece in between if not piece.repeated]
    return any(first.characters.isdisjoint(one) or second.characters.isdisjoint(one) for one in sure)


def _ways(items: Iterable[tuple[_Parsed, _Parsed]], sample: frozenset[str]) -> list[_Way]:
    """All ways through a sequence of parsed items."""
    ways: list[_Way] = [()]
    for kind, what in items:
        match kind:
            case _constants.AT:
                continue
            case _constants.SUBPATTERN:
                _, add_flags, drop_flags, body = what
                if add_flags or drop_flags:
                    raise ConfigError("flags are not read in a pattern; compare lower(...) to ignore case")
                choices = _ways(body, sample)
            case _constants.BRANCH:
                choices = [way for body in what[1] for way in _ways(body, sample)]
            case _constants.MAX_REPEAT | _constants.MIN_REPEAT:
                least, most, body = what
                choices = _repeated(least, most, _ways(body, sample))
            case _constants.LITERAL | _constants.NOT_LITERAL | _constants.ANY | _constants.IN:
                choices = [(_Piece(_characters(kind, what, sample), repeated=False),)]
            case _:
                name = str(kind).lower().replace("_", " ")
                raise ConfigError(f"a pattern with {name} can run away, and is refused")
        ways = _followed(ways, choices)
    return ways


def _followed(ways: list[_Way], choices: list[_Way]) -> list[_Way]:
    """Every way with every choice after it."""
    if len(ways) * len(choices) > VARIANTS:
        raise ConfigError(f"a pattern with more than {VARIANTS} ways through it can run away")
    result = [way + choice for way in ways for choice in choices]
    if max(map(len, result), default=0) > LONGEST:
        raise ConfigError(f"a pattern for more than {LONGEST} characters can run away")
    return result


def _repeated(least: int, most: _Parsed, once: list[_Way]) -> list[_Way]:
    """The ways through `least` to `most` repetitions of any of these ways."""
    if most is not _constants.MAXREPEAT and most - least <= SHORT and most <= LONGEST:
        ways: list[_Way] = [()]
        choices = [*ways] if least == 0 else []
        for times in range(1, most + 1):
            ways = _followed(ways, once)
            choices += ways if times >= least else []
        return choices
    if not _told_apart(once):
        raise ConfigError("a pattern can run away if what it repeats without end may begin or go on alike")
    characters = frozenset[str]().union(*(piece.characters for way in once for piece in way))
    piece = _Piece(characters, repeated=True, begins=frozenset[str]().union(*(way[0].characters for way in once)))
    sure = once[0] if least and len(once) == 1 and len(once[0]) == 1 else ()
    return [(*sure, piece)]


def _told_apart(once: list[_Way]) -> bool:
    """Whether there is only one way to cut a text into pieces that each are one of these.

    That is so if the first character of a piece tells which of them it is, and that the piece before has ended.
    """
    firsts = [way[0] for way in once if way]
    inner = [piece for way in once for piece in way if piece.repeated]
    return (
        len(firsts) == len(once)
        and all(first.characters.isdisjoint(piece.characters) for first in firsts for piece in inner)
        and all(one.characters.isdisjoint(other.characters) for one, other in combinations(firsts, 2))
        and all(_all_apart(way) for way in once)
    )


def _characters(kind: _Parsed, what: _Parsed, sample: frozenset[str]) -> frozenset[str]:
    match kind:
        case _constants.LITERAL:
            return frozenset(chr(what))
        case _constants.NOT_LITERAL:
            return sample - {chr(what)}
        case _constants.ANY:
            return sample
        case _constants.CATEGORY:
            return frozenset(filter(_CATEGORIES[what], sample))
        case _constants.RANGE:
            return frozenset(char for char in sample if what[0] <= ord(char) <= what[1])
    negated = what[0][0] is _constants.NEGATE
    union = frozenset[str]().union(*(_characters(part, value, sample) for part, value in what[negated:]))
    return sample - union if negated else union
