"""Gold labels: which are known, which chunks count and are right, and F₁ or accuracy as one number.

An unknown gold label is not scored. Where the gold column allows several labels, a prediction among them is right; else
the first of them is the gold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import DataError
from sstag.labels.column import annotation
from sstag.labels.label_sets import MOST_LABELS, LabelSets
from sstag.labels.marks import Marks
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.tagset import Chunks, Tagset, chunks, tolerant_tagset

Counts = Longs | Floats  # whole numbers in either type


@dataclass(frozen=True, eq=False)
class Gold:
    """A label column to score by."""

    labels: tuple[str, ...]  # its own, and those that can be predicted
    tags: Tagset  # the labels as tags of the scheme; a label that is no tag lies outside every chunk
    sets: LabelSets
    codes: Ints  # (T,) the index of each token's value in `sets`
    first: Ints  # (T,) the first label that is allowed, UNDECIDED where any would do
    several: Longs  # the tokens at which other labels are allowed too

    def numbers(self, labels: Sequence[str]) -> Ints:
        """The index of each label in `labels`."""
        number = {label: index for index, label in enumerate(self.labels)}
        return np.array([number[label] for label in labels], np.int32)

    def can_be(self, labels: Sequence[str]) -> bool:
        """Whether one of these labels would be right at any scored token."""
        sets, known = self.sets, set(labels)
        named = {
            y for allowed, any_ in zip(sets.allowed_labels, sets.unknown, strict=True) if not any_ for y in allowed
        }
        excluded = sets.excluded.values()
        return any(self.labels[y] in known for y in named) or any(known.difference(others) for others in excluded)

    def against(self, guess: Ints) -> Ints:
        """The gold label of each token, (T,): the prediction if it is allowed, else the first allowed label."""
        keys = self.codes[self.several].astype(np.int64) * len(self.labels) + guess[self.several]
        pairs, place = np.unique(keys, return_inverse=True)
        verdicts = np.array([self._allows(*divmod(pair, len(self.labels))) for pair in pairs.tolist()], bool)
        right = self.several[verdicts[place]]
        gold = self.first.copy()
        gold[right] = guess[right]
        return gold

    def _allows(self, value: int, label: int) -> bool:
        if self.sets.written[value].value == self.labels[label]:  # a label with a mark in it, as a model may have it
            return True
        if value in self.sets.excluded:  # !A allows every other label, also those that the gold never has
            return self.labels[label] not in self.sets.excluded[value]
        return label in self.sets.allowed_labels[value]


def gold_labels(
    values: Sequence[str],
    codes: Ints,
    offsets: Longs,
    marks: Marks,
    scheme: str | None,
    predicted: Sequence[str],
    line_of: Callable[[int], tuple[str, int]] | None = None,
) -> Gold:
    """The gold labels of a column, numbered together with the predicted ones; `scheme=None` guesses it.

    A column without any known label is an error.
    """
    path, _ = line_of(0) if line_of else (None, 0)
    read = annotation(values, codes, offsets, marks, scheme, line_of)
    sets = read.sets
    labels = (*sets.labels, *sorted(set(predicted).difference(sets.labels)))
    if len(labels) > MOST_LABELS:
        message = f"{len(labels)} different labels with the predicted ones (at most {MOST_LABELS}): are these labels?"
        raise DataError(message, path)
    first = np.array([allowed[0] if allowed else UNDECIDED for allowed in sets.allowed_labels], np.int32)
    first[sets.unknown] = UNDECIDED
    if (first[codes] == UNDECIDED).all():
        raise DataError("no label is decided: nothing to score by", path)
    several = (sets.sizes > 1) & ~sets.unknown
    several[list(sets.excluded)] = True
    tags = tolerant_tagset(labels, read.tags.scheme)
    return Gold(labels, tags, sets, codes, first[codes], np.flatnonzero(several[codes]))


@dataclass(frozen=True)
class Scored:
    """The chunks of gold or predicted labels: which of them count, and which of those the other labels have too."""

    chunks: Chunks
    counts: Bools
    right: Bools


def scored_chunks(tags: Tagset, gold: Ints, predicted: Ints, offsets: Longs) -> tuple[Scored, Scored]:
    """The chunks of gold and predicted labels, as `conlleval` cuts and compares them.

    Chunks that contain a token whose gold label is UNDECIDED, or end beside one, do not count.
    """
    before = _open_before(gold == UNDECIDED, offsets)
    both = [chunks(tags, codes, offsets) for codes in (gold, predicted)]
    counts = [before[found.stop] == before[found.first] for found in both]
    keys = [
        ((found.first * (len(gold) + 1) + found.stop) * max(len(tags.types), 1) + found.type)[counted]
        for found, counted in zip(both, counts, strict=True)
    ]
    _, *common = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    right = [np.zeros(len(counted), bool) for counted in counts]
    for mask, counted, places in zip(right, counts, common, strict=True):
        mask[np.flatnonzero(counted)[places]] = True
    first, second = (Scored(*side) for side in zip(both, counts, right, strict=True))
    return first, second


def _open_before(undecided: Bools, offsets: Longs) -> Longs:
    """The number of tokens before each one that are undecided or have an undecided neighbour."""  # (T + 1,)
    inner = np.ones(len(undecided) + 1, bool)  # whether a token and the one before it are of one sentence
    inner[offsets] = False
    touching = undecided.copy()
    touching[1:] |= undecided[:-1] & inner[1:-1]
    touching[:-1] |= undecided[1:] & inner[1:-1]
    return np.concatenate([[0], np.cumsum(touching)])


def f1(gold: Counts, found: Counts, right: Counts) -> Floats:
    """2PR / (P + R) = 2·right / (gold + found); 1 where there was nothing to find and nothing was found."""
    return share(2 * right, gold + found, np.ones(np.shape(gold)))


def share(part: Counts, whole: Counts, otherwise: Floats) -> Floats:
    """part / whole, and `otherwise` where that is 0 / 0."""
    result: Floats = np.divide(part, whole, out=np.array(otherwise, np.float64), where=whole > 0)
    return result


def f_score(tags: Tagset, gold: Ints, predicted: Ints, offsets: Longs) -> float:
    """F₁ of the chunks that count; for plain labels the accuracy of the tokens whose gold label is decided."""
    if tags.scheme == "plain":
        decided = gold != UNDECIDED
        return float((gold == predicted)[decided].mean()) if decided.any() else 0.0
    true, found = scored_chunks(tags, gold, predicted, offsets)
    return float(f1(*(np.array(mask.sum()) for mask in (true.counts, found.counts, true.right))))
