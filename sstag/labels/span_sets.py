"""Chunks that are known to be there, or not to be, as a set of labels for each token (Tsuboi et al. 2008, §2.1).

    Λ_t = { y_t : y is well-formed, has every accepted chunk exactly, and none of the rejected ones }

A set for each token cannot say everything, because any choice out of the sets counts as allowed. An accepted chunk is
said exactly, but in IOB1 and IOE1, where its tags depend on what is beside it. A rejected chunk mostly leaves no trace:
that tokens 3 and 4 are not one person may mean that token 3 is B-PER and token 4 is O, or the other way round, so that
each of them may still have any label. It is ruled out if the other tokens it depends on are known, and a chunk of one
token also in BIOES and BMES, where a single label, S, is the chunk.
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

    Label sequences are followed from both ends. `forward[t, w, y]` tells whether some labels of the tokens up to t end
    in y, with an open chunk that began at the w-th place where a rejected chunk begins (w = 0: elsewhere, or none is
    open); `backward[t, w, y]` whether some labels after t go on from there.
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
