"""Everything that counts in a project at one moment: texts, spans and features as annotators see them."""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sstag.corpus.text.json_keys import Object, a_list, a_text, an_object
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.gazetteers import features_of
from sstag.interfaces.annotate.label_changes import LABELS, label_history, relabelled
from sstag.interfaces.annotate.records import Event, Text
from sstag.interfaces.annotate.rows import EVENTS, event_of, text_of
from sstag.interfaces.annotate.saying import Said, Span, said_of

LAST = f"""{EVENTS} join (select max(id) as last from counting group by annotator, thing) l on l.last = e.id
           order by e.id"""


@dataclass(frozen=True)
class Verdict:
    """A yes or no about a span."""

    span: Span
    answer: str
    event: int
    annotator: str


@dataclass
class Known:
    """A text, and all that was said of it."""

    text: Text
    said: dict[str, tuple[int, Said]] = field(default_factory=dict)  # by annotator: the event, and the whole text
    decided: Said | None = None
    verdicts: list[Verdict] = field(default_factory=list)

    def by_annotator(self) -> dict[str, Said]:
        """The whole text as each annotator sees it by now."""
        return {name: _changed(said, event, self.verdicts, name) for name, (event, said) in self.said.items()}

    def whole(self) -> list[Said]:
        """The different things that are said of the whole text: one, unless annotators differ and nobody decided."""
        return [self.decided] if self.decided else [*dict.fromkeys(self.by_annotator().values())]

    def only(self, annotators: Collection[str]) -> "Known":
        """The text as these annotators see it, whatever was decided."""
        said = {name: one for name, one in self.said.items() if name in annotators}
        return Known(self.text, said, None, [one for one in self.verdicts if one.annotator in annotators])


@dataclass(frozen=True)
class Line:
    """A feature, the labels or shares that it has, and who said so."""

    feature: str
    said: Mapping[str, Json]  # shares or labels
    by: str
    term: str | None = None  # of a gazetteer


@dataclass
class Knowledge:
    """All texts that something is known of, and the lines of the list of features."""

    texts: dict[str, Known] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    nothing: set[str] = field(default_factory=set)  # features that say nothing
    last: int = 0  # the last event
    answers: int = 0  # that a training could learn from

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to learn from."""
        return not self.lines and not any(
            known.said or known.decided or any(one.answer in ("yes", "no") for one in known.verdicts)
            for known in self.texts.values()
        )


def known_text(file: sqlite3.Connection, text: Text) -> Known:
    """All that counts of one text, read from a project's file."""
    history, known = label_history(file), Known(text)
    query = f"""{EVENTS} join (select max(id) as last from counting where text = ? group by annotator, thing) l
                on l.last = e.id order by e.id"""
    for event in (event_of(row) for row in file.execute(query, [text.id])):
        said = relabelled(event.kind, event.said, history.after(event.id))
        if said is not None or event.kind == "skip":
            _note(known, replace(event, said=said))
    return known


def knowledge(file: sqlite3.Connection) -> Knowledge:
    """All that counts, read from a project's file."""
    found = Knowledge()
    rows = file.execute("select hash, id, columns from text where id in (select text from event)")
    texts = {row["hash"]: text_of(row["hash"], row["id"], row["columns"]) for row in rows}
    history = label_history(file)
    for event in (event_of(row) for row in file.execute(LAST)):
        if event.kind == LABELS:
            continue
        said = relabelled(event.kind, event.said, history.after(event.id))
        if said is None and event.kind != "skip":
            continue  # it was about a label that is gone
        event = replace(event, said=said)
        found.answers += event.kind != "skip"
        if event.text is None:
            for line in _lines(event):
                if "nothing" in line.said:
                    found.nothing.add(line.feature)
                    found.lines.pop(line.feature, None)
                else:
                    found.lines[line.feature] = line
                    found.nothing.discard(line.feature)
            continue
        known = found.texts.setdefault(event.text, Known(texts[event.text]))
        _note(known, event)
    found.last = file.execute("select coalesce(max(id), 0) from event").fetchone()[0]
    return found


def _note(known: Known, event: Event) -> None:
    """Takes notice of an event about a text; a later one about the same thing comes later."""
    match event.kind:
        case "sentence":
            known.said[event.annotator] = event.id, said_of(an_object(event.said, "said"))
        case "skip":
            known.said.pop(event.annotator, None)
        case "decision":
            known.decided = said_of(an_object(event.said, "said"))
        case "span":
            said = an_object(event.said, "said")
            verdict = Verdict(_span(said), a_text(said["answer"], "answer"), event.id, event.annotator)
            by_then = [one for one in known.verdicts if (one.span, one.annotator) != (verdict.span, verdict.annotator)]
            known.verdicts = [*by_then, verdict]  # a label may have had another name when the first one was said


def _span(said: Object) -> Span:
    labels = tuple(map(str, a_list(said["labels"], "labels")))
    return Span(int(str(said["first"])), int(str(said["stop"])), labels)


def _lines(event: Event) -> Iterator[Line]:
    """The lines of a list that an answer stands for."""
    said = an_object(event.said, "said")
    if event.kind == "gazetteer":
        name, label, word = (a_text(said[key], key) for key in ("name", "label", "word"))
        for term in (a_text(each, "terms") for each in a_list(said["terms"], "terms")):
            for feature in features_of(term, word):
                yield Line(feature, {"labels": [label]}, name, term)
    elif event.kind == "feature":
        target = {key: value for key, value in said.items() if key != "feature"}
        yield Line(a_text(said["feature"], "feature"), target, event.annotator)


def _changed(said: Said, event: int, verdicts: list[Verdict], annotator: str) -> Said:
    """The spans of a text with what an annotator said later of single ones."""
    for one in verdicts:
        if one.event < event or one.annotator != annotator or one.answer == "skip":
            continue
        span, alone = one.span, Span(one.span.first, one.span.stop)
        if one.answer == "no" and span not in said.spans:
            continue
        said = Said(*(tuple(other for other in spans if not _overlap(other, span)) for spans in _parts(said)))
        match one.answer:
            case "yes":
                said = replace(said, spans=_sorted(*said.spans, span))
            case "open":
                said = replace(said, open=_sorted(*said.open, alone))
            case "outside":
                pass  # the label of the span is gone
            case "no":
                said = replace(said, rejected=_sorted(*said.rejected, span))
    return said


def _parts(said: Said) -> tuple[tuple[Span, ...], ...]:
    return said.spans, said.open, said.forbidden, said.rejected


def _sorted(*spans: Span) -> tuple[Span, ...]:
    return tuple(sorted(spans, key=lambda span: span.first))


def _overlap(one: Span, other: Span) -> bool:
    return one.first < other.stop and other.first < one.stop


def settled(known: Known) -> list[Verdict]:
    """The yeses and noes about spans of a text that contradict no other.

    Where annotators differ about a span, it stays open; of yeses that overlap, the last counts.
    """
    by_span: defaultdict[Span, list[Verdict]] = defaultdict(list)
    for one in known.verdicts:
        by_span[one.span].append(one)
    kept: list[Verdict] = []
    for verdicts in by_span.values():
        if {one.answer for one in verdicts} - {"skip"} in ({"yes"}, {"no"}):
            kept.append(next(one for one in reversed(verdicts) if one.answer != "skip"))
    yes: list[Verdict] = []
    for one in sorted(kept, key=lambda one: -one.event):
        if one.answer == "yes" and not any(_overlap(one.span, other.span) for other in yes):
            yes.append(one)
    taken = {other.span for other in yes}
    no = [one for one in kept if one.answer == "no" and one.span not in taken]
    return yes + no


def merged_columns(columns: list[list[str]], tags: list[str]) -> list[str]:
    """One label column of several about a text: where they differ, a token may have any label that one allows."""
    if len(columns) == 1:
        return columns[0]
    result = []
    for labels in zip(*columns, strict=True):
        if len(set(labels)) == 1:
            result.append(labels[0])
            continue
        allowed = set[str]().union(*(allowed_tags(label, tags) for label in labels))
        result.append("?" if len(allowed) == len(tags) else "|".join(tag for tag in tags if tag in allowed))
    return result


def allowed_tags(label: str, tags: list[str]) -> set[str]:
    """The tags that a value of a label column allows."""
    if label == "?":
        return {*tags}
    if label.startswith("!"):
        return {*tags} - {*label[1:].split("|")}
    return {*label.split("|")}
