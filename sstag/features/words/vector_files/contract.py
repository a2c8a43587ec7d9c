"""The contract of a format of vector files: how its files begin, and the vectors of some words in one, or of all."""

from collections.abc import Callable, Collection
from typing import NamedTuple, TypeAlias

from sstag.foundation.arrays import Singles
from sstag.foundation.registry import Where

MOST_DIMENSIONS = 4096
LONGEST = 1e100  # the largest number in a file of one's own; its square is still finite
LARGEST_NUMBER = 1e6  # in files of others: vectors are of the size of 1
LONGEST_WORD = 4096  # bytes


class Found(NamedTuple):
    """Words that have a vector, each once, and their vectors."""

    words: list[str]
    vectors: Singles  # (W, D)


Wanted: TypeAlias = Collection[str] | None  # words, or all that a file lists


def wanted_words(wanted: Wanted) -> Callable[[bytes], str | None]:
    """The word that some bytes are, if it is wanted."""
    if wanted is None:
        return _decoded
    return {word.encode(): word for word in wanted}.get


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:  # some files have words that are cut inside a letter
        return None


class Format(NamedTuple):
    """A format of files with vectors of words."""

    about: str
    is_one: Where[Callable[[bytes], bool]]  # whether a file begins so; the first format that says yes has it
    found: Where[Callable[[str, Wanted], Found]]  # the wanted words of a file; a fault is an `SstagError`
    beside: Where[Callable[[str], str]] | None = None  # the file beside it that belongs to it
    composes: bool = False  # words that it does not list have vectors, too: those of their parts
