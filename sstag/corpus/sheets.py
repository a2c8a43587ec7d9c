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
from sstag.foundation.files import display_name, inflated_start
from sstag.foundation.sources import is_file
from sstag.foundation.streams import is_stream, looked

COLUMNS = re.compile(rb"#[ \t]+global\.columns[ \t]+=[ \t]*(.*)")
LABEL = re.compile(rb"#[ \t]+global\.label[ \t]+=[ \t]*(.*)")
BOM = b"\xef\xbb\xbf"
NO_NAME = re.compile("[ \t\n\r\v\f\0]+")  # the characters that no name in a head can have
DIVIDER = "."  # stands between the name of the label and that of an annotator
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
    shown = names_of_head(names)
    kept = dict(zip(names, shown, strict=True)).get(label, label)
    return f"# global.columns = {' '.join(shown)}\n# global.label = {kept}\n"


def names_of_head(names: Sequence[str]) -> list[str]:
    """Names of columns as the head of a sheet can hold them: without blanks, and each another one."""
    shown: list[str] = []
    for name in names:
        shown.append(further(NO_NAME.sub("_", name) or "_", shown))
    return shown


def with_names(text: bytes, names: Sequence[str], before: Sequence[str], label: str | None = None) -> bytes:
    """The text of a file with other names in the comments at its head that name columns and label, if there are any.

    `before` are the names by which its columns were called; without a `label` it stays the column that the head names.
    """
    begin = len(BOM) if text.startswith(BOM) else 0
    lines, place = list[bytes](), begin
    while text.startswith(b"#", place):
        end = text.find(b"\n", place) + 1 or len(text)
        lines.append(text[place:end])
        place = end
    named = {at: found for at, line in enumerate(lines) if (found := COLUMNS.fullmatch(line.rstrip(b"\r\n")))}
    labels = {at: found for at, line in enumerate(lines) if (found := LABEL.fullmatch(line.rstrip(b"\r\n")))}
    if not (named and names):
        return text
    old, told = _names_in([*named.values()][-1]), [_label_in(found) for found in labels.values()]
    was = told[-1] if told else _usual_label(old)
    called = dict(zip(old, before, strict=False)) if len(old) == len(before) else {}
    label = label_among(names, label or called.get(was, was))
    columns = names_of_head(names)
    label = dict(zip(names, columns, strict=True)).get(label, label)
    columns_line, label_line = (line.encode() for line in naming_comments(columns, label).splitlines())
    ending = b"\r\n" if lines[0].endswith(b"\r\n") else b"\n"
    made = [
        columns_line + ending if at in named else label_line + ending if at in labels else line
        for at, line in enumerate(lines)
    ]
    if not labels and label != _usual_label(columns):
        made.insert(max(named) + 1, label_line + ending)
    return text[:begin] + b"".join(made) + text[place:]


def label_among(names: Sequence[str], label: str) -> str:
    """The label among the columns that are left of a file: its own one, or the last of an annotator, or none."""
    if label in names:
        return label
    of_annotators = annotator_columns(names, label)
    stem = label.partition(DIVIDER)[0]
    return of_annotators[-1] if of_annotators else stem if stem in names else PREDICTED


def annotator_columns(names: Sequence[str], label: str) -> list[str]:
    """The columns of single annotators, which are called by the label and their names: `label.vera`, `label.paul`."""
    stem = label.partition(DIVIDER)[0] + DIVIDER
    return [name for name in names if name.startswith(stem)]


def further(name: str, names: Sequence[str]) -> str:
    """A name for one more column: this one, with a number if there is such a column."""
    return next(one for one in chain([name], (f"{name}{n}" for n in count(2))) if one not in names)


def named_columns(path: str, encoding: str | None = None) -> NamedColumns | None:
    """The columns that the head of a file or a stream names, if it names any."""
    if not (is_stream(path) or is_file(path)):
        return None
    names: tuple[str, ...] = ()
    label = ""
    last = 1  # the line of the last of them
    for number, line in enumerate(_head(path, encoding), 1):
        if found := COLUMNS.fullmatch(line):
            names, last = _names_in(found), number
        elif found := LABEL.fullmatch(line):
            label, last = _label_in(found), number
    if not names:
        return None
    label = label or _usual_label(names)
    if len(set(names)) < len(names) or label not in (*names, PREDICTED):
        raise DataError(
            f"its comments name columns that cannot be: {', '.join(names)}; label {label}", display_name(path), last
        )
    return NamedColumns(names, label)


def named_label(path: str, encoding: str | None = None) -> str | None:
    """The label that the head of a file or a stream names, whether it names columns or not."""
    if not (is_stream(path) or is_file(path)):
        return None
    found = [_label_in(label) for line in _head(path, encoding) if (label := LABEL.fullmatch(line))]
    return found[-1] or None if found else None


def label_in_text(text: bytes) -> str | None:
    """The label that the comments at the head of a text name."""
    head = takewhile(lambda line: line.startswith(b"#"), text.removeprefix(BOM).split(b"\n"))
    found = [_label_in(label) for line in head if (label := LABEL.fullmatch(line.rstrip(b"\r")))]
    return found[-1] or None if found else None


def annotator_of(column: str) -> str:
    """The name of the annotator whose labels stand in a column."""
    return column.partition(DIVIDER)[2]


def _names_in(found: re.Match[bytes]) -> tuple[str, ...]:
    """The names of columns in a comment; blanks of other writings belong to names."""
    return tuple(name.decode(errors="replace") for name in found[1].split())


def _label_in(found: re.Match[bytes]) -> str:
    return found[1].strip().decode(errors="replace")


def _usual_label(names: Sequence[str]) -> str:
    """The label of a file that does not name it: the last column but a suggestion."""
    return next((name for name in reversed(names) if name != PREDICTED), names[-1] if names else PREDICTED)


def _has_comments(head: bytes | bytearray) -> bool:
    """Whether these first bytes have all comments before the first token of a file."""
    return len(head) >= MOST_BYTES or bool(re.search(rb"^[^#]", head.removeprefix(BOM), re.MULTILINE))


def _head(path: str, encoding: str | None) -> Iterator[bytes]:
    """The comments before the first token of a file."""
    head = bytearray()
    if is_stream(path):
        raw = looked(path, lambda data: _has_comments(inflated_start(data, MOST_BYTES)))
        head += inflated_start(raw, MOST_BYTES).decode(encoding or "utf-8", errors="ignore").encode()
    else:
        for piece in bytes_of(path, encoding):
            head += piece
            if _has_comments(head):
                break
    lines = bytes(head).removeprefix(BOM).split(b"\n")
    return takewhile(lambda line: line.startswith(b"#"), (line.rstrip(b"\r") for line in lines))
