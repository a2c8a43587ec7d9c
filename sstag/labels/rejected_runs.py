"""Rejected chunks in a label column: neighbouring tokens with `!PER`, the type of tags, are no chunk of that type.

They say nothing of the single tokens, which may have any label, and nothing of a longer or a shorter chunk. So a column
holds what labels of single tokens cannot say, unless other labels stand there, or a like run beside it.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sstag.foundation.ranges import sentence_of
from sstag.labels.column import LabelledText
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import Tagset
from sstag.labels.span_list import SpanLabels, SpanLine, SpanList


def rejected_runs(text: LabelledText) -> SpanList:
    """The rejected chunks of a column, as a list of spans."""
    return SpanList(text.corpus.path, "", tuple(_lines(text)))


def _lines(text: LabelledText) -> Iterator[SpanLine]:
    offsets, codes, rejected = text.corpus.offsets, text.codes, text.sets.rejected
    changes = np.union1d(np.flatnonzero(np.diff(codes)) + 1, offsets)  # where runs begin, and the end
    holding = np.isin(codes, list(rejected))[changes[:-1]]
    for first, stop in zip(changes[:-1][holding].tolist(), changes[1:][holding].tolist(), strict=True):
        sentence = sentence_of(offsets, first)
        place = first - int(offsets[sentence]), stop - int(offsets[sentence])
        for kind in rejected[int(codes[first])]:
            yield SpanLine(int(text.corpus.lines[first]), sentence + 1, place, (), kind, accepted=False)


def with_rejected_runs(said: SpanLabels, tags: Tagset, marks: Marks) -> SpanLabels:
    """A label column that follows from spans, with runs for the rejected ones that single tokens do not rule out."""
    texts, codes = {text: code for code, text in enumerate(said.texts)}, said.codes.copy()
    unknown = texts[marks.unknown or ""]
    left = []
    for span in said.left:
        kind = tags.types[span.type]
        run = f"{marks.negation}{kind}"
        beside = codes[max(span.first - 1, 0) : span.stop + 1]
        fits = marks.negation and kind and not marks.within(kind) and (codes[span.first : span.stop] == unknown).all()
        if fits and not (beside == texts.get(run, -1)).any():
            codes[span.first : span.stop] = texts.setdefault(run, len(texts))
        else:
            left.append(span)
    return replace(said, texts=tuple(texts), codes=codes, left=tuple(left))
