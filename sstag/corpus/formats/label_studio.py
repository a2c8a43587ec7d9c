"""Label Studio's JSON: a list of tasks, each with its text, the annotations of persons, and predictions.

    [{"id": 1, "data": {"text": "…"}, "annotations": [{"completed_by": 7, "result": [
        {"from_name": "label", "to_name": "text", "type": "labels",
         "value": {"start": 47, "end": 56, "text": "Jerusalem", "labels": ["Location"]}}]}]}]

A region carries its own text, by which offsets are checked: they are code points, or units of UTF-16 as a browser
counts, whichever fits every region of a task. A region with several labels is one of them. Annotations that were
cancelled count for nothing; predictions are read where nobody annotated.

Relations, choices (of a text, or of a region: its attributes) and texts that were typed in (notes) are read, too;
results of other kinds stand in what is written for Label Studio as they were.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sstag.corpus.text.documents import OPEN, Document, Span, Spans
from sstag.corpus.text.json_keys import Object, a_list, a_probability, a_text, a_whole, an_object, id_of
from sstag.corpus.text.json_records import Record
from sstag.corpus.text.json_spans import BESIDE, IN_PART, Lost, id_written, json_documents, others, said_too
from sstag.corpus.text.offsets import checked, code_point, units, utf16_places
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import Source, SpanFormat
from sstag.corpus.text.studio_results import HOLDS, TARGET, relations_in, remarks_in, results_beside
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.foundation.whole_numbers import whole_number

REGIONS = ("labels", "hypertextlabels")
CONTROL = "label"  # the name that its own templates for named entities give to this; that of the text is TARGET
# Keys of tasks that are read, or that Label Studio keeps for itself.
OF_TASKS = {
    "id", "data", "annotations", "predictions", "completions", "meta", "drafts", "created_at", "updated_at", "inner_id",
    "total_annotations", "cancelled_annotations", "total_predictions", "comment_count", "unresolved_comment_count",
    "last_comment_updated_at", "project", "updated_by", "comment_authors", "file_upload", "overlap", "is_labeled",
    "completed_at", "allow_skip", "created_by",
}  # fmt: skip


def documents(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    return json_documents(source, document_of_task)


def document_of_task(at: Record, options: TextOptions) -> Document:
    """The document of a task, with its annotations, or its predictions if nobody annotated it."""
    task = an_object(at.value, "the task")
    data = an_object(task.get("data"), "'data'")
    key = options.keys.get("text") or _text_key(data)
    if key not in data:
        raise DataError(f"'data' has no key '{key}' for the text (--key text=NAME names it)")
    text = a_text(data[key], f"'data'.'{key}'")
    own_id = options.keys.get("id", "id")
    name = id_of(task, own_id, at)
    found = "annotations" if task.get("annotations") else "predictions"
    said = []
    unread = Counter({"other keys of tasks": len(task.keys() - OF_TASKS - {own_id})})
    for n, value in enumerate(a_list(task.get(found) or task.get("completions") or (), f"'{found}'")):
        one = an_object(value, f"'{found}'[{n}]")
        if one.get("was_cancelled"):
            unread["cancelled annotations"] += 1
        else:
            said.append(_said(one, text, options, f"'{found}'[{n}]", unread))
    for beside, what in (("predictions", "predictions of annotated texts"), ("drafts", "drafts")):
        if beside != found and isinstance(left := task.get(beside), list):
            unread[what] += len(left)
    names = [one.by for one in said]
    if len(set(names)) < len(names):
        said = [replace(one, by=f"{one.by or 'unnamed'}-{n}") for n, one in enumerate(said, 1)]
    more = dict(others(data, key))
    if isinstance(task.get("meta"), dict) and task["meta"]:
        more.setdefault("meta", task["meta"])
    return Document(name, text, tuple(said) or (Spans((), rest=OPEN),), at.line, raw=at.raw, more=more, unread=unread)


def _text_key(data: Object) -> str:
    """The key of the text: `text`, or the only one that has a text."""
    texts = [key for key, value in data.items() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else "text"


def _said(one: Object, text: str, options: TextOptions, key: str, unread: Counter[str]) -> Spans:
    """The spans of an annotation, and what it says of them and of the text."""
    regions, others = list[tuple[str, Object]](), list[Object]()
    for n, value in enumerate(a_list(one.get("result") or (), f"{key}.result")):
        region = an_object(value, f"{key}.result[{n}]")
        if region.get("type") in REGIONS:
            regions.append((f"{key}.result[{n}].value", region))
        else:
            others.append(region)
    readings = {"codepoints": range(len(text) + 1), "utf16": utf16_places(text)}
    wanted = [options.offsets] if options.offsets else list(readings)
    fault: DataError | None = None
    for unit in wanted:
        try:
            spans = tuple(_span(region, text, readings[unit], place) for place, region in regions)
        except DataError as error:
            fault = fault or error
            continue
        by = one.get("completed_by", one.get("model_version"))
        by = by.get("email", by.get("id")) if isinstance(by, dict) else by
        numbered = {str(region.get("id")): span for (_, region), span in zip(regions, spans, strict=True)}
        beside = relations_in(others, numbered, unread), tuple(remarks_in(others, numbered))
        return Spans(spans, "" if by is None else str(by), None, *beside)
    assert fault
    raise fault


def _span(region: Object, text: str, places: Sequence[int], key: str) -> Span:
    value = an_object(region.get("value"), key)
    at = an_object(value["globalOffsets"], f"{key}.globalOffsets") if "globalOffsets" in value else value
    start, stop = (code_point(places, a_whole(_number(at.get(one)), f"{key}.{one}")) for one in ("start", "end"))
    checked(text, start, stop, key)
    words = value.get("text")
    if isinstance(words, str) and _lines(words) != _lines(text[start:stop]):
        raise DataError(f"{key}.text is '{words}', but the text has '{text[start:stop]}' at {start}–{stop}")
    kind = str(region["type"])
    labels = tuple(
        a_text(one, f"{key}.{kind}") for one in a_list(value.get(kind, value.get("labels")), f"{key}.{kind}")
    )
    if not labels:
        raise DataError(f"{key}.{kind} is empty: a region needs a label")
    return Span(start, stop, labels, a_probability(region.get("score", value.get("score")), f"{key}.score"))


def _number(value: Json) -> Json:
    """A number, which some versions write as a text."""
    number = whole_number(value) if isinstance(value, str) else None
    return value if number is None else number


def _lines(text: str) -> str:
    """A text with line ends as browsers have them."""
    return text.replace("\r\n", "\n").replace("\\n", "\n")


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The documents as one list of tasks: what has a probability is a prediction, anything else an annotation."""
    yield b"["
    comma = b"\n"
    for document in documents:
        places = units(document.text) if options.offsets == "utf16" else range(len(document.text) + 1)
        sides: dict[str, list[object]] = {"annotations": [], "predictions": []}
        for said in document.said:
            spans = [span for span in said.spans if span.accepted]
            lost["rejected spans"] += len(said.spans) - len(spans)
            sure = [span.probability for span in spans if span.probability is not None]
            result = [region(span, document.text, places, n) for n, span in enumerate(spans, 1)]
            made: dict[str, object] = {"result": [*result, *results_beside(said, spans, result, lost)]}
            if sure:
                sides["predictions"].append(made | {"score": min(sure), "model_version": said.by or "sstag"})
            elif made["result"] or said.rest != OPEN:
                lost[IN_PART] += said.rest == OPEN
                sides["annotations"].append(made | ({"completed_by": id_written(said.by)} if said.by else {}))
            else:
                lost[BESIDE] += said.beside
        data = said_too(document, {"text": document.text}, lost)
        task: dict[str, object] = {"id": id_written(document.id), "data": data}
        if isinstance(data.get("meta"), dict):
            task["meta"] = data.pop("meta")
        task |= {side: made for side, made in sides.items() if made}
        yield comma + json.dumps(task, ensure_ascii=False).encode()
        comma = b",\n"
    yield b"\n]\n"


def region(
    span: Span, text: str, places: Sequence[int], number: int, control: str = CONTROL, target: str = TARGET
) -> dict[str, object]:
    """A span as a region of a text, its characters counted by these places."""
    value = {"start": places[span.start], "end": places[span.stop], "text": text[span.start : span.stop]}
    made: dict[str, object] = {"id": f"s{number}", "from_name": control, "to_name": target, "type": "labels"}
    made["value"] = value | {"labels": list(span.labels)}
    return made | ({} if span.probability is None else {"score": span.probability})


LABEL_STUDIO = SpanFormat("Label Studio", documents, written, keeps_more=True, holds=HOLDS)
