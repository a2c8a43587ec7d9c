"""How good predicted labels are, in one number."""

import numpy as np

from sstag.arrays import Bools, Ints, Longs
from sstag.tags import UNDECIDED, Tagset, chunks


def f_score(tags: Tagset, gold: Ints, predicted: Ints, offsets: Longs) -> float:
    """F₁ of the chunks, as `conlleval` counts them; for plain labels the accuracy of tokens.

    Tokens whose gold label is UNDECIDED do not count, nor do chunks that contain one or end beside one.
    """
    decided = gold != UNDECIDED
    if tags.scheme == "plain":
        return float((gold == predicted)[decided].mean()) if decided.any() else 0.0
    gold_keys, keys = (_keys(tags, codes, offsets, decided) for codes in (gold, predicted))
    correct, total = len(np.intersect1d(gold_keys, keys)), len(gold_keys) + len(keys)
    return 2 * correct / total if total else 1.0


def _keys(tags: Tagset, codes: Ints, offsets: Longs, decided: Bools) -> Longs:
    """A number for each chunk that counts: where it is, and its type."""
    certain = decided.copy()
    certain[1:] &= decided[:-1] | np.isin(np.arange(1, len(codes)), offsets)
    certain[:-1] &= decided[1:] | np.isin(np.arange(1, len(codes)), offsets)
    before = np.concatenate([[0], np.cumsum(~certain)])
    found = chunks(tags, codes, offsets)
    keys = (found.first * (len(codes) + 1) + found.stop) * max(len(tags.types), 1) + found.type
    counted: Longs = keys[before[found.stop] == before[found.first]]
    return counted
