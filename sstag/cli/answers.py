"""A list of features that a person labels: a file that asking goes on with, and that may be changed by hand in between.

# 3 occurrences
lower(word[0])=rent<TAB>?
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sstag.constraint_list import OPEN, target_of
from sstag.errors import ConfigError, DataError
from sstag.files import contents
from sstag.rows import LARGEST

LEFT_OUT = "# left out: "
OWN = re.compile(r"# [\d,]+ occurrences?(;| looked at: |$)")  # comments that are written anew


@dataclass(frozen=True)
class Entry:
    """A feature, what is said of it, and the lines between it and the one before."""

    above: tuple[str, ...]
    name: str  # "" if only lines are left, at the end
    target: str | None  # OPEN: to be asked; None: left out
    rest: tuple[str, ...] = ()  # its weight


def read_entries(path: str) -> list[Entry]:
    """What is in a file, if there is one."""
    if not os.path.exists(path):
        return []
    try:
        text = contents(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start})", path) from error
    entries, above = [], list[str]()
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        name, *cells = (cell.strip() for cell in line.split("\t"))
        if line.startswith(LEFT_OUT):
            entries.append(Entry(tuple(above), line.removeprefix(LEFT_OUT).strip(), None))
        elif line.startswith("#") or not cells:
            above.append(line.removesuffix("\r"))
            continue
        else:
            try:
                target_of(cells[0])
            except ConfigError as error:
                raise DataError(error.message, path, number) from error
            entries.append(Entry(tuple(above), name, cells[0] or OPEN, tuple(cells[1:])))
        above = []
    return [*entries, Entry(tuple(above), "", None)] if above else entries


def text_of(entries: Sequence[Entry]) -> str:
    """The same as text."""
    lines = list[str]()
    for entry in entries:
        lines += entry.above
        if entry.target is not None:
            lines.append("\t".join([entry.name, entry.target, *entry.rest]))
        elif entry.name:
            lines.append(f"{LEFT_OUT}{entry.name}")
    return "".join(f"{line}\n" for line in lines)


def by_name(entries: Sequence[Entry]) -> dict[str, Entry]:
    """The entry of each feature, the last if there are several."""
    return {entry.name: entry for entry in entries if entry.name}


def changed(entries: Sequence[Entry], name: str, entry: Entry | None) -> list[Entry]:
    """The entries with another one of a feature, in its place or at the end; or without it."""
    place = max((place for place, other in enumerate(entries) if other.name == name), default=len(entries))
    return [*entries[:place], *([entry] if entry else []), *entries[place + 1 :]]


def below(entry: Entry, comments: Sequence[str]) -> Entry:
    """An entry with these comments for those that we made before; what else stands there stays."""
    place = next((place for place, line in enumerate(entry.above) if OWN.match(line)), len(entry.above))
    others = [line for line in entry.above[place:] if not OWN.match(line)]
    return replace(entry, above=(*entry.above[:place], *(f"# {comment}" for comment in comments), *others))
