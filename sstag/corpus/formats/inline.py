"""The text itself with marks in it: `[Ann Lee](PER 0.98) met [Bob](PER 0.87).`

A backslash stands before brackets and backslashes of the text. Before each document stands a line with its name.
"""

import re
from collections.abc import Iterable, Iterator

from sstag.corpus.text.documents import PROBABILITIES, Document
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.nesting import nested
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import SpanFormat

SPECIAL = re.compile(r"[\[\]\\]")


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The texts with their marks."""
    for document in documents:
        parts = [f"=== {document.id}\n"]
        for piece, span in nested(document.text, plain_spans(document, lost)):
            if span is None:
                parts.append(SPECIAL.sub(r"\\\g<0>", piece))
            elif piece:
                parts.append("[")
            else:
                sure = "" if span.probability is None else f" {span.probability:.2f}"
                parts.append(f"]({span.labels[0]}{sure})")
        text = "".join(parts)
        yield (text if text.endswith("\n") else text + "\n").encode()


INLINE = SpanFormat("text with marks", write=written, holds=frozenset([PROBABILITIES]))
