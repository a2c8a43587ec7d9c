"""Which scheme a label column follows, guessed from its labels and from how they follow each other."""

from collections.abc import Sequence

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.tagset import fits, is_ill_formed, tolerant_tagset

GUESSED = ("iob2", "iob1", "ioe2", "ioe1", "bioes", "bmes")  # besides io; of equally good ones the first


def guessed_scheme(labels: Sequence[str], codes: Ints, offsets: Longs) -> str:
    """The scheme with the fewest tokens that are ill-formed or that it has no tag for; the stricter one on a tie.

    If most of the labels, or the labels of most of the tokens, are no tags, the scheme is plain.
    """
    tags = _tags_among(labels)
    decided = codes[codes >= 0]
    are_tags = np.isin(decided, [index for index, label in enumerate(labels) if label in tags])
    if set(tags) <= {"O"} or 2 * len(tags) <= len(labels) or 2 * are_tags.sum() <= len(decided):
        return "plain"
    if all(fits(label, "io") for label in tags):
        return "io"

    before, here, last, count = _distinct_steps(codes, offsets, len(labels))

    def wrong(scheme: str) -> int:
        fitting = np.array([*(fits(label, scheme) for label in labels), True, True])
        read = tolerant_tagset(labels, scheme)
        left, right = (np.where(fitting[label], label, UNDECIDED) for label in (before, here))
        return int(count[~fitting[here]].sum() + count[is_ill_formed(read, left, right, last)].sum())

    has_middle = any(fits(label, "bmes") and not fits(label, "bioes") for label in tags)  # else these are no BMES
    return min((scheme for scheme in GUESSED if has_middle or scheme != "bmes"), key=wrong)


def _distinct_steps(codes: Ints, offsets: Longs, edge: int) -> tuple[Longs, Longs, Bools, Longs]:
    """The label before a token, its own, and whether it is the last of its sentence: each once, and how often it is."""
    before, last = np.full(len(codes), edge, np.int64), np.zeros(len(codes), np.int64)
    before[1:] = codes[:-1]
    before[offsets[:-1]] = edge
    last[offsets[1:] - 1] = 1
    known = edge + 2  # codes that there are: UNDECIDED is the least of them, and the edge of a sentence the greatest
    found, count = np.unique(((before - UNDECIDED) * known + codes - UNDECIDED) * 2 + last, return_counts=True)
    steps = found // 2
    return steps // known + UNDECIDED, steps % known + UNDECIDED, found % 2 == 1, count


def scheme_of_labels(labels: Sequence[str]) -> str:
    """The scheme that has most of some labels as tags, the first of equals, where no text tells how they follow."""
    tags = _tags_among(labels)
    if set(tags) <= {"O"} or 2 * len(tags) <= len(labels):
        return "plain"
    if all(fits(label, "io") for label in tags):
        return "io"
    return max(GUESSED, key=lambda scheme: sum(fits(label, scheme) for label in tags))


def _tags_among(labels: Sequence[str]) -> list[str]:
    """The labels that look like tags of some scheme."""
    return [label for label in labels if any(fits(label, scheme) for scheme in GUESSED)]
