"""A file of features that a person labels, which the questions continue and which may be edited by hand in between.

    # 3 occurrences
    # answer rent: … Monthly [rent] : $ 1,725 utilities
    # answer ?: no [rent] control
    lower(word[0])=rent<TAB>?

An answer about one occurrence stands above the feature, with `?` if no label was given. The occurrence is told by the
words around it, not by a number, so that it is found again in a text that has grown and never confused with another.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import as_text, contents
from sstag.foundation.tab_lists import LARGEST, cells_of
from sstag.knowledge.expectation_list import OPEN, target_of
from sstag.knowledge.proposal_text import sampled_shares_text

LEFT_OUT = "# left out: "
ANSWER = "# answer "
LOOKED_AT = re.compile(r"# [\d,]+ occurrences? looked at: ")
OTHER = re.compile(r"#|\s*$")  # lines that any text may have: comments and empty ones
ANSWERED = "# answered; "  # begins the comment on an answer of a person
OWN = re.compile(rf"{ANSWER}|{LOOKED_AT.pattern}|(?:{ANSWERED}|# )[\d,]+ occurrences?(;|$)")  # comments we write


@dataclass(frozen=True)
class FeatureEntry:
    """A feature, its labels, and the lines between it and the feature before."""

    above: tuple[str, ...]
    name: str  # "" if only lines are left, at the end
    target: str | None  # labels or shares; OPEN if they are to be asked, None if the feature was left out
    rest: tuple[str, ...] = ()  # the cell of its strength, if there is one


def read_entries(path: str) -> list[FeatureEntry]:
    """The entries of a file, none if there is no file."""
    if not os.path.exists(path):
        return []
    text = as_text(contents(path, LARGEST), path)
    entries, above = [], list[str]()
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        name, *cells = cells_of(line)
        if line.startswith(LEFT_OUT):
            entries.append(FeatureEntry(tuple(above), line.removeprefix(LEFT_OUT).strip(), None))
        elif line.startswith("#") or not cells:
            above.append(line.removesuffix("\r"))
            continue
        else:
            try:
                target_of(cells[0])
            except ConfigError as error:
                raise DataError(error.message, path, number) from error
            entries.append(FeatureEntry(tuple(above), name, cells[0] or OPEN, tuple(cells[1:])))
        above = []
    if not entries and (other := next((number for number, line in enumerate(above, 1) if not OTHER.match(line)), None)):
        raise DataError("no tab in it: answers stand in lists of features, a tab, and their labels", path, other)
    return [*entries, FeatureEntry(tuple(above), "", None)] if above else entries


def has_answers(path: str) -> bool:
    """Whether a file has answers of a person; one that does not exist has none."""
    if not os.path.exists(path):
        return False
    text = contents(path, LARGEST).decode("utf-8-sig", errors="replace")
    return any(line.startswith((ANSWERED, ANSWER, LEFT_OUT)) for line in text.split("\n"))


def entries_text(entries: Sequence[FeatureEntry]) -> str:
    """The text of a file with these entries."""
    lines = list[str]()
    for entry in entries:
        lines += entry.above
        if entry.target is not None:
            lines.append("\t".join([entry.name, entry.target, *entry.rest]))
        elif entry.name:
            lines.append(f"{LEFT_OUT}{entry.name}")
    return "".join(f"{line}\n" for line in lines)


def entries_by_name(entries: Sequence[FeatureEntry]) -> dict[str, FeatureEntry]:
    """The entry of each feature by its name, the last one if there are several."""
    return {entry.name: entry for entry in entries if entry.name}


def with_entry(entries: Sequence[FeatureEntry], name: str, entry: FeatureEntry | None) -> list[FeatureEntry]:
    """The entries with this one in the place of the feature's, or at the end; without the feature's if it is None."""
    place = max((place for place, other in enumerate(entries) if other.name == name), default=len(entries))
    return [*entries[:place], *([entry] if entry else []), *entries[place + 1 :]]


def with_comments(entry: FeatureEntry, comments: Sequence[str]) -> FeatureEntry:
    """The entry with these comments in the place of those written before; lines of a person stay."""
    place = next((place for place, line in enumerate(entry.above) if OWN.match(line)), len(entry.above))
    others = [line for line in entry.above[place:] if not OWN.match(line)]
    return replace(entry, above=(*entry.above[:place], *(f"# {comment}" for comment in comments), *others))


def answer_comment(label: str, context: str) -> str:
    """The comment that says which label an occurrence has."""
    return f"{ANSWER.removeprefix('# ')}{label or OPEN}: {context}"


def answers_in(entry: FeatureEntry) -> list[tuple[str, str]]:
    """The label, or "", and the context of each occurrence that the comments of an entry answer."""
    parts = [line.removeprefix(ANSWER).partition(": ") for line in entry.above if line.startswith(ANSWER)]
    return [("" if label == OPEN else label, context.strip()) for label, colon, context in parts if colon]


def labels_named(entries: Sequence[FeatureEntry]) -> list[str]:
    """All labels that the entries name, in targets and in answers."""
    labels = dict[str, None]()
    for entry in entries:
        if entry.target not in (None, OPEN):
            labels |= dict.fromkeys(target_of(entry.target).labels)
        labels |= dict.fromkeys(label for label, _ in answers_in(entry) if label)
    return list(labels)


def with_smoothed_shares(entry: FeatureEntry, labels: Sequence[str], smoothing: float) -> FeatureEntry:
    """The entry with the shares of its answers computed over all these labels; shares that a person changed stay."""
    found = [label for label, _ in answers_in(entry) if label]
    own = target_of(entry.target or OPEN).labels
    if (
        not found
        or not set(found) <= set(own) & set(labels)
        or shares_of_answers(own, found, smoothing)[0] != entry.target
    ):
        return entry
    target, (note,) = shares_of_answers(labels, found, smoothing)
    above = tuple(f"# {note}" if LOOKED_AT.match(line) else line for line in entry.above)
    return replace(entry, above=above, target=target)


def shares_of_answers(labels: Sequence[str], found: Sequence[str], smoothing: float) -> tuple[str, list[str]]:
    """The shares of the labels that were answered, as text, and a comment with their standard errors."""
    return sampled_shares_text(labels, np.array([found.count(label) for label in labels], np.int64), smoothing)
