"""Documents from records of JSON, and back: what the formats of JSON with spans have in common."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter

from sstag.corpus.text.documents import OPEN, Document, Span
from sstag.corpus.text.json_keys import Object
from sstag.corpus.text.json_records import Record, json_records
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import Source
from sstag.foundation.errors import DataError
from sstag.foundation.json_values import Json
from sstag.foundation.whole_numbers import whole_number

# Made once, since `json.dumps` makes an encoder at every call; nothing here contains itself.
ENCODED = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
LABELS_OF, IS_ACCEPTED = (itemgetter(Span._fields.index(name)) for name in ("labels", "accepted"))
Lost = Counter[str]  # what a format cannot say, and how often
IN_PART = "documents that nobody looked at in whole"
BESIDE = "labels outside of spans, beside open ones"


def json_documents(source: Source, document: Callable[[Record, TextOptions], Document | None]) -> Iterator[Document]:
    """The documents that the records of a file are, but for records that are none."""
    for record in json_records(source.path, source.pieces, source.faults):
        try:
            made = document(record, source.options)
        except DataError as error:
            source.faults.found(DataError(error.message, source.name, record.line), record.raw)
        else:
            if made:
                yield made


def others(record: Object, *known: str) -> Mapping[str, Json]:
    """The keys of a record besides some, with their values."""
    return {key: value for key, value in record.items() if key not in known}


def said_too(document: Document, own: Mapping[str, object], lost: Lost, *taken: str) -> dict[str, object]:
    """A record with what the document's own one said besides; keys that mean something else in it are left out."""
    if not document.more:
        return {**own}
    clashes = document.more.keys() & {*own, *taken}
    lost["keys with another meaning there"] += len(clashes)
    return {**own, **others(document.more, *clashes)}


def id_written(name: str) -> str | int:
    """A name as tools write it: a whole number as a number."""
    number = whole_number(name)
    return name if number is None or str(number) != name else number


def json_line(value: Mapping[str, object]) -> bytes:
    """A line of JSON."""
    return ENCODED(value).encode() + b"\n"


def plain_spans(document: Document, lost: Lost) -> list[Span]:
    """The accepted spans of the one annotation of a document, for a format of nothing else; the rest is counted."""
    if len(document.said) > 1:
        names = ", ".join(one.by for one in document.said)
        message = f"document '{document.id}' has annotations by {names}, but the format has room for one (--annotators)"
        raise DataError(message)
    found = list[Span]()
    for said in document.said:
        lost[IN_PART] += said.rest == OPEN
        if sum(map(len, map(LABELS_OF, said.spans))) != len(said.spans):  # most have one each
            several = [span for span in said.spans if len(span.labels) > 1]
            lost["spans with several labels, of which the first is written"] += len(several)
        accepted = said.spans
        if not all(map(IS_ACCEPTED, accepted)):
            accepted = tuple(filter(IS_ACCEPTED, said.spans))
            lost["rejected spans"] += len(said.spans) - len(accepted)
        found += accepted
    return found
