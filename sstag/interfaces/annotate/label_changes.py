"""Changes of the labels of a project, and answers as they read after them.

A change is an event like an answer, and nothing that was said is ever rewritten: an answer is read through the changes
that came after it. So the history of a project stays as it was, and a label that is removed and added again is new.
"""

import json
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from typing import NamedTuple

from sstag.corpus.text.json_keys import Object, a_list, a_text, an_object
from sstag.foundation.errors import ConfigError, DataError, nearest
from sstag.foundation.json_values import Json

LABELS = "labels"  # the kind of these events
OPEN, OUTSIDE = BECOMES = ("open", "outside")  # what tokens with a removed label become
MOST = 200  # changes of a project
LEAST = 1e-9  # of shares: less is nothing


class Fate(NamedTuple):
    """The name of a label after some changes, None if it was removed, and what its tokens became then."""

    name: str | None
    becomes: str = OPEN


Fates = Callable[[str], Fate]


@dataclass(frozen=True)
class LabelChange:
    """Labels that are added, get other names, or are removed."""

    added: Sequence[str] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)  # and what their tokens become, of BECOMES, or "" yet

    @property
    def json(self) -> dict[str, Json]:
        """The change as an event says it."""
        return {"add": [*self.added], "rename": {**self.renamed}, "remove": {**self.removed}}

    def of(self, label: str) -> Fate:
        """The label after this change."""
        if label in self.removed:
            return Fate(None, self.removed[label])
        return Fate(self.renamed.get(label, label))


def change_in(body: Object) -> LabelChange:
    """The change in a body."""
    added = [a_text(one, "'add'") for one in a_list(body.get("add", []), "'add'")]
    renamed, removed = (
        {label: a_text(text or "", f"'{key}'") for label, text in an_object(body.get(key, {}), f"'{key}'").items()}
        for key in ("rename", "remove")
    )
    if wrong := next((text for text in removed.values() if text and text not in BECOMES), None):
        raise ConfigError(f"tokens of a removed label become {' or '.join(BECOMES)}, not '{wrong:.40}'")
    return LabelChange(added, renamed, removed)


class LabelHistory:
    """The changes of the labels of a project, each with the number of its event."""

    def __init__(self, changes: Iterable[tuple[int, LabelChange]] = ()) -> None:
        every = [*islice(changes, MOST + 1)]
        if len(every) > MOST:
            raise DataError(f"its labels have changed more than {MOST:,} times")
        self.events, self.changes = [event for event, _ in every], [change for _, change in every]
        self._fates: dict[int, Fates] = {}  # by the first change

    @property
    def last(self) -> int:
        """The event of the last change; 0 without any."""
        return self.events[-1] if self.events else 0

    def after(self, event: int) -> Fates | None:
        """The fates of labels that were said in an event; None if no change came after it."""
        first = bisect_right(self.events, event)
        if first == len(self.changes):
            return None
        return self._fates.setdefault(first, self._fates.get(first) or self._from(first))

    def has_removed(self, event: int) -> bool:
        """Whether a label was removed after an event."""
        return any(change.removed for change in self.changes[bisect_right(self.events, event) :])

    def _from(self, first: int) -> Fates:
        changes = self.changes[first:]

        @cache  # there are many answers, and few labels
        def fate(label: str) -> Fate:
            for change in changes:
                name, becomes = change.of(label)
                if name is None:
                    return Fate(None, becomes)
                label = name
            return Fate(label)

        return fate

    @cached_property
    def _last(self) -> dict[str, Fate]:
        """The fate of each name that a label has had, and has no more, as it was given last."""
        found: dict[str, Fate] = {}
        for change in self.changes:
            found = {name: fate if fate.name is None else change.of(fate.name) for name, fate in found.items()}
            found |= {name: change.of(name) for name in (*change.renamed, *change.removed)}
        return found

    def late(self, labels: Sequence[str]) -> Fates:
        """The fates of labels in a request of a page that may not know of the last changes; `labels` are those of now.

        This is clear because no label ever has a name that another label of now has had (`changed_labels`).
        """
        return lambda label: Fate(label) if label in labels else self._last.get(label, Fate(label))

    def former_names(self, labels: Sequence[str]) -> dict[str, str]:
        """The names that labels of now had before, and these labels."""
        return {name: now for name, (now, _) in self._last.items() if now is not None and name not in labels}


def label_history(file: sqlite3.Connection) -> LabelHistory:
    """The changes in a project's file."""
    rows = file.execute("select id, said from event where kind = ? order by id", [LABELS])
    return LabelHistory((row["id"], change_in(an_object(json.loads(row["said"]), "said"))) for row in rows)


def changed_labels(labels: Sequence[str], change: LabelChange, history: LabelHistory) -> list[str]:
    """The labels after a change; renamed ones stay in their places, and added ones come last."""
    if not (change.added or change.renamed or change.removed):
        raise ConfigError("no label is to be added, renamed or removed")
    for label in (*change.renamed, *change.removed):
        if label not in labels:
            raise ConfigError(f"there is no label '{label:.60}'{nearest(label, labels)}")
    if both := change.renamed.keys() & change.removed.keys():
        raise ConfigError(f"'{min(both):.60}' cannot be renamed and removed at once")
    if len(history.changes) >= MOST:
        raise ConfigError(f"labels have changed {MOST:,} times: a new project takes in the export of this one")
    former = history.former_names(labels)
    for name in (*change.added, *change.renamed.values()):
        if name in labels:
            raise ConfigError(f"there is a label '{name:.60}' already")
        owner = former.get(name)
        if owner is not None and change.renamed.get(owner) != name:
            raise ConfigError(f"'{name:.60}' was the name of '{owner:.60}': answers on their way could mean either")
    left = [name for name, _ in map(change.of, labels) if name is not None]
    return [*left, *change.added]


def relabelled(kind: str, said: Json, fates: Fates | None) -> Json:
    """An answer as it reads after some changes of labels; None if nothing of it is left."""
    if fates is None or said is None:
        return said
    body = an_object(said, "said")
    match kind:
        case "sentence" | "decision":
            return _text(body, fates)
        case "span":
            return _verdict(body, fates)
        case "feature":
            return _feature(body, fates)
        case "gazetteer":
            name = fates(str(body["label"])).name
            return None if name is None else {**body, "label": name}
    return said


def late_answer(value: Json, fates: Fates) -> Json:
    """An answer of a page that may not know of the last changes, before it is checked.

    What is said of a single span or a word whose label is gone stays as it is, and is refused.
    """
    if not isinstance(value, Mapping) or value.get("kind") not in ("sentence", "decision", "span", "feature"):
        return value
    kind = str(value["kind"])
    try:
        if kind == "span" and _names(value, fates)[1]:
            return value
        return relabelled(kind, value, fates) or value
    except (DataError, KeyError, ValueError):
        return value  # it is no answer, as its check will say


def found_of_now(said: Mapping[str, Json], fates: Fates | None) -> Mapping[str, Json]:
    """All that a training found in the pool, in the labels of now."""
    if fates is None:
        return said
    effects = {feature: an_object(one, "effect") for feature, one in an_object(said["effects"], "effects").items()}
    return {
        **said,
        "doubts": suggested_spans(said["doubts"], fates),
        "effects": {
            feature: {
                name: shares_of(an_object(value, name), fates) if name in ("before", "after") and value else value
                for name, value in effect.items()
            }
            for feature, effect in effects.items()
        },
    }


def _names(value: Object, fates: Fates) -> tuple[list[str], list[Fate]]:
    """The labels of a span that are left, and the fates of the others."""
    every = [fates(str(label)) for label in a_list(value.get("labels", []), "labels")]
    return [one.name for one in every if one.name is not None], [one for one in every if one.name is None]


def _text(body: Object, fates: Fates) -> dict[str, Json]:
    """A whole text: spans of a removed label are open, or no spans; one of several labels that it may have is open."""
    spans, open_, forbidden = list[Json](), [*a_list(body.get("open", []), "open")], list[Json]()
    for value in a_list(body.get("spans", []), "spans"):
        span = an_object(value, "a span")
        names, gone = _names(span, fates)
        if not gone:
            spans.append({**span, "labels": [*names]})
        elif names or gone[0].becomes == OPEN:
            open_.append({"first": span["first"], "stop": span["stop"]})
    for value in a_list(body.get("forbidden", []), "forbidden"):
        span = an_object(value, "a span")
        names, _ = _names(span, fates)
        if names:
            forbidden.append({**span, "labels": [*names]})
        else:
            open_.append({"first": span["first"], "stop": span["stop"]})
    open_.sort(key=lambda one: int(str(an_object(one, "a span")["first"])))
    return {**body, "spans": spans, "open": open_, "forbidden": forbidden}


def _verdict(body: Object, fates: Fates) -> Json:
    """A yes or a no about a span; without its label, a yes says that the tokens are open, or in no span."""
    names, gone = _names(body, fates)
    if not gone:
        return {**body, "labels": [*names]}
    if body["answer"] != "yes":
        return {**body, "labels": [*names]} if names or body["answer"] == "open" else None
    return {**body, "labels": [*names], "answer": OPEN if names else gone[0].becomes}


def _feature(body: Object, fates: Fates) -> Json:
    """A word or another feature, with the labels and shares that are left; shares of these add up to 1 again."""
    if body.get("labels") is not None:
        names, _ = _names(body, fates)
        return {**body, "labels": [*names]} if names else None
    if body.get("shares") is None:
        return {**body}
    every = [(fates(label).name, float(str(share))) for label, share in an_object(body["shares"], "shares").items()]
    left = {name: share for name, share in every if name is not None}
    total = sum(left.values())
    return {**body, "shares": {name: share / total for name, share in left.items()}} if total > LEAST else None


def suggested(shown: Mapping[str, Json], fates: Fates | None) -> dict[str, Json]:
    """A suggestion, with the spans and doubts of the labels that are left."""
    if fates is None:
        return {**shown}
    result = {**shown}
    if shown.get("suggested") is not None:
        result["suggested"] = suggested_spans(shown["suggested"], fates)
    if shown.get("doubts") is not None:
        doubts = an_object(shown["doubts"], "doubts").items()
        result["doubts"] = {token: shares_of(an_object(shares, "doubts"), fates) for token, shares in doubts}
    return result


def suggested_spans(spans: Json, fates: Fates) -> list[Json]:
    """Spans that a model or another tool suggests, those whose labels are left."""
    every = [an_object(one, "a span") for one in a_list(spans, "spans")]
    named = [(one, _names(one, fates)) for one in every]
    return [{**one, "labels": [*names]} for one, (names, gone) in named if not gone]


def shares_of(shares: Object, fates: Fates) -> dict[str, Json]:
    """Shares of labels by the names of the labels that are left."""
    return {name: share for label, share in shares.items() if (name := fates(label).name) is not None}
