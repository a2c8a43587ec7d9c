"""Answers about a text as spans of tokens, and as the label column that trainings read.

Tags, such as `B-PER`, are known here alone: in the API and in the store, spans have the labels of the project.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sstag.corpus.text.json_keys import Object, a_list, a_text, a_whole, an_object
from sstag.corpus.text.span_labels import EITHER
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.labels.schemes.rules import written_role
from sstag.labels.schemes.tagset import labels_of_types

OUTSIDE, OPEN, NOT = "O", "?", "!"
PLAIN = "plain"


@dataclass(frozen=True)
class Span:
    """Tokens first:stop and the labels that one of is meant; none in what is open."""

    first: int
    stop: int
    labels: tuple[str, ...] = ()

    @property
    def json(self) -> dict[str, Json]:
        """The span as the API has it."""
        labels: dict[str, Json] = {"labels": list(self.labels)} if self.labels else {}
        return {"first": self.first, "stop": self.stop, **labels}


@dataclass(frozen=True)
class Said:
    """The spans of a text as somebody sees them; tokens of none of them are outside."""

    spans: tuple[Span, ...] = ()
    open: tuple[Span, ...] = ()  # any label
    forbidden: tuple[Span, ...] = ()  # any label but these
    rejected: tuple[Span, ...] = ()  # no span of these labels, whatever else: a later no about a span of this text

    @property
    def json(self) -> dict[str, Json]:
        """The spans as the API and the store have them; what was rejected later is an answer of its own."""
        parts = {"spans": self.spans, "open": self.open, "forbidden": self.forbidden}
        return {name: [span.json for span in spans] for name, spans in parts.items()}


def said_in(body: Object, tokens: int, labels: Sequence[str]) -> Said:
    """The spans in a body about a text with so many tokens; those that overlap, or are beyond it, are an error."""
    every = [
        tuple(sorted((span_in(one, tokens, labels if named else None, f"'{key}'") for one in given), key=_place))
        for key, named in (("spans", True), ("open", False), ("forbidden", True))
        for given in [a_list(body.get(key, []), f"'{key}'")]
    ]
    stop = 0
    for span in sorted((span for spans in every for span in spans), key=_place):
        if span.first < stop:
            raise DataError(f"two spans have the token {span.first}")
        stop = span.stop
    return Said(*every)


def _place(span: Span) -> tuple[int, int]:
    return span.first, span.stop


def span_in(value: Json, tokens: int, labels: Sequence[str] | None, key: str) -> Span:
    """A span of a text with so many tokens; `labels` are those it may have, None if it is to have none."""
    body = an_object(value, key)
    first, stop = (a_whole(body.get(end), f"{key}.'{end}'") for end in ("first", "stop"))
    if not first < stop <= tokens:
        raise DataError(f"{key}: there is no span from {first} to {stop} in {tokens} tokens")
    if labels is None:
        return Span(first, stop)
    return Span(first, stop, labels_in(body, labels, key))


def labels_in(body: Object, labels: Sequence[str], key: str) -> tuple[str, ...]:
    """The labels that a body names, at least one, each once, in the order of the project."""
    given = [a_text(one, f"{key}.'labels'") for one in a_list(body.get("labels"), f"{key}.'labels'")]
    if unknown := next((one for one in given if one not in labels), None):
        raise DataError(f"{key}: there is no label '{unknown:.60}'")
    if not given or len(set(given)) < len(given):
        raise DataError(f"{key}.'labels': at least one label is wanted, and none twice")
    return tuple(label for label in labels if label in given)


def said_of(stored: Mapping[str, Json]) -> Said:
    """The spans in the store, which were checked when they came."""

    def spans(key: str) -> tuple[Span, ...]:
        given = (an_object(one, key) for one in a_list(stored[key], key))
        return tuple(
            Span(
                a_whole(one["first"], key),
                a_whole(one["stop"], key),
                tuple(map(str, a_list(one.get("labels", []), key))),
            )
            for one in given
        )

    return Said(spans("spans"), spans("open"), spans("forbidden"))


def outside_label(scheme: str, labels: Sequence[str]) -> str:
    """The label of tokens in no span: in a scheme without an outside nobody said what they are."""
    return OUTSIDE if scheme != PLAIN or OUTSIDE in labels else OPEN


def column(said: Said, tokens: int, scheme: str, outside: str) -> list[str]:
    """The label of each token as a label column has it: `B-PER`, `B-PER|B-ORG`, `?`, `!B-PER|I-PER` or `!PER`."""
    labels = [outside] * tokens
    for place, span in enumerate(said.spans):
        before = place > 0 and _touch(said.spans[place - 1], span)
        behind = place + 1 < len(said.spans) and _touch(span, said.spans[place + 1])
        for token in range(span.first, span.stop):
            starts, ends = token == span.first, token + 1 == span.stop
            role = written_role(scheme, starts, ends, starts and before, ends and behind)
            labels[token] = EITHER.join(kind if scheme == PLAIN else f"{role}-{kind}" for kind in span.labels)
    for span in (*said.open, *said.rejected):
        labels[span.first : span.stop] = [OPEN] * (span.stop - span.first)
    for span in said.forbidden:
        tags = NOT + EITHER.join(labels_of_types(span.labels, scheme))
        labels[span.first : span.stop] = [tags] * (span.stop - span.first)
    with_rejected(labels, said.rejected, scheme)
    return labels


def with_rejected(labels: list[str], rejected: Iterable[Span], scheme: str) -> int:
    """Writes rejected spans into a column, where it is open; how many there was no room for.

    A run of `!PER` is no PER as a whole, and says nothing of a longer or a shorter one (`labels/rejected_runs.py`), so
    two runs must not touch. In the scheme `plain` it is a label that one token does not have.
    """
    left = 0
    for span in rejected:
        run = NOT + EITHER.join(span.labels)
        is_alone = (
            span.stop - span.first == 1
            if scheme == PLAIN
            else run not in labels[max(span.first - 1, 0) : span.stop + 1]
        )
        has_room = is_alone and set(labels[span.first : span.stop]) == {OPEN}
        if has_room:
            labels[span.first : span.stop] = [run] * (span.stop - span.first)
        left += not has_room
    return left


def _touch(left: Span, right: Span) -> bool:
    return left.stop == right.first and bool({*left.labels} & {*right.labels})


def all_tags(scheme: str, labels: Iterable[str]) -> list[str]:
    """Every tag that a model of these labels may give."""
    tags = labels_of_types(list(labels), scheme)
    return tags if scheme == PLAIN else [OUTSIDE, *tags]
