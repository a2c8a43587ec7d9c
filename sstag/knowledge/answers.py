"""A list of features that a person labels: a file that asking goes on with, and that may be changed by hand in between.

    # 3 occurrences
    # answer rent: … Monthly [rent] : $ 1,725 utilities
    # answer ?: no [rent] control
    lower(word[0])=rent<TAB>?

An answer about one occurrence stands above the feature, `?` if none was given. With it stand the words around the
occurrence, not a number: it is found again in a text that has grown, and is never taken for one about another.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import contents
from sstag.foundation.tab_lists import LARGEST, cells_of
from sstag.knowledge.expectation_list import OPEN, target_of
from sstag.knowledge.proposal_text import of_samples

LEFT_OUT = "# left out: "
ANSWER = "# answer "
LOOKED_AT = re.compile(r"# [\d,]+ occurrences? looked at: ")
OTHER = re.compile(r"#|\s*$")  # lines that are there whatever stands in a list
ANSWERED = "# answered; "  # by a person, in a comment
OWN = re.compile(rf"{ANSWER}|{LOOKED_AT.pattern}|(?:{ANSWERED}|# )[\d,]+ occurrences?(;|$)")  # written anew


@dataclass(frozen=True)
class Entry:
    """A feature, what is said of it, and the lines between it and the one before."""

    above: tuple[str, ...]
    name: str  # "" if only lines are left, at the end
    target: str | None  # OPEN: to be asked; None: left out
    rest: tuple[str, ...] = ()  # its strength


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
        name, *cells = cells_of(line)
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
    if not entries and (other := next((number for number, line in enumerate(above, 1) if not OTHER.match(line)), None)):
        raise DataError("no tab in it: answers stand in lists of features, a tab, and their labels", path, other)
    return [*entries, Entry(tuple(above), "", None)] if above else entries


def has_answers(path: str) -> bool:
    """Whether there is a file, and what a person answered in it."""
    if not os.path.exists(path):
        return False
    text = contents(path, LARGEST).decode("utf-8-sig", errors="replace")
    return any(line.startswith((ANSWERED, ANSWER, LEFT_OUT)) for line in text.split("\n"))


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


def answer(label: str, context: str) -> str:
    """What is said of an occurrence, as a comment."""
    return f"{ANSWER.removeprefix('# ')}{label or OPEN}: {context}"


def answers_in(entry: Entry) -> list[tuple[str, str]]:
    """The label, or "", of each occurrence that somebody looked at, and its context."""
    parts = [line.removeprefix(ANSWER).partition(": ") for line in entry.above if line.startswith(ANSWER)]
    return [("" if label == OPEN else label, context.strip()) for label, colon, context in parts if colon]


def labels_in(entries: Sequence[Entry]) -> list[str]:
    """All labels that are named."""
    labels = dict[str, None]()
    for entry in entries:
        if entry.target not in (None, OPEN):
            labels |= dict.fromkeys(target_of(entry.target).labels)
        labels |= dict.fromkeys(label for label, _ in answers_in(entry) if label)
    return list(labels)


def smoothed(entry: Entry, labels: Sequence[str], smoothing: float) -> Entry:
    """Shares that are those of the answers, over all labels there are now; what a person changed stays."""
    found = [label for label, _ in answers_in(entry) if label]
    own = target_of(entry.target or OPEN).labels
    if not found or not set(found) <= set(own) & set(labels) or shares(own, found, smoothing)[0] != entry.target:
        return entry
    target, (note,) = shares(labels, found, smoothing)
    above = tuple(f"# {note}" if LOOKED_AT.match(line) else line for line in entry.above)
    return replace(entry, above=above, target=target)


def shares(labels: Sequence[str], found: Sequence[str], smoothing: float) -> tuple[str, list[str]]:
    """The shares that answers tell of, and how sure these are."""
    return of_samples(labels, np.array([found.count(label) for label in labels], np.int64), smoothing)
