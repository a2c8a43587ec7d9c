"""An HTML page of texts with coloured spans, each with its label and how sure it is; it needs nothing but itself."""

import html
from collections.abc import Iterable, Iterator

from sstag.corpus.text.documents import PROBABILITIES, Document, Span
from sstag.corpus.text.json_spans import Lost, plain_spans
from sstag.corpus.text.nesting import nested
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.span_format import SpanFormat

GOLDEN = 137.508  # degrees between the hues of two labels, so that any number of them stays apart
FAINT, STRONG = 0.25, 1.0  # how full the colour of an unsure and of a sure span is

HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Spans</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark }
body { font: 16px/1.9 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
article { white-space: pre-wrap; overflow-wrap: anywhere; border-bottom: 1px solid #8884; padding: 0 0 1rem }
h2 { font-size: 1rem; font-weight: 600; opacity: .7; margin: 1.5rem 0 .3rem }
mark { color: inherit; border-radius: .25em; padding: .1em .25em; border-bottom: .15em solid;
  background: hsl(var(--hue) 80% 60% / calc(var(--sure) * .45)); border-color: hsl(var(--hue) 70% 45% / var(--sure)) }
mark small { font-size: .7em; font-weight: 600; margin-left: .4em; opacity: .8; user-select: none }
</style></head><body>
"""
TAIL = "</body></html>\n"


def written(documents: Iterable[Document], options: TextOptions, lost: Lost) -> Iterator[bytes]:
    """The page, document by document."""
    yield HEAD.encode()
    hues: dict[str, float] = {}
    for document in documents:
        parts = [f"<h2>{html.escape(document.id)}</h2>\n<article dir=auto>"]
        for piece, span in nested(document.text, plain_spans(document, lost)):
            if span is None:
                parts.append(html.escape(piece).replace("\r", ""))
            else:
                parts.append(_opening(span, hues) if piece else _closing(span))
        yield "".join([*parts, "</article>\n"]).encode()
    yield TAIL.encode()


def _opening(span: Span, hues: dict[str, float]) -> str:
    hue = hues.setdefault(span.labels[0], round(30 + len(hues) * GOLDEN, 1) % 360)
    sure = STRONG if span.probability is None else FAINT + (STRONG - FAINT) * span.probability
    return f'<mark style="--hue:{hue:g};--sure:{sure:.2f}" title="{html.escape(_words(span))}">'


def _closing(span: Span) -> str:
    return f"<small>{html.escape(_words(span))}</small></mark>"


def _words(span: Span) -> str:
    return "|".join(span.labels) + ("" if span.probability is None else f" {span.probability:.2f}")


HTML = SpanFormat("HTML", write=written, holds=frozenset([PROBABILITIES]))
