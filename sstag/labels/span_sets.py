"""Chunks that are known to be there, or not to be, as a set of labels for each token (Tsuboi et al. 2008, §2.1).

    Λ_t = { y_t : y is well-formed, has every accepted chunk exactly, and none of the rejected ones }

Sets of single tokens cannot say everything: their product has more sequences than the set they are made from. Of an
accepted chunk nothing is lost but in IOB1 and IOE1, where its tags depend on what is beside it. A rejected chunk of
several tokens leaves no trace, nor does one of a single token in IOB2, unless all but one of the tokens that would have
to agree are known: that it is not there is a fact about them together. S in BIOES and BMES is the exception.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools
from sstag.labels.schemes.tagset import Tagset


@dataclass(frozen=True)
class Span:
    """A chunk of a sentence that is there, or is not."""

    first: int
    stop: int
    type: int  # index into the types of a tagset
    accepted: bool


def allowed_labels(tags: Tagset, length: int, spans: Sequence[Span], within: Bools | None = None) -> Bools:
    """Λ_t of each token of a sentence, within other sets if given; empty if the spans contradict one another.

    Sequences are followed from both ends, with the chunk that is open: whether it began where a rejected one would.
    """  # (T, L)
    count = len(tags.labels)
    legal, divided = tags.legal[:count, :count], tags.divided[:count, :count]
    inside, types = tags.inside[:count], tags.type[:count]
    watched = sorted({span.first for span in spans if not span.accepted})
    place = {first: number for number, first in enumerate(watched, 1)}
    may = np.ones((length, count), bool) if within is None else within.copy()
    may_end = np.ones((length + 1, len(watched) + 1, count), bool)  # may a chunk end before a token that began there?
    joined, cut = np.zeros((2, length + 1), bool)
    for span in spans:
        of_type = inside & (types == span.type)
        if span.accepted:
            may[span.first : span.stop] &= of_type
            joined[span.first + 1 : span.stop] = True
            cut[[span.first, span.stop]] = True
        else:
            may_end[span.stop, place[span.first], of_type] = False
    goes_on, ends = legal & ~divided, legal & divided

    forward, backward = np.zeros((2, length, len(watched) + 1, count), bool)
    for t in range(length):
        fresh: Bools = tags.legal[count, :count]
        if t:
            forward[t] = forward[t - 1] @ (goes_on & ~cut[t])
            before = (forward[t - 1] & may_end[t]).any(axis=0)
            fresh = before @ (ends & ~joined[t])
        forward[t, place.get(t, 0)] |= fresh & inside
        forward[t, 0] |= fresh & ~inside
        forward[t] &= may[t]
    backward[-1] = tags.legal[:count, count] & may_end[length]
    for t in range(length - 1, 0, -1):
        after = backward[t] & may[t]
        fresh = np.where(inside, after[place.get(t, 0)], after[0])
        backward[t - 1] = (after @ (goes_on & ~cut[t]).T) | (may_end[t] & ((ends & ~joined[t]) @ fresh))
    result: Bools = np.logical_or.reduce(forward & backward, axis=1)
    return result
