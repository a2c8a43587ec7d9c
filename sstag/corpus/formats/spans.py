"""JSON lines of texts with spans, each with its own text and its probability.

    {"id": "letter-1", "text": "Ann met Bob.",
     "spans": [{"text": "Ann", "start": 0, "end": 3, "label": "PER", "probability": 0.98}, …]}

The format `doccano` reads them.
"""

from collections.abc import Iterable, Iterator

from sstag.corpus.text.documents import PROBABILITIES, Document
from sstag.corpus.text.json_spans import Lost, id_written, json_line, plain_spans, said_too
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import SpanFormat


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The documents as JSON lines."""
    for document in documents:
        text = document.text
        spans = []
        for span in plain_spans(document, lost):
            said: dict[str, object] = {"text": text[span.start : span.stop], "start": span.start, "end": span.stop}
            said["label"] = span.labels[0]
            spans.append(said | ({} if span.probability is None else {"probability": span.probability}))
        own = {"id": id_written(document.id), "text": text, "spans": spans}
        yield json_line(said_too(document, own, lost, "label", "labels", "entities"))


SPANS = SpanFormat("JSON lines with spans", write=written, keeps_more=True, holds=frozenset([PROBABILITIES]))
