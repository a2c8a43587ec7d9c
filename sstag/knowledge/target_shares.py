"""Target distributions of features over labels (Mann & McCallum 2008, §5): guessed, or from counts.

heuristic    0.99 shared by the labels named, the rest by all others; 1/L each if all are named
counted      p̂(l) = (c(l) + δ) / (n + δ L), of all labelled occurrences or of n of them that were looked at
error        √(p̂(l) (1 − p̂(l)) / n)
"""

from collections.abc import Sequence

import numpy as np

from sstag.foundation.arrays import Floats

MAJORITY = 0.99


def heuristic(named: Sequence[int], count: int) -> Floats:
    """The distribution of a feature whose usual label, or labels, are all that is known."""  # (L,)
    if len(named) == count:
        return np.full(count, 1 / count)
    target = np.full(count, (1 - MAJORITY) / (count - len(named)))
    target[list(named)] = MAJORITY / len(named)
    return target


def counted_shares(counts: Floats, smoothing: float) -> Floats:
    """The distribution that counts of labels give."""  # (..., L)
    smoothed = counts + smoothing
    result: Floats = smoothed / smoothed.sum(axis=-1, keepdims=True)
    return result


def standard_errors(target: Floats, occurrences: int) -> Floats:
    """The standard errors of shares that were counted at this number of occurrences."""  # (L,)
    result: Floats = np.sqrt(target * (1 - target) / occurrences)
    return result


def shares_text(labels: Sequence[str], target: Floats) -> str:
    """The text of a distribution in a list of expectations, the largest shares first."""
    order = np.argsort(-target, kind="stable")
    return " ".join(f"{labels[place]}:{target[place]:.6g}" for place in order.tolist() if target[place] > 0)
