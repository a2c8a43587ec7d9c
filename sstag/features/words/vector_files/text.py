"""Vectors as text, a word and its numbers a line: of word2vec and fastText, and without their first line of GloVe.

A word may have blanks in it (GloVe's `. . .`): a line is split from the right. The first line of word2vec says how many
numbers there are; without one it is how many most of the first lines have.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from sstag.features.words.vector_files.contract import LONGEST_WORD, MOST_DIMENSIONS, Found, Wanted, wanted_words
from sstag.features.words.vector_files.numbers import checked, checked_dimensions
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, pieces

HEADER = re.compile(rb"(\d{1,12}) (\d{1,6})[ \r]*")
NUMBER = re.compile(rb"[-+]?(\d{1,40}\.?\d{0,40}|\.\d{1,40})([eE][-+]?\d{1,3})?")
FIRST = 100  # lines by which the dimensions are told
LONGEST_LINE = LONGEST_WORD + 64 * MOST_DIMENSIONS


def is_one(head: bytes) -> bool:
    """Whether a file begins with a word and numbers, which may come after a header."""
    line, _, rest = head.partition(b"\n")
    if HEADER.fullmatch(line):
        line = rest.partition(b"\n")[0]
    words = line.rstrip().split(b" ")[1:-1] or line.rstrip().split(b" ")[1:]  # the last one may be cut off
    return bool(words) and all(NUMBER.fullmatch(one) for one in words[-2:])


def found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words that are in a file; of a word that stands there twice the first."""
    name = display_name(path)
    lines = _lines(path)
    number, first = 1, next(lines, b"")
    header = HEADER.fullmatch(first)
    if header:
        dimensions = int(header[2])
    else:
        some = [first, *islice(lines, FIRST)]
        (usual, _), *_ = Counter(len(line.rstrip().split(b" ")) for line in some).most_common(1)
        dimensions = usual - 1
        lines, number = chain(some, lines), 0
    checked_dimensions(dimensions, name)
    word_of = wanted_words(wanted)
    rows: dict[str, Floats] = {}
    for line in lines:
        number += 1
        word = word_of(line.partition(b" ")[0])
        if word is None and line.count(b" ") == dimensions:
            continue
        key, *numbers = line.rstrip().rsplit(b" ", dimensions)
        if len(numbers) != dimensions or not key:
            raise DataError(f"a word and {dimensions} numbers should stand here", name, number)
        word = word_of(key)
        if word is not None and word not in rows:
            rows[word] = _vector(numbers, name, number)
    if header and number - 1 != int(header[1]):
        raise DataError(f"{int(header[1])} words should be here, and {number - 1} are: the file is not whole", name)
    return Found(list(rows), checked(np.array(list(rows.values())).reshape(-1, dimensions), name))


def _vector(numbers: list[bytes], name: str, line: int) -> Floats:
    if not all(map(NUMBER.fullmatch, numbers)):
        wrong = next(one for one in numbers if not NUMBER.fullmatch(one))
        raise DataError(f"'{wrong[:40].decode(errors='replace')}' is no number", name, line)
    return np.array(numbers, "S").astype(np.float64)


def _lines(path: str) -> Iterator[bytes]:
    """The lines of a file without their ends; one that is too long is an error."""
    rest, number = b"", 0
    for piece in pieces(path):
        *whole, rest = (rest + piece).split(b"\n")
        number += len(whole)
        yield from whole
        if len(rest) > LONGEST_LINE:
            raise DataError(f"longer than {LONGEST_LINE // 1024} KiB", display_name(path), number + 1)
    if rest:
        yield rest
