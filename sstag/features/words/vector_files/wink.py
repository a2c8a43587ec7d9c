"""The embeddings of wink, a JSON with `"vectors":{"word":[…], …}`; two numbers follow those of each vector."""

import json
import re

import numpy as np

from sstag.features.words.vector_files.contract import LONGEST_WORD, MOST_DIMENSIONS, Found, Wanted, wanted_words
from sstag.features.words.vector_files.numbers import checked, checked_dimensions
from sstag.features.words.vector_files.stream import Stream
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import json_value, number_of

BEGIN = b'{"precision":'
DIMENSIONS = re.compile(rb'"dimensions":(\d{1,6})')
LONGEST_HEAD = 64 * 2**20  # bytes before the vectors, where the words stand too
LONGEST_VECTOR = 32 * (MOST_DIMENSIONS + 2)


def is_one(head: bytes) -> bool:
    """Whether a file begins as wink's do."""
    return head.startswith(BEGIN) and DIMENSIONS.search(head) is not None


def found(path: str, wanted: Wanted) -> Found:
    """The vectors of the wanted words that are in a file."""
    stream = Stream(path)
    said = DIMENSIONS.search(stream.until(b'"vectors":{', LONGEST_HEAD))
    if said is None:
        raise DataError("does not say how many dimensions there are", stream.name)
    dimensions = checked_dimensions(int(said[1]), stream.name)
    word_of = wanted_words(None if wanted is None else [json.dumps(word, ensure_ascii=False) for word in wanted])
    rows: dict[str, list[float]] = {}
    while True:
        written = word_of(stream.until(b":[", LONGEST_WORD))
        numbers = stream.until(b"]", LONGEST_VECTOR)
        if written is not None:
            rows.setdefault(_word(written, stream.name), _vector(numbers, dimensions, stream.name))
        if stream.take(1) != b",":
            break
    return Found(list(rows), checked(np.array(list(rows.values())).reshape(-1, dimensions), stream.name))


def _word(written: str, name: str) -> str:
    try:
        word = json_value(written)
    except ValueError as error:
        raise DataError(f"a word of it cannot be read: {error}", name) from error
    if not isinstance(word, str):
        raise DataError("a word of it is no text", name)
    return word


def _vector(numbers: bytes, dimensions: int, name: str) -> list[float]:
    try:
        found = json_value(b"[" + numbers + b"]")
    except ValueError as error:
        raise DataError(f"a vector of it cannot be read: {error}", name) from error
    numbers_said = [number_of(one) for one in found] if isinstance(found, list) else []
    every = [one for one in numbers_said if one is not None]
    if len(every) < dimensions or len(every) < len(numbers_said):
        raise DataError(f"a vector of it has not {dimensions} numbers", name)
    return every[:dimensions]
