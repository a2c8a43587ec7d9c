"""Lists as files: an entry a line, its cells separated by tabs; lines that begin with # are comments."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import as_text, contents, display_name

Entry = TypeVar("Entry")
LARGEST = 256 * 2**20  # bytes of a list
BLANKS = " \t\r\n\v\f"  # other blanks, such as U+3000, are part of a token


@dataclass(frozen=True)
class Rows:
    """The entries of a list, without comments and empty lines."""

    path: str  # its name in messages
    digest: str
    cells: dict[int, list[str]]  # by the number of the line, without blanks around them

    def entries(self, entry: Callable[[int, Sequence[str]], Entry]) -> tuple[Entry, ...]:
        """The values that a function makes of lines, by their numbers and cells; what it refuses is an error there."""
        found = []
        for number, cells in self.cells.items():
            try:
                found.append(entry(number, cells))
            except ConfigError as error:
                raise DataError(error.message, self.path, number) from error
        return tuple(found)


def cells_of(line: str) -> list[str]:
    """The cells of a line, which tabs separate, without blanks around them."""
    return [cell.strip(BLANKS) for cell in line.split("\t")]


def words_of(text: str) -> list[str]:
    """The words of a text, which blanks separate."""
    return [word for word in re.split(f"[{BLANKS}]+", text) if word]


def repeated(texts: Iterable[str]) -> str | None:
    """The first text that occurs a second time, or None."""
    seen = set[str]()
    for text in texts:
        if text in seen:
            return text
        seen.add(text)
    return None


def read_rows(path: str, is_comment: Callable[[str], bool] = lambda line: line.startswith("#")) -> Rows:
    """The entries of the list in a file; a list without any is an error."""
    data, name = contents(path, LARGEST), display_name(path)
    lines = as_text(data, name).split("\n")
    cells = {number: cells_of(line) for number, line in enumerate(lines, 1) if line.strip() and not is_comment(line)}
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise DataError("a NUL byte: this is no text", name, number)
    if not cells:
        raise DataError("nothing in it", name)
    return Rows(name, sha256(data).hexdigest(), cells)
