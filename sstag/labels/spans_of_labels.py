"""Chunks of a block's label column as spans: sets of labels that are one chunk of one type or another are spans, too.

`B-A|B-B I-A|I-B` is one span that is A or B. Another undecided token belongs to no span and is open.
"""

from collections.abc import Sequence

import numpy as np

from sstag.corpus.blocks import Block
from sstag.corpus.coding import Coder
from sstag.corpus.text.block_parts import Labelling
from sstag.corpus.text.span_labels import BLANK
from sstag.foundation.arrays import Ints, Longs
from sstag.labels.label_sets import label_sets
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import chunks, fits, tolerant_tagset

OPEN = "O"  # what an undecided token is for the chunks


def labelling(block: Block, column: str, scheme: str, marks: Marks, by: str = "") -> Labelling:
    """The spans of a label column, which is read under a scheme."""
    numbers = Coder()
    codes = numbers.of(block.fields[block.column(column)] if len(block.rows) else [])
    return ValueSpans(numbers.texts(), scheme, marks).of(codes, block.offsets, by)


class ValueSpans:
    """The distinct values of a label column, read under a scheme, and the spans that their codes stand for."""

    def __init__(self, texts: Sequence[str], scheme: str, marks: Marks) -> None:
        tags = [_tag(text, scheme, marks) for text in texts]
        self._unsure = np.array([tag is None for tag in tags], bool)
        self._silent = np.array([label_sets([text], marks).written[0].unknown for text in texts], bool)
        self._read = tolerant_tagset([tag or OPEN for tag in tags], scheme)
        either = marks.either or "\0"
        self._types = [tuple(kind.replace(BLANK, " ").split(either)) for kind in self._read.types]

    def of(self, codes: Ints, offsets: Longs, by: str = "") -> Labelling:
        """The spans of some sentences, given the code of each token."""
        if not len(codes):
            return Labelling(by, np.zeros(0, np.int64), np.zeros(0, np.int64), (), np.zeros(0, bool))
        found = chunks(self._read, codes, offsets)
        labels = [*map(self._types.__getitem__, found.type.tolist())]
        return Labelling(by, found.first, found.stop, labels, self._unsure[codes], silent=self._silent[codes])


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
