"""The labels that each distinct value of a label column allows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.labels.marks import Marks

MOST_LABELS = 5000
TAG = re.compile(r"[BIESM]-.")


@dataclass(frozen=True)
class Written:
    """A distinct value of a label column, taken apart by the marks in it."""

    value: str
    unknown: bool  # it is the mark for any label
    excluded: tuple[str, ...] | None  # A and B of `!A|B`
    alternatives: tuple[str, ...]  # A and B of `A|B`; else the value itself


@dataclass(frozen=True)
class LabelSets:
    """The labels of a column, and for each of its distinct values the labels it allows."""

    labels: tuple[str, ...]
    written: tuple[Written, ...]  # (V,)
    allowed_labels: tuple[tuple[int, ...], ...]  # (V,) of each distinct value, in the order written
    unknown: Bools  # (V,) the values that allow any label: its mark, and rejected types
    marked: tuple[str, ...]  # labels that contain a mark: taken as they are, but worth a warning
    excluded: Mapping[int, tuple[str, ...]]  # what `!A|B` excludes, which may be more than what is a label here
    rejected: Mapping[int, tuple[str, ...]]  # the types of `!PER`, of which a run of such tokens is no chunk

    @property
    def sizes(self) -> Longs:  # (V,)
        return np.array([len(allowed) for allowed in self.allowed_labels], np.int64)

    @property
    def single(self) -> Longs:
        """The one label of each value, or -1 where more are allowed or it is unknown."""  # (V,)
        singles = [allowed[0] if len(allowed) == 1 else -1 for allowed in self.allowed_labels]
        return np.where(self.unknown, -1, np.array(singles, np.int64))

    def tallied(self, codes: Ints) -> tuple[int, int, int]:
        """How many tokens have one label, several, and any, given the value that each has."""
        counts = np.bincount(codes, minlength=len(self.allowed_labels))
        decided, unknown = int(counts[self.single >= 0].sum()), int(counts[self.unknown].sum())
        return decided, len(codes) - decided - unknown, unknown

    @property
    def allowed(self) -> Bools:  # (V, L)
        mask = np.zeros((len(self.allowed_labels), len(self.labels)), bool)
        for row, labels in zip(mask, self.allowed_labels, strict=True):
            row[list(labels)] = True
        return mask


def label_sets(
    values: Sequence[str],
    marks: Marks = Marks(),
    known: Sequence[str] = (),
    line_of: Callable[[int], tuple[str, int]] | None = None,
) -> LabelSets:
    """Reads the distinct values of a label column; labels not among the known ones follow them, sorted.

    A bare mark, or `!X` where X (or any of `!X|Y`) is no label seen otherwise, is a plain label, but for a tag among
    tags: `!I-LOC` excludes I-LOC also where every place has one token. `!LOC`, the type of tags, says nothing of its
    token: the run of tokens that have it is no such chunk. A value that leaves no label is an error; `line_of` tells
    path and line of the first token that has a value.
    """
    written = tuple(
        Written(value, value == marks.unknown, _excluded(value, marks), _alternatives(value, marks)) for value in values
    )
    return _allowing(written, marks, known, line_of)


def with_known(
    sets: LabelSets, marks: Marks, known: Sequence[str], line_of: Callable[[int], tuple[str, int]] | None = None
) -> LabelSets:
    """The label sets of a column that was read by these marks, now that other labels are known, which come first.

    Nothing is read again, but a value may allow more: `?` every new label, and `!X`, a plain label where there was no
    X, all labels but X.
    """
    return _allowing(sets.written, marks, known, line_of)


def decided_sets(labels: Sequence[str], marks: Marks, known: Sequence[str] = ()) -> LabelSets:
    """The label sets of a column whose distinct values are labels, also where these contain a mark."""
    return _allowing(tuple(Written(label, False, None, (label,)) for label in labels), marks, known, None)


def _allowing(
    written: Sequence[Written],
    marks: Marks,
    known: Sequence[str],
    line_of: Callable[[int], tuple[str, int]] | None,
) -> LabelSets:
    """The labels that values allow, given which labels are known."""
    seen = set(known)
    for one in written:
        if not one.unknown and one.excluded is None:
            seen.update(one.alternatives)
    types = {label[2:] for label in seen if TAG.match(label)}
    rejected = {
        one.value: one.excluded
        for one in written
        if one.excluded is not None and seen.isdisjoint(one.excluded) and types.issuperset(one.excluded)
    }
    plain = {
        one.value
        for one in written
        if one.excluded is not None
        and seen.isdisjoint(one.excluded)
        and one.value not in rejected
        and not (types and all(map(TAG.match, one.excluded)))
    }
    seen |= plain
    labels = (*known, *sorted(seen.difference(known)))
    if len(labels) > MOST_LABELS:
        path, _ = line_of(0) if line_of else (None, None)
        raise DataError(f"{len(labels)} different labels (at most {MOST_LABELS}): is this the label column?", path)

    def allowed(one: Written) -> tuple[str, ...]:
        if one.unknown or one.value in rejected:
            return labels
        if one.value in plain:
            return (one.value,)
        if one.excluded is not None:
            return tuple(label for label in labels if label not in one.excluded)
        return tuple(dict.fromkeys(one.alternatives))

    number = {label: index for index, label in enumerate(labels)}
    allowed_labels = tuple(tuple(number[label] for label in allowed(one)) for one in written)
    for index, (one, left) in enumerate(zip(written, allowed_labels, strict=True)):
        if not left and not one.unknown:
            path, line = line_of(index) if line_of else (None, None)
            raise DataError(f"'{one.value}' leaves no label (labels: {', '.join(labels)})", path, line)
    return LabelSets(
        labels=labels,
        written=tuple(written),
        allowed_labels=allowed_labels,
        unknown=np.array([one.unknown or one.value in rejected for one in written], bool),
        marked=tuple(label for label in labels if marks.within(label)),
        excluded={
            i: one.excluded
            for i, one in enumerate(written)
            if one.excluded and one.value not in plain and one.value not in rejected
        },
        rejected={i: rejected[one.value] for i, one in enumerate(written) if one.value in rejected},
    )


def _alternatives(value: str, marks: Marks) -> tuple[str, ...]:
    """`A|B` as its parts; a text with an empty or an unknown part is one plain label."""
    parts = tuple(value.split(marks.either)) if marks.either else (value,)
    return parts if all(parts) and marks.unknown not in parts else (value,)


def _excluded(value: str, marks: Marks) -> tuple[str, ...] | None:
    """The labels that `!A|B` excludes, or None."""
    if marks.negation is None or not value.startswith(marks.negation) or value == marks.negation:
        return None
    return _alternatives(value[len(marks.negation) :], marks)
