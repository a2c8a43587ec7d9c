"""Clusters of words: for each word a path of 0 and 1 through a tree, of which templates read prefixes.

Files are read in two formats: lines `path TAB word TAB count`, as `sstag clusters` and wcluster write them, and the
tables of spaCy, a JSON object of words and numbers whose lowest bit is the first step; 0 stands for no cluster.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sstag.features.word_functions import shape
from sstag.foundation.errors import DataError
from sstag.foundation.files import as_text, contents, display_name, output

LARGEST = 256 * 2**20  # bytes of a file
LONGEST = 5000  # steps of a path
MOST_BITS = 64  # of a number in a table of spaCy
LINE = re.compile(r"([01]*)\t([^\t]+)\t([0-9]{1,18})", re.ASCII)


@dataclass(frozen=True)
class Clusters:
    """The path of each word. A word counts before those after it where they read alike in lower case."""

    paths: Mapping[str, str]
    # How often words were seen, if that is known; a model does not keep it.
    times: Mapping[str, int] = field(default_factory=dict, compare=False)

    def path(self, word: str) -> str | None:
        """The path of a word, or else of one that reads like it in lower case, or else of most words of its shape."""
        found = self.paths.get(word)
        if found is None:
            found = self._by_lower.get(word.lower())
        return self._by_shape.get(shape(word)) if found is None else found

    @cached_property
    def _by_lower(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for word, path in self.paths.items():
            found.setdefault(word.lower(), path)
        return found

    @cached_property
    def _by_shape(self) -> Mapping[str, str]:
        found: dict[str, Counter[str]] = {}
        for word, path in self.paths.items():
            found.setdefault(shape(word), Counter())[path] += 1
        return {form: paths.most_common(1)[0][0] for form, paths in found.items()}


def read_clusters(path: str) -> Clusters:
    """The clusters in a file, in either format."""
    data, name = contents(path, LARGEST), display_name(path)
    text = as_text(data, name)
    found = _from_table(text, name) if text.lstrip().startswith("{") else _from_lines(text, name)
    if not found.paths:
        raise DataError("no word in it", name)
    return found


def _from_lines(text: str, name: str) -> Clusters:
    """Clusters from lines, the most frequent words first."""
    paths: dict[str, str] = {}
    times: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line.removesuffix("\r"))
        if match is None:
            raise DataError("a line is a path of 0 and 1, a word and a count, with tabs between them", name, number)
        path, word, count = match.groups()
        if word in paths:
            raise DataError(f"'{word}' stands here twice", name, number)
        if len(path) > LONGEST:
            raise DataError(f"a path of more than {LONGEST:,} steps", name, number)
        paths[word], times[word] = path, int(count)
    order = sorted(paths, key=lambda word: -times[word])
    return Clusters({word: paths[word] for word in order}, times)


def _from_table(text: str, name: str) -> Clusters:
    """Clusters from a table of spaCy: all paths are as long as the longest, and words in lower case come first."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON ({error})", name) from error
    bits = max((value.bit_length() for value in table.values() if type(value) is int), default=0)
    found: dict[str, str] = {}
    for word, value in table.items():
        if type(value) is not int or not 0 <= value < 2**MOST_BITS:
            raise DataError(f"the cluster of '{word:.50}' is no number of at most {MOST_BITS} bits", name)
        if not _is_text(word):
            raise DataError(f"{word!r:.50} is no text", name)
        if value and word:
            found[word] = f"{value:0{bits}b}"[::-1]
    return Clusters({word: found[word] for word in sorted(found, key=lambda word: word != word.lower())})


def _is_text(word: str) -> bool:
    """Whether a text can be written: JSON can say halves of characters."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_clusters(path: str, rows: Iterable[tuple[str, str, int]]) -> None:
    """Writes paths, words and counts as wcluster does: by path, the most frequent words first."""
    write_in_order(path, sorted(rows, key=lambda row: (row[0], -row[2], row[1])))


def write_in_order(path: str, rows: Iterable[tuple[str, str, int]]) -> None:
    """Writes paths, words and counts in the order in which they are given."""
    with output(path) as file:
        file.writelines(_lines(rows))


def _lines(rows: Iterable[tuple[str, str, int]]) -> Iterator[bytes]:
    for path, word, count in rows:
        if "\t" in word or "\n" in word or "\r" in word:
            raise DataError(f"{word!r:.50} cannot be written in a line of a file of clusters")
        yield f"{path}\t{word}\t{count}\n".encode()
