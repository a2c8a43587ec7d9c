"""The labels that each distinct value of a label column allows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.labels.marks import Marks

MOST_LABELS = 5000


@dataclass(frozen=True)
class LabelSets:
    """The labels of a column, and for each of its distinct values the labels it allows."""

    labels: tuple[str, ...]
    allowed_labels: tuple[tuple[int, ...], ...]  # (V,) of each distinct value, in the order written
    unknown: Bools  # (V,) the values that are the mark for any label
    marked: tuple[str, ...]  # labels that contain a mark: taken as they are, but worth a warning
    excluded: Mapping[int, tuple[str, ...]]  # what `!A|B` excludes, which may be more than what is a label here

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

    A bare mark, or `!X` where X (or any of `!X|Y`) is no label seen otherwise, is a plain label. A value that leaves no
    label is an error; `line_of` tells path and line of the first token that has a value.
    """
    excluded = {value: _excluded(value, marks) for value in values}
    seen = set(known)
    for value in values:
        if value != marks.unknown and excluded[value] is None:
            seen.update(_alternatives(value, marks))
    plain = {value for value, others in excluded.items() if others is not None and seen.isdisjoint(others)}
    seen |= plain
    labels = (*known, *sorted(seen.difference(known)))
    if len(labels) > MOST_LABELS:
        path, _ = line_of(0) if line_of else (None, None)
        raise DataError(f"{len(labels)} different labels (at most {MOST_LABELS}): is this the label column?", path)

    def allowed(value: str) -> tuple[str, ...]:
        others = excluded[value]
        if value == marks.unknown:
            return labels
        if value in plain:
            return (value,)
        if others is not None:
            return tuple(label for label in labels if label not in others)
        return tuple(dict.fromkeys(_alternatives(value, marks)))

    number = {label: index for index, label in enumerate(labels)}
    allowed_labels = tuple(tuple(number[label] for label in allowed(value)) for value in values)
    for index, (value, left) in enumerate(zip(values, allowed_labels, strict=True)):
        if not left and value != marks.unknown:
            path, line = line_of(index) if line_of else (None, None)
            raise DataError(f"'{value}' leaves no label (labels: {', '.join(labels)})", path, line)
    return LabelSets(
        labels=labels,
        allowed_labels=allowed_labels,
        unknown=np.array([value == marks.unknown for value in values], bool),
        marked=tuple(label for label in labels if marks.within(label)),
        excluded={i: others for i, value in enumerate(values) if value not in plain and (others := excluded[value])},
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
