"""Label columns written anew, block by block: in another scheme, or in their own and repaired."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.blocks import Block, text_with
from sstag.corpus.coding import Coder
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.foundation.arrays import Ints
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import display_name
from sstag.foundation.ranges import sentences_of
from sstag.labels.column import annotation_of_steps, impossible_steps
from sstag.labels.label_sets import LabelSets
from sstag.labels.marks import Marks
from sstag.labels.schemes.rewrite import rewritten, rewritten_sets
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.steps import StepCounter
from sstag.labels.schemes.tagset import Tagset

MOST_WORK = 500_000  # labels in different neighbourhoods of sets: some seconds


@dataclass(frozen=True)
class Relabelling:
    """How the labels of one file are rewritten."""

    column: str
    sets: LabelSets
    texts: list[str]  # the distinct values of the column
    numbers: Coder  # each distinct value of the column → its row in `sets`
    tags: Tagset
    scheme: str
    marks: Marks
    merged: list[int]  # chunks that ran together, a number per block

    def labels(self, block: Block) -> list[bytes]:
        """The new labels of a block; labels that cannot be written in the new scheme are an error at its first line."""
        try:
            return self._labels(block)
        except DataError as error:
            line = int(block.lines[0]) if len(block.lines) else block.first_line
            raise DataError(error.message, error.path or block.path, error.line or line) from error

    def _labels(self, block: Block) -> list[bytes]:
        old = block.fields[block.column(self.column)] if len(block.rows) else []
        values = self.values(block)
        single = self.sets.single.astype(np.int32)[values]
        names, codes, merged = rewritten(self.tags, self.scheme, single, block.offsets)
        self.merged.append(merged)
        texts = [name.encode() for name in names]
        new = [texts[code] if code != UNDECIDED else old[token] for token, code in enumerate(codes.tolist())]
        if self.scheme != self.tags.scheme:
            for token, text in self._undecided(values, single, block):
                new[token] = text
        return new

    def values(self, block: Block) -> Ints:
        """The place in `texts` of the value of each token of a block."""
        return self.numbers.of(block.fields[block.column(self.column)] if len(block.rows) else [])

    def _undecided(self, values: Ints, single: Ints, block: Block) -> Iterator[tuple[int, bytes]]:
        """The new texts of undecided tokens and of their neighbours; an unknown label stays unknown."""
        open_ones = np.flatnonzero(single == UNDECIDED)
        affected = np.unique(np.concatenate([open_ones - 1, open_ones, open_ones + 1]))
        affected = affected[(affected >= 0) & (affected < len(single))]
        affected = affected[~self.sets.unknown[values[affected]]]
        offsets, sentence = block.offsets, sentences_of(block.offsets, affected)
        edge = (len(self.sets.labels),)
        known: dict[tuple[object, ...], bytes] = {}
        for token, begin, end in zip(affected.tolist(), offsets[sentence], offsets[sentence + 1], strict=True):
            before = self.sets.allowed_labels[values[token - 1]] if token > begin else edge
            after = self.sets.allowed_labels[values[token + 1]] if token + 1 < end else edge
            key = (before, values[token], after)
            if key not in known:
                if len(known) * len(self.sets.labels) > MOST_WORK:
                    raise DataError("too many labels in too many different sets to convert")
                try:
                    known[key] = self._written(before, int(values[token]), after).encode()
                except ConfigError as error:
                    raise DataError(error.message, block.path, int(block.lines[token])) from error
            yield token, known[key]

    def _written(self, before: Sequence[int], value: int, after: Sequence[int]) -> str:
        """The text of a token's labels in the new scheme: one, several, or those that are excluded.

        Excluded labels stay excluded: their opposite would name only those labels that this file happens to have.
        """
        labels = rewritten_sets(self.tags, self.scheme, before, self.sets.allowed_labels[value], after)
        sign = ""
        if self.marks.negation and self.texts[value].startswith(self.marks.negation) and len(labels) > 1:
            everything = rewritten_sets(self.tags, self.scheme, before, range(len(self.sets.labels)), after)
            kept = set(labels)
            sign, labels = self.marks.negation, [label for label in everything if label not in kept]
        return sign + self.marks.written(labels)


def relabelling(
    path: str,
    layout: Layout,
    marks: Marks,
    old: str | None,
    new: str | None,
    repair: bool,
    data: Iterable[bytes] | None = None,
) -> Relabelling:
    """The relabelling of a file into a new scheme, or into its own; the file is read to find its labels and scheme.

    Ill-formed sequences are an error unless they are to be repaired, and so are labels that do not fit the scheme.
    """
    column = layout.label
    if column is None:
        raise ConfigError("there is no label to convert in an unlabelled file")
    numbers, counter = Coder(), StepCounter()
    for block in read_blocks(path, layout, data=data):
        if len(block.rows):
            counter.add(numbers.of(block.fields[block.column(column)]), block.offsets, block.lines)
    steps, texts = counter.steps(), numbers.texts()

    def line_of(code: int) -> tuple[str, int]:
        return display_name(path), int(steps.first[steps.here == code].min())

    read = annotation_of_steps(texts, lambda: steps, marks, old, line_of)
    scheme = read.tags.scheme
    if read.strangers:
        index = read.sets.labels.index(read.strangers[0])
        value = min((len(allowed), at) for at, allowed in enumerate(read.sets.allowed_labels) if index in allowed)[1]
        raise DataError(
            f"'{read.strangers[0]}' is no {scheme.upper()} tag (--from-scheme names the scheme)", *line_of(value)
        )
    wrong = impossible_steps(read, steps)
    if wrong.any() and not repair:
        said = f"ill-formed in {scheme.upper()}, the first of {steps.count[wrong].sum()} such tokens"
        raise DataError(f"{said} (--repair mends them)", display_name(path), int(steps.first[wrong].min()))
    return Relabelling(column, read.sets, texts, numbers, read.tags, new or read.tags.scheme, marks, [])


def with_labels(block: Block, labels: list[bytes], column: str) -> Block:
    """The block with other labels in a column, in its text and in its fields; an unknown column is a new last one."""
    if column not in block.columns:
        fields = [*block.fields, labels]
        return replace(
            block, text=text_with(block, labels, added=column), columns=(*block.columns, column), fields=fields
        )
    index = block.column(column)
    fields = [*block.fields[:index], labels, *block.fields[index + 1 :]]
    return replace(block, text=text_with(block, labels, column), fields=fields)
