"""Which scheme a label column follows, guessed from its labels and from how they follow each other."""

from collections.abc import Sequence

import numpy as np

from sstag.foundation.arrays import Ints, Longs
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.steps import Steps, steps_of
from sstag.labels.schemes.tagset import fits, is_ill_formed, tolerant_tagset

GUESSED = ("iob2", "iob1", "ioe2", "ioe1", "bioes", "bmes")  # besides io; of equally good ones the first


def guessed_scheme(labels: Sequence[str], codes: Ints, offsets: Longs) -> str:
    """The scheme with the fewest tokens that are ill-formed or that it has no tag for; the stricter one on a tie.

    If most of the labels, or the labels of most of the tokens, are no tags, the scheme is plain.
    """
    return scheme_of_steps(labels, steps_of(codes, offsets, len(labels)))


def scheme_of_steps(labels: Sequence[str], steps: Steps) -> str:
    """The scheme of a text with these steps, in which UNDECIDED is a code, and the number of labels is the edge."""
    tags = _tags_among(labels)
    are_tags = np.isin(steps.here, [index for index, label in enumerate(labels) if label in tags])
    decided = steps.count[steps.here >= 0].sum()
    if set(tags) <= {"O"} or 2 * len(tags) <= len(labels) or 2 * steps.count[are_tags].sum() <= decided:
        return "plain"
    if all(fits(label, "io") for label in tags):
        return "io"

    def faults(scheme: str) -> int:
        fitting = np.array([*(fits(label, scheme) for label in labels), True, True])
        read = tolerant_tagset(labels, scheme)
        left, right = (np.where(fitting[label], label, UNDECIDED) for label in (steps.before, steps.here))
        wrong = is_ill_formed(read, left, right, steps.last)
        return int(steps.count[~fitting[steps.here]].sum() + steps.count[wrong].sum())

    has_middle = any(fits(label, "bmes") and not fits(label, "bioes") for label in tags)  # else these are no BMES
    return min((scheme for scheme in GUESSED if has_middle or scheme != "bmes"), key=faults)


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
