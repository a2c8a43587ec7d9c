"""Labels, sets and what is open, as the texts of a label column."""

import numpy as np

from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import ConfigError
from sstag.labels.marks import Marks


def texts_of(
    allowed: Bools, labels: tuple[str, ...], marks: Marks, silent: Bools | None = None
) -> tuple[list[str], Ints | Longs]:
    """The distinct texts of some sets of labels, and which of them each token has; `?` where every label is allowed.

    Where nobody said anything (`silent`) it is `?` too, even if there is but one label.
    """
    if marks.unknown is None:
        raise ConfigError("without a mark for it, an open label cannot be written (--mark unknown=…)")
    mute = np.zeros(len(allowed), bool) if silent is None else silent
    packed = np.packbits(np.column_stack([allowed, mute]), axis=1)
    _, first, code = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    texts = []
    for token in first.tolist():
        names = [labels[y] for y in np.flatnonzero(allowed[token]).tolist()]
        texts.append(marks.unknown if mute[token] or len(names) == len(labels) > 1 else marks.written(names))
    return texts, code.reshape(-1)


def opened(best: Bools, probabilities: Floats, below: float) -> Bools:
    """Sets with the most probable labels until they have this probability together; open if that takes most labels.

    Labels that are at least so probable by themselves stay, and so do tokens that are open.
    """
    result = best.copy()
    count = probabilities.shape[1]
    decided = best.sum(axis=1) == 1
    doubted = np.flatnonzero(decided & ((probabilities * best).sum(axis=1) < below))
    order = np.argsort(-probabilities[doubted], axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(probabilities[doubted], order, axis=1), axis=1)
    needed = np.minimum((sums < below).sum(axis=1) + 1, count)
    for token, ranked, size in zip(doubted.tolist(), order, needed.tolist(), strict=True):
        if 2 * size > count:
            result[token] = True
        else:
            result[token, ranked[:size]] = True  # beside the best label, which stays
    return result
