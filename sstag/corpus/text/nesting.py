"""A text cut where spans begin and end, for forms in which marks stand within the text."""

from collections.abc import Iterator, Sequence

from sstag.corpus.text.documents import Span
from sstag.foundation.errors import DataError

BEGINS, ENDS = "begin", ""  # which of them it is tells whether it is empty


def nested(text: str, spans: Sequence[Span]) -> Iterator[tuple[str, Span | None]]:
    """Pieces of the text, with None; and where a span begins and ends `BEGINS` and `ENDS`, with the span."""
    open_ones: list[Span] = []
    at = 0
    for span in sorted(spans, key=lambda one: (one.start, -one.stop)):
        while open_ones and open_ones[-1].stop <= span.start:
            last = open_ones.pop()
            yield text[at : last.stop], None
            yield ENDS, last
            at = last.stop
        if open_ones and span.stop > open_ones[-1].stop:
            other = open_ones[-1]
            message = (
                f"spans {other.start}–{other.stop} and {span.start}–{span.stop} cross, and cannot be marked in the text"
            )
            raise DataError(message)
        yield text[at : span.start], None
        yield BEGINS, span
        at = span.start
        open_ones.append(span)
    while open_ones:
        last = open_ones.pop()
        yield text[at : last.stop], None
        yield ENDS, last
        at = last.stop
    yield text[at:], None
