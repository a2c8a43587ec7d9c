"""Sheets: column files that name their columns themselves, in comments before the first sentence.

    # global.columns = word pos ner predicted         as CoNLL-U Plus names them
    # global.label = ner                              which of them holds the labels

So a sheet that `sstag select` or `sstag agree` has written is read as it is, whatever stands beside its labels.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, takewhile

from sstag.corpus.column_names import PREDICTED
from sstag.corpus.text.folders import bytes_of
from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, display_name
from sstag.foundation.sources import is_file

COLUMNS = re.compile(rb"#[ \t]+global\.columns[ \t]+=[ \t]*(.*)")
LABEL = re.compile(rb"#[ \t]+global\.label[ \t]+=[ \t]*(.*)")
BOM = b"\xef\xbb\xbf"
MOST_BYTES = 2**16  # of the comments at the head of a file


@dataclass(frozen=True)
class NamedColumns:
    """The columns that a file names, and the one of them that holds its labels.

    If that is `predicted` and there is no such column, the file has no labels yet.
    """

    names: tuple[str, ...]
    label: str


def naming_comments(names: Sequence[str], label: str) -> str:
    """The comments at the head of a sheet with these columns."""
    return f"# global.columns = {' '.join(names)}\n# global.label = {label}\n"


def with_names(text: bytes, names: Sequence[str]) -> bytes:
    """The text of a file with other names in the comment at its head that names columns, if there is one."""
    place = len(BOM) if text.startswith(BOM) else 0
    while text.startswith(b"#", place):
        end = text.find(b"\n", place)
        end = len(text) if end < 0 else end
        line = text[place:end]
        if COLUMNS.fullmatch(line.rstrip(b"\r")):
            made = b"# global.columns = " + " ".join(names).encode() + (b"\r" if line.endswith(b"\r") else b"")
            return text[:place] + made + text[end:]
        place = end + 1
    return text


def further(name: str, names: Sequence[str]) -> str:
    """A name for one more column: this one, with a number if there is such a column."""
    return next(one for one in chain([name], (f"{name}{n}" for n in count(2))) if one not in names)


def named_columns(path: str, encoding: str | None = None) -> NamedColumns | None:
    """The columns that the head of a file names, if it names any; standard input is not looked at."""
    if path == STANDARD or not is_file(path):
        return None
    names: tuple[str, ...] = ()
    label = ""
    last = 1  # the line of the last of them
    for number, line in enumerate(_head(path, encoding), 1):
        if found := COLUMNS.fullmatch(line):
            names, last = tuple(found[1].decode(errors="replace").split()), number
        elif found := LABEL.fullmatch(line):
            label, last = found[1].decode(errors="replace").strip(), number
    if not names:
        return None
    label = label or next((name for name in reversed(names) if name != PREDICTED), names[-1])
    if len(set(names)) < len(names) or label not in (*names, PREDICTED):
        raise DataError(
            f"its comments name columns that cannot be: {', '.join(names)}; label {label}", display_name(path), last
        )
    return NamedColumns(names, label)


def _head(path: str, encoding: str | None) -> Iterator[bytes]:
    """The comments before the first token of a file."""
    head = bytearray()
    for piece in bytes_of(path, encoding):
        head += piece
        if len(head) >= MOST_BYTES or not head.startswith((b"#", BOM + b"#")):
            break
    lines = bytes(head).removeprefix(BOM).split(b"\n")
    return takewhile(lambda line: line.startswith(b"#"), (line.rstrip(b"\r") for line in lines))
