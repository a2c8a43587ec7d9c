"""Chunks of a block's label column as spans: sets of labels that are one chunk of one type or another are spans, too.

`B-A|B-B I-A|I-B` is one span that is A or B. Another undecided token belongs to no span and is open.
"""

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.text.assembly import Labelling, TokenSpan
from sstag.corpus.text.span_labels import BLANK
from sstag.labels.label_sets import label_sets
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import chunks, fits, tolerant_tagset

OPEN = "O"  # what an undecided token is for the chunks


def labelling(block: Block, column: str, scheme: str, marks: Marks, by: str = "") -> Labelling:
    """The spans of a label column, which is read under a scheme."""
    values = block.fields[block.column(column)] if len(block.rows) else []
    distinct = list(dict.fromkeys(values))
    texts = [value.decode() for value in distinct]
    number = {value: code for code, value in enumerate(distinct)}
    codes = np.fromiter(map(number.__getitem__, values), np.int32, len(values))
    tags = [_tag(text, scheme, marks) for text in texts]
    unsure = np.array([tag is None for tag in tags], bool)
    read = tolerant_tagset([tag or OPEN for tag in tags], scheme)
    if not len(values):
        return Labelling(by, (), unsure[codes])
    found = chunks(read, codes, block.offsets)
    either = marks.either or "\0"
    types = [tuple(kind.replace(BLANK, " ").split(either)) for kind in read.types]
    columns = (found.first.tolist(), found.stop.tolist(), found.type.tolist())
    spans = [TokenSpan(first, stop, types[kind]) for first, stop, kind in zip(*columns, strict=True)]
    return Labelling(by, spans, unsure[codes])


def _tag(text: str, scheme: str, marks: Marks) -> str | None:
    """A value as one tag, whose type may be a set of types; None if it is open."""
    (written,) = label_sets([text], marks).written
    if written.unknown or written.excluded is not None:
        return None
    if len(written.alternatives) == 1:
        return text
    parts = [_parts(one, scheme) for one in written.alternatives]
    roles = {role for role, _ in parts}
    if len(roles) > 1 or not all(fits(one, scheme) for one in written.alternatives) or "O" in roles:
        return None
    kinds = (marks.either or "\0").join(kind for _, kind in parts)
    return kinds if scheme == "plain" else f"{roles.pop()}-{kinds}"


def _parts(label: str, scheme: str) -> tuple[str, str]:
    """The role and the type of a label."""
    if label == "O":
        return "O", ""
    role, _, kind = ("I", "", label) if scheme == "plain" else label.partition("-")
    return role, kind
