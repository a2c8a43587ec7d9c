"""How good predicted labels are: which chunks count, which of them are right, and one number."""

from dataclasses import dataclass

import numpy as np

from sstag.arrays import Bools, Floats, Ints, Longs
from sstag.tags import UNDECIDED, Chunks, Tagset, chunks

Counts = Longs | Floats  # Floats that are whole numbers


@dataclass(frozen=True)
class Scored:
    """The chunks of one side: which of them count, and which of those the other side has too."""

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
    """How many tokens before each one are undecided or have an undecided neighbour."""  # (T + 1,)
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
    """part / whole, or something else where that is 0 / 0."""
    result: Floats = np.divide(part, whole, out=np.array(otherwise, np.float64), where=whole > 0)
    return result


def f_score(tags: Tagset, gold: Ints, predicted: Ints, offsets: Longs) -> float:
    """F₁ of the chunks that count; for plain labels the accuracy of the tokens whose gold label is decided."""
    if tags.scheme == "plain":
        decided = gold != UNDECIDED
        return float((gold == predicted)[decided].mean()) if decided.any() else 0.0
    true, found = scored_chunks(tags, gold, predicted, offsets)
    return float(f1(*(np.array(mask.sum()) for mask in (true.counts, found.counts, true.right))))
