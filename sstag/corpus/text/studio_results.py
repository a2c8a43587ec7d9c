"""Results of Label Studio besides regions: relations between these, choices, typed texts, and any others as they stand.

    {"type": "relation", "from_id": "s1", "to_id": "s2", "direction": "right", "labels": ["met"]}
    {"type": "choices", "id": "r1", "from_name": "topic", "to_name": "text", "value": {"choices": ["sports"]}}

Choices and texts with the `id` of a region are about it: they are attributes and notes of a span.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sstag.corpus.text.documents import (
    ANNOTATORS,
    ATTRIBUTES,
    CHOICES,
    NOTES,
    PROBABILITIES,
    RELATIONS,
    RESULTS,
    Relation,
    Remark,
    Span,
    Spans,
)
from sstag.corpus.text.json_keys import Object

RELATION, TARGET = "relation", "text"
CHOSEN, TYPED = "choices", "textarea"
ANSWERS = {CHOSEN: "choices", TYPED: "text"}  # the key of each
HOLDS = frozenset([ANNOTATORS, PROBABILITIES, RELATIONS, ATTRIBUTES, CHOICES, NOTES, RESULTS])


def relations_in(results: Sequence[Object], numbered: Mapping[str, Span], unread: Counter[str]) -> tuple[Relation, ...]:
    """The relations among results, one for each label and direction; those of other things than spans are counted."""
    found = list[Relation]()
    for one in results:
        if one.get("type") != RELATION:
            continue
        ends = [numbered.get(str(one.get(key))) for key in ("from_id", "to_id")]
        labels = one.get("labels") or [""]
        if None in ends or not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            unread[RELATIONS] += 1
            continue
        first, second = (end for end in ends if end)
        ways = {"left": [(second, first)], "bi": [(first, second), (second, first)]}
        for pair in ways.get(str(one.get("direction")), [(first, second)]):
            found += [Relation(*pair, str(label)) for label in labels]
    return tuple(found)


def remarks_in(results: Sequence[Object], numbered: Mapping[str, Span]) -> Iterator[Remark]:
    """The choices, the notes and the other results of an annotation."""
    for one in results:
        kind = one.get("type")
        if kind == RELATION:
            continue
        span = numbered.get(str(one.get("id")))
        value, name = one.get("value"), str(one.get("from_name", kind))
        said = (
            value.get({"choices": "choices", "textarea": "text"}.get(str(kind), "")) if isinstance(value, dict) else 0
        )
        texts = [said] if isinstance(said, str) else said
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            yield Remark(span, RESULTS, name, json.dumps(one, ensure_ascii=False))
            continue
        for text in texts:
            if kind == TYPED:
                yield Remark(span, NOTES, name, text)
            else:
                yield Remark(span, ATTRIBUTES if span else CHOICES, name, None if span and text == name else text)


def results_beside(
    said: Spans, spans: Sequence[Span], regions: Sequence[Mapping[str, object]], lost: Counter[str]
) -> Iterator[dict[str, object]]:
    """The results besides regions: relations, and whatever is said of these spans and of the text."""
    known = dict(zip(spans, regions, strict=True))
    for relation in said.relations:
        if {relation.first, relation.second} <= known.keys():
            ends = {"from_id": known[relation.first]["id"], "to_id": known[relation.second]["id"]}
            yield {"type": RELATION, **ends, "direction": "right"} | (
                {"labels": [relation.label]} if relation.label else {}
            )
        else:
            lost[RELATIONS] += 1
    questions: dict[tuple[Span | None, str, str], list[str]] = {}  # of which all answers are one result
    for remark in said.remarks:
        if remark.span is not None and remark.span not in known:
            lost[remark.kind] += remark.kind in HOLDS
        elif remark.kind == RESULTS:
            raw: dict[str, object] = json.loads(remark.value or "{}")
            yield raw | ({"id": known[remark.span]["id"]} if remark.span else {})
        elif remark.kind in HOLDS:
            kind = TYPED if remark.kind == NOTES else CHOSEN
            answer = remark.name if remark.value is None else remark.value
            questions.setdefault((remark.span, kind, remark.name), []).append(answer)
    for number, ((span, kind, name), answers) in enumerate(questions.items(), 1):
        value: dict[str, object] = {ANSWERS[kind]: answers}
        made: dict[str, object] = {"id": f"r{number}", "from_name": name, "to_name": TARGET, "type": kind}
        if span is not None:
            made["id"], place = known[span]["id"], known[span]["value"]
            assert isinstance(place, dict)
            value = {key: place[key] for key in ("start", "end", "text")} | value
        yield made | {"value": value}
