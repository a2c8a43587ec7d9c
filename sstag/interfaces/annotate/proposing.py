"""An order of proposals that serves a person: words that say little come last, and doubt is that of one occurrence."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.errors import DataError
from sstag.foundation.grouping import ABSENT
from sstag.knowledge.proposals import Proposals, chosen_proposals

DOUBT, PROTOTYPES = "doubt", "prototypes"
PROPOSED_BY = ("coverage", DOUBT, PROTOTYPES, "entropy")
LEAST = 2  # occurrences of a proposal
SMOOTHING = 1.0
FIRM = 2.0  # occurrences without a doubt that each proposal counts besides its own, so that few prove little


def best_proposals(of: Proposals, way: str, count: int, left: Bools, doubts: Floats | None, little: Bools) -> list[int]:
    """The numbers of the best proposals of those that are left, at most `count`.

    `doubts` has what the model doubts of each token, None without a model; `little` the tokens that say little.
    """
    last = _of_little(of, little)
    many = count + int((~left).sum())
    chosen: list[int] = []
    for part in (~last, last):
        some = replace(of, occurrences=np.where(part, of.occurrences, 0))
        chosen += [at for at in _best(some, way, many, doubts) if left[at] and some.occurrences[at]]
        if len(chosen) >= count:
            break
    return chosen[:count]


def sought(of: Proposals, values: Sequence[str], part: str, little: Bools) -> list[int]:
    """The numbers of all proposals whose values contain a text, the most frequent first."""
    order = np.lexsort((-of.occurrences, _of_little(of, little))).tolist()
    return [at for at in order if part in values[at] and of.occurrences[at]]


def _best(of: Proposals, way: str, many: int, doubts: Floats | None) -> list[int]:
    if way != DOUBT:
        each = -(-many // max(len(of.labels), 1)) if way == PROTOTYPES else many  # of every label some
        return chosen_proposals(of, way, each, LEAST, SMOOTHING)
    if doubts is None:
        raise DataError("there is no model yet that could doubt anything: answer some sentences first")
    mean = _sums(of, doubts) / (of.occurrences + FIRM)
    order = np.lexsort((-of.occurrences, -mean)).tolist()
    return [at for at in order if of.occurrences[at] >= LEAST][:many]


def _of_little(of: Proposals, little: Bools) -> Bools:
    """The proposals at least half of whose occurrences say little."""  # (A,)
    last: Bools = 2 * _sums(of, little.astype(np.float64)) >= np.maximum(of.occurrences, 1)
    return last


def _sums(of: Proposals, weights: Floats) -> Floats:
    """The sum of the weights of the tokens that have each attribute."""  # (A,)
    result = np.zeros(of.vocabulary.size)
    for row in of.ids:
        has = row != ABSENT
        result += np.bincount(row[has], weights[has], of.vocabulary.size)
    return result
