"""doccano's JSON lines, and the many files like them: a text and its spans, `[start, end, label]` or objects.

    {"id": 1, "text": "Ann met Bob.", "label": [[0, 3, "PER"], [8, 11, "PER"]]}
    {"text": "Ann met Bob.", "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]}
    {"text": "Ann met Bob.", "entities": [{"id": 1, "start_offset": 0, …}, {"id": 2, …}],
     "relations": [{"from_id": 1, "to_id": 2, "type": "met"}]}
    ["Ann met Bob.", {"entities": [[0, 3, "PER"]]}]

Offsets are code points. Everything outside of the spans is O unless `rest` says otherwise; a record without a key for
spans was annotated by nobody.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sstag.corpus.text.documents import OPEN, RELATIONS, Document, Relation, Span, Spans
from sstag.corpus.text.json_keys import (
    Object,
    a_list,
    a_probability,
    a_text,
    a_whole,
    an_object,
    first_key,
    id_of,
    kind,
)
from sstag.corpus.text.json_records import Record
from sstag.corpus.text.json_spans import Lost, id_written, json_documents, json_line, others, plain_spans, said_too
from sstag.corpus.text.offsets import checked, code_point, utf16_places
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json

TEXT_KEYS = ("text", "data", "content", "sentence")
SPAN_KEYS = ("label", "labels", "entities", "spans", "annotations", "ner")
START_KEYS, STOP_KEYS = ("start", "start_offset", "startOffset", "begin"), ("end", "end_offset", "endOffset")
LABEL_KEYS, SURE_KEYS = ("label", "type", "value"), ("probability", "score", "confidence")
# Keys of spans that say what stands elsewhere, too, or that tools keep for themselves.
BESIDE = {*START_KEYS, *STOP_KEYS, *SURE_KEYS, "text", "id", "user", "document", "created_at", "updated_at", "manual",
          "prob", "token_start", "token_end"}  # fmt: skip
LINKS, FROM, TO, TYPE = "relations", "from_id", "to_id", "type"


def documents(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    return json_documents(source, _document)


def _document(at: Record, options: TextOptions) -> Document:
    record = _record(at.value)
    names = options.keys
    text_key = names.get("text") or first_key(record, TEXT_KEYS)
    if text_key is None or text_key not in record:
        raise DataError(f"no key '{text_key or 'text'}' for the text (--key text=NAME names it)")
    text = a_text(record[text_key], f"'{text_key}'")
    name = id_of(record, names.get("id", "id"), at)
    own = names.get("spans")
    if own is not None and own not in record:
        raise DataError(f"no key '{own}' for the spans (--key spans=NAME)")
    key = own or first_key(record, [one for one in SPAN_KEYS if one != text_key])
    more = others(record, text_key, names.get("id", "id"), *([key] if key else []), "relations")
    if key is None or record[key] is None:
        return Document(name, text, (Spans((), rest=OPEN),), at.line, raw=at.raw, more=more)
    places = utf16_places(text) if options.offsets == "utf16" else None
    spans: dict[str, list[Span]] = {}
    numbered: dict[Json, tuple[str, Span]] = {}
    unread: Counter[str] = Counter()
    for n, one in enumerate(a_list(record[key], f"'{key}'")):
        by = str(one["user"]) if type(one) is dict and "user" in one else ""
        made = (_usual_span(one, len(text)) if places is None else None) or _span(one, text, places, f"'{key}'[{n}]")
        spans.setdefault(by, []).append(made)
        if isinstance(one, Mapping):
            unread["other keys of spans"] += len(one.keys() - BESIDE - {first_key(one, LABEL_KEYS)})
            if isinstance(number := one.get("id"), int | str):
                numbered[number] = by, made
    relations = _relations(record.get(LINKS), numbered, unread)
    said = tuple(Spans(tuple(own), by, relations=relations.get(by, ())) for by, own in spans.items())
    return Document(name, text, said or (Spans(()),), at.line, raw=at.raw, more=more, unread=unread)


def _relations(
    value: Json, numbered: Mapping[Json, tuple[str, Span]], unread: Counter[str]
) -> Mapping[str, tuple[Relation, ...]]:
    """The relations of each annotator; those of anything but spans that have a number are counted."""
    found: dict[str, tuple[Relation, ...]] = {}
    for one in value if isinstance(value, list) else ():
        ends = [one.get(key) for key in (FROM, TO)] if isinstance(one, Mapping) else []
        known = [numbered[end] for end in ends if isinstance(end, int | str) and end in numbered]
        if isinstance(one, Mapping) and len(known) == len((FROM, TO)) and isinstance(kind := one.get(TYPE, ""), str):
            (by, first), (_, second) = known
            found[by] = (*found.get(by, ()), Relation(first, second, kind))
        else:
            unread[RELATIONS] += 1
    return found


def _record(value: Json) -> Object:
    """The record, which may also be a text and an object with its spans."""
    if isinstance(value, Sequence) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], Mapping):
        return {"text": value[0], **value[1]}
    return an_object(value, "the record")


def _usual_span(value: Json, size: int) -> Span | None:
    """The span that `[start, end, label]` is, in a text of this size; None if it needs another look, or is a fault."""
    if type(value) is list and len(value) == 3:
        start, stop, label = value
        if type(start) is type(stop) is int and type(label) is str and 0 <= start < stop <= size:
            return Span(start, stop, (label,))
    return None


def _span(value: Json, text: str, places: Sequence[int] | None, key: str) -> Span:
    """A span, whose own text is compared with that of the document if it is there."""
    words = sure = None
    if isinstance(value, Mapping):
        start_key, stop_key, label_key = (first_key(value, keys) for keys in (START_KEYS, STOP_KEYS, LABEL_KEYS))
        if start_key is None or stop_key is None or label_key is None:
            raise DataError(f"{key} lacks a start, an end or a label (keys: {', '.join(value)})")
        start, stop = a_whole(value[start_key], f"{key}.{start_key}"), a_whole(value[stop_key], f"{key}.{stop_key}")
        label = _label(value[label_key], f"{key}.{label_key}")
        sure_key = first_key(value, SURE_KEYS)
        sure = a_probability(value[sure_key], f"{key}.{sure_key}") if sure_key else None
        words = value.get("text")
    elif isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 3:
        raise DataError(f"{key} is {kind(value)}, not [start, end, label] or an object with these")
    else:
        start, stop, label = (
            a_whole(value[0], f"{key}[0]"),
            a_whole(value[1], f"{key}[1]"),
            _label(value[2], f"{key}[2]"),
        )
    if places is not None:
        start, stop = code_point(places, start), code_point(places, stop)
    checked(text, start, stop, key)
    if isinstance(words, str) and words != text[start:stop]:
        raise DataError(f"{key} says '{words}', but the text has '{text[start:stop]}' there (--offsets utf16?)")
    return Span(start, stop, (label,), sure)


def _label(value: Json, key: str) -> str:
    """A label; old exports have numbers for them."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else a_text(value, key)


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The documents as JSON lines; where spans have relations, they are objects with numbers."""
    for document in documents:
        spans = plain_spans(document, lost)
        own = {"id": id_written(document.id), "text": document.text}
        if relations := [one for said in document.said for one in said.relations]:
            places = {span: number for number, span in enumerate(spans)}
            lost[RELATIONS] += sum(not {one.first, one.second} <= places.keys() for one in relations)
            entities = [
                {"id": number, "start_offset": span.start, "end_offset": span.stop, "label": span.labels[0]}
                for number, span in enumerate(spans)
            ]
            links = [
                {"id": number, FROM: places[one.first], TO: places[one.second], TYPE: one.label}
                for number, one in enumerate(relations)
                if {one.first, one.second} <= places.keys()
            ]
            yield json_line(said_too(document, {**own, "entities": entities, LINKS: links}, lost, *SPAN_KEYS))
            continue
        plain = {**own, "label": [[span.start, span.stop, span.labels[0]] for span in spans]}
        yield json_line(said_too(document, plain, lost))


DOCCANO = SpanFormat("doccano", documents, written, keeps_more=True, holds=frozenset([RELATIONS]))
