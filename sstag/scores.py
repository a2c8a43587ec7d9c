"""How good predicted labels are, in one number."""

import numpy as np

from sstag.arrays import Ints, Longs
from sstag.tags import Tagset, chunks


def f_score(tags: Tagset, gold: Ints, predicted: Ints, offsets: Longs) -> float:
    """F₁ of the chunks, as `conlleval` counts them; for plain labels the accuracy of tokens."""
    if tags.scheme == "plain":
        return float((gold == predicted).mean()) if len(gold) else 0.0
    wanted, found = (chunks(tags, codes, offsets) for codes in (gold, predicted))
    keys = [(one.first * (len(gold) + 1) + one.stop) * max(len(tags.types), 1) + one.type for one in (wanted, found)]
    correct = len(np.intersect1d(keys[0], keys[1]))
    total = len(keys[0]) + len(keys[1])
    return 2 * correct / total if total else 1.0
