"""Templates rewritten for the columns of a file, line by line, so that their comments stay."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sstag.corpus.column_names import ALIASES
from sstag.corpus.layout import Layout
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError

# A quoted text, which names no column, or the name of a column before its range.
COLUMN = re.compile(r"""'[^']*'|(\w+)(?=\[)""")
ITEM = re.compile(r" *- ")


@dataclass(frozen=True)
class Adapted:
    """A template for a file: its text, the columns that the file lacks, and the columns that no feature reads."""

    text: str
    lacking: tuple[str, ...]
    dropped: int  # lines that looked at lacking columns
    unread: tuple[str, ...]


def adapted(text: str, path: str, columns: Sequence[str], layout: Layout) -> Adapted:
    """The template for a file with these columns; columns without names get the template's.

    If a file without names has as many columns as the template, they are the same. Otherwise the first column holds the
    words, the label is the label, and other columns are the same if their names are.
    """
    of = template(text, path)
    assert of.columns is not None
    label = layout.label if layout.label in columns else None
    fixed = layout.format.fixed is not None  # such a format has columns that no template looks at
    named = fixed or layout.names is not None
    if not named and len(columns) == len(of.columns):
        return Adapted(text, (), 0, ())
    name = _names(of.columns, of.label, columns, label)
    if not named:  # the template's names stand for the made-up ones
        columns = [next((old for old, new in name.items() if new == column), column) for column in columns]
        name = {old: old for old in name}
    own = name.setdefault(of.label, of.label)
    used = set(name.values())
    every = [column for column in columns if column in used] if fixed else [*columns]
    lines, dropped = _rewritten(text, name, [*every, *([own] if own not in every else [])], own)
    made = template(lines, path)
    unread = set(every) - {*made.columns_read, own}
    lacking = tuple(column for column in of.columns if column not in name)
    return Adapted(lines, lacking, dropped, tuple(column for column in every if column in unread))


def _names(old: Sequence[str], old_label: str, columns: Sequence[str], label: str | None) -> dict[str, str]:
    """The file's name of each column of a template that the file has."""
    rest = [column for column in columns if column != label]
    called = {ALIASES.get(column, column): column for column in rest}
    name = {column: called[ALIASES.get(column, column)] for column in old if ALIASES.get(column, column) in called}
    words = called.get("form", rest[0]) if rest else None
    first = next(column for column in old if column != old_label)
    if words is not None and words not in name.values():
        name.setdefault(first, words)
    name.pop(old_label, None)
    return name | ({old_label: label} if label else {})


def _rewritten(text: str, name: Mapping[str, str], columns: Sequence[str], label: str) -> tuple[str, int]:
    """The text of a template with other columns, and the number of lines left out for looking at others."""
    lines, dropped = [], 0

    def renamed(found: re.Match[str]) -> str:
        return name[found[1]] if found[1] else found[0]

    def stays(item: str) -> bool:
        return all(column in name for column in COLUMN.findall(item) if column)

    for line in text.split("\n"):
        if line.startswith("columns:"):
            line = f"columns: [{', '.join(columns)}]"
        elif line.startswith("label:"):
            line = f"label: {label}"
        elif line.startswith("edges:"):
            line, lost = _edges(line, stays)
            line, dropped = COLUMN.sub(renamed, line), dropped + lost
        elif ITEM.match(line):
            if not stays(line):
                dropped += 1
                continue
            line = COLUMN.sub(renamed, line)
        lines.append(line)
    if not any(map(ITEM.match, lines)):
        raise ConfigError("no feature is left: the file has none of the columns that this template looks at")
    return "\n".join(lines), dropped


def _edges(line: str, stays: Callable[[str], bool]) -> tuple[str, int]:
    """A line such as `edges: [labels, word[0]]` with the items that stay, and the number of those that do not."""
    key, _, rest = line.partition("[")
    items = [item.strip() for item in re.split(r",(?![^\[]*\])", rest.rstrip().removesuffix("]"))]
    kept = [item for item in items if stays(item)]
    return f"{key}[{', '.join(kept)}]", len(items) - len(kept)
