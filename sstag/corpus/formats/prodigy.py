"""Prodigy's JSON lines: a text, its tokens, spans with the tokens that they cover, and a person's answer.

    {"text": "Hello Apple", "tokens": [{"text": "Hello", "start": 0, "end": 5, "id": 0}, …],
     "spans": [{"start": 6, "end": 11, "label": "ORG", "token_start": 1, "token_end": 1}], "answer": "accept"}

Offsets are code points, and `token_end` is the last token of the span. A record that was annotated by hand
(`_view_id` ner_manual or spans_manual) and accepted says everything of its text; any other says nothing of what lies
outside of its spans. A rejected record with one span rejects it; with several it says only that not all are right, and
nothing about any one of them. Records of one text that follow one another are one document.

`relations` join spans by their places (`head_span`, `child_span`) or last tokens (`head`, `child`); those of tokens
that are no spans stand in what is written for Prodigy as they were.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sstag.corpus.text.document_blocks import tokenized
from sstag.corpus.text.documents import (
    ANNOTATORS,
    MANUAL,
    OF_TOKENS,
    OPEN,
    PROBABILITIES,
    RELATIONS,
    Document,
    Relation,
    Remark,
    Span,
    Spans,
)
from sstag.corpus.text.json_keys import Object, a_list, a_probability, a_text, a_whole, an_object, id_of
from sstag.corpus.text.json_records import Record
from sstag.corpus.text.json_spans import (
    BESIDE,
    Lost,
    id_written,
    json_documents,
    json_line,
    others,
    plain_spans,
    said_too,
)
from sstag.corpus.text.offsets import checked
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.corpus.text.tokenizer import Place, is_unseen
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json

BY_HAND = ("ner_manual", "spans_manual")
ANSWERS = ("accept", "reject", "ignore")
LINKS, SIDES = "relations", ("head", "child")
HOLDS = frozenset([ANNOTATORS, PROBABILITIES, RELATIONS, OF_TOKENS])
# Keys of spans that are read, or that Prodigy keeps for itself.
OF_SPANS = {"start", "end", "label", "text", "score", "token_start", "token_end", "source", "input_hash", "id"}


def documents(source: Source) -> Iterator[Document]:
    """The documents of a file, each of one or more records of the same text."""
    before: Document | None = None
    for document in json_documents(source, _document):
        if before and document.text == before.text and document.tokens == before.tokens:
            before = _together(before, document)
            continue
        if before:
            yield before
        before = document
    if before:
        yield before


def _together(one: Document, other: Document) -> Document:
    """Two records of one text as one document: what each annotator says, all together."""
    said = {each.by: each for each in one.said}
    for each in other.said:
        old = said.get(each.by, Spans((), each.by, OPEN))
        rest = MANUAL if MANUAL in (old.rest, each.rest) else OPEN
        spans = tuple(dict.fromkeys([*old.spans, *each.spans]))
        relations = tuple(dict.fromkeys([*old.relations, *each.relations]))
        remarks = tuple(dict.fromkeys([*old.remarks, *each.remarks]))
        said[each.by] = Spans(spans, each.by, rest, relations, remarks)
    unread = Counter(one.unread) + Counter(other.unread)
    return replace(one, said=tuple(said.values()), raw=one.raw + other.raw, unread=unread)


def _document(at: Record, options: TextOptions) -> Document:
    record = an_object(at.value, "the record")
    key = options.keys.get("text", "text")
    if key not in record:
        raise DataError(f"no key '{key}' for the text (--key text=NAME names it)")
    text = a_text(record[key], f"'{key}'")
    tokens = _tokens(record, text)
    span_key = options.keys.get("spans", "spans")
    spans = [_span(an_object(one, f"'{span_key}'[{n}]"), text, tokens, f"'{span_key}'[{n}]")
             for n, one in enumerate(a_list(record.get(span_key) or (), f"'{span_key}'"))]  # fmt: skip
    answer = record.get("answer", "accept")
    if answer not in ANSWERS:
        raise DataError(f"'answer' is {answer!r}, not {', '.join(ANSWERS)}")
    rest = MANUAL if answer == "accept" and record.get("_view_id") in BY_HAND else OPEN
    unread = Counter({"other keys of spans": _other_keys(record.get(span_key))})
    relations, remarks = _relations(record, spans, tokens)
    if answer == "ignore" or (answer == "reject" and len(spans) != 1):
        unread[f"spans of records with the answer '{answer}'"] += len(spans)
        unread[RELATIONS] += len(relations)
        spans, relations = [], []
    elif answer == "reject":
        spans = [spans[0]._replace(accepted=False)]
    by = str(record.get("_annotator_id") or record.get("_session_id") or "")
    name = id_of(record, options.keys.get("id", "id"), at)
    said = Spans(tuple(spans), by, rest, tuple(relations), tuple(remarks))
    kept = None if tokens is None else [one for one in tokens if not all(map(is_unseen, text[slice(*one)]))]
    own = [name for name in record if name.startswith("_")]  # what Prodigy counts and compares records by
    more = others(record, key, span_key, options.keys.get("id", "id"), "tokens", "answer", LINKS, *own)
    return Document(name, text, (said,), at.line, kept, raw=at.raw + b"\n", more=more, unread=unread)


def _other_keys(value: Json) -> int:
    """How many keys of spans say something that is not read."""
    spans = value if isinstance(value, list) else ()
    return sum(len(one.keys() - OF_SPANS) for one in spans if isinstance(one, dict))


def _relations(
    record: Object, spans: Sequence[Span], tokens: Sequence[Place] | None
) -> tuple[list[Relation], list[Remark]]:
    """The relations of spans, and those of tokens that are none as they stand there."""
    found, others_of_tokens = list[Relation](), list[Remark]()
    for n, value in enumerate(a_list(record.get(LINKS) or (), f"'{LINKS}'")):
        one = an_object(value, f"'{LINKS}'[{n}]")
        ends = [next((span for span in spans if _is_end(span, one, side, tokens)), None) for side in SIDES]
        if isinstance(label := one.get("label", ""), str) and ends[0] and ends[1]:
            found.append(Relation(ends[0], ends[1], label))
        else:
            others_of_tokens.append(Remark(None, OF_TOKENS, LINKS, json.dumps(one, ensure_ascii=False)))
    return found, others_of_tokens


def _is_end(span: Span, relation: Object, side: str, tokens: Sequence[Place] | None) -> bool:
    """Whether a relation begins, or ends, in a span."""
    place = relation.get(f"{side}_span")
    if isinstance(place, dict):
        kind = place.get("label")
        return (place.get("start"), place.get("end")) == span[:2] and kind in (None, "", span.labels[0])
    token = relation.get(side)
    known = type(token) is int and tokens is not None and 0 <= token < len(tokens)
    return known and tokens[token][1] == span.stop  # type: ignore[index]


def _tokens(record: Object, text: str) -> list[Place] | None:
    """The tokens of a record, whose own text is compared with that of the document."""
    if record.get("tokens") is None:
        return None
    places = list[Place]()
    for n, value in enumerate(a_list(record["tokens"], "'tokens'")):
        key = f"'tokens'[{n}]"
        one = an_object(value, key)
        start, stop = _bounds(one, text, key)
        if (words := one.get("text", text[start:stop])) != text[start:stop]:
            raise DataError(f"{key} says '{words}', but the text has '{text[start:stop]}' there")
        if places and start < places[-1][1]:
            raise DataError(f"{key} begins before the token before it ends")
        places.append((start, stop))
    return places


def _bounds(one: Object, text: str, key: str) -> tuple[int, int]:
    return checked(text, a_whole(one.get("start"), f"{key}.start"), a_whole(one.get("end"), f"{key}.end"), key)


def _span(one: Object, text: str, tokens: list[Place] | None, key: str) -> Span:
    """A span, whose tokens are compared with its characters."""
    start, stop = _bounds(one, text, key)
    if tokens is not None and "token_start" in one and "token_end" in one:
        first, last = a_whole(one["token_start"], f"{key}.token_start"), a_whole(one["token_end"], f"{key}.token_end")
        if not first <= last < len(tokens) or (tokens[first][0], tokens[last][1]) != (start, stop):
            raise DataError(f"{key}: tokens {first} to {last} are not characters {start} to {stop}")
    if (words := one.get("text", text[start:stop])) != text[start:stop]:
        raise DataError(f"{key} says '{words}', but the text has '{text[start:stop]}' there")
    label = a_text(one.get("label"), f"{key}.label")
    return Span(start, stop, (label,), a_probability(one.get("score"), f"{key}.score"))


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The documents as JSON lines: a record for what each annotator says, and one for each span that is rejected."""
    for document in documents:
        whole = tokenized(document, options)
        assert whole.tokens is not None
        text, tokens = document.text, list(whole.tokens)
        firsts = {start: n for n, (start, _) in enumerate(tokens)}
        lasts = {stop: n for n, (_, stop) in enumerate(tokens)}
        told = [
            {"text": text[start:stop], "start": start, "end": stop, "id": n, "ws": text[stop : stop + 1].isspace()}
            for n, (start, stop) in enumerate(tokens)
        ]
        for said in document.said or (Spans((), rest=OPEN),):
            head = said_too(
                document, {"id": id_written(document.id), "text": text}, lost, "tokens", "spans", "answer", LINKS
            )
            head |= {"tokens": told} | ({"_annotator_id": said.by} if said.by else {})
            accepted = tuple(span for span in said.spans if span.accepted)
            rejected = [span for span in said.spans if not span.accepted]
            plain_spans(replace(document, said=(replace(said, spans=accepted, rest=MANUAL),)), lost)
            spans = [_said(span, firsts, lasts) for span in accepted]
            view = "ner" if said.rest == OPEN else BY_HAND[0]
            lost[BESIDE] += said.beside
            links = _links(said, dict(zip(accepted, spans, strict=True)), lost)
            if spans or links or not rejected:
                beside = {LINKS: links} if links else {}
                yield json_line(head | {"spans": spans} | beside | {"_view_id": view, "answer": "accept"})
            for span in rejected:
                yield json_line(head | {"spans": [_said(span, firsts, lasts)], "_view_id": "ner", "answer": "reject"})


def _links(said: Spans, spans: Mapping[Span, Mapping[str, object]], lost: Lost) -> list[Mapping[str, object]]:
    """The relations between these spans; others are counted."""
    links = [json.loads(one.value or "{}") for one in said.remarks if one.kind == OF_TOKENS]
    for one in said.relations:
        if not {one.first, one.second} <= spans.keys():
            lost[RELATIONS] += 1
            continue
        ends = dict(zip(SIDES, (spans[one.first], spans[one.second]), strict=True))
        tokens = {side: span["token_end"] for side, span in ends.items() if "token_end" in span}
        links.append({**tokens, **{f"{side}_span": span for side, span in ends.items()}, "label": one.label})
    return links


def _said(span: Span, firsts: Mapping[int, int], lasts: Mapping[int, int]) -> dict[str, object]:
    """A span, with the tokens that it covers unless it cuts some."""
    made: dict[str, object] = {"start": span.start, "end": span.stop, "label": span.labels[0]}
    if span.start in firsts and span.stop in lasts:
        made |= {"token_start": firsts[span.start], "token_end": lasts[span.stop]}
    return made | ({} if span.probability is None else {"score": span.probability})


PRODIGY = SpanFormat("Prodigy", documents, written, keeps_more=True, holds=HOLDS)
