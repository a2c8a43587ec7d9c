"""The attributes of a text that was looked at in parts: the sorted lists of the parts merged, some values at a time.

Each part has a list of the distinct attributes of each feature, in the order of their values, with how often they occur
and where first. Lists may lie in files, mapped into memory: a merge reads of each a stretch between the same two
bounds, and holds little more than the attributes that it keeps.
"""

from collections.abc import Callable, Sequence

import numpy as np

from sstag.features.attribute_tables import WIDEST
from sstag.features.same_text import Found
from sstag.foundation.arrays import Bools, Ints, Longs

TOGETHER = 2**22  # attributes of all lists between two bounds, about


def merged_lists(
    lists: Sequence[Found], radices: Sequence[int], minimum_count: int, kept: Callable[[Ints], Bools]
) -> Found:
    """One list of all attributes that occur often enough, and of those that are `kept` by their values anyway."""
    lists = [one for one in lists if len(one.first)]
    if not lists:
        return Found(np.zeros((0, len(radices)), np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64))
    leading = _leading(radices)
    keys = [_keys(one.components, radices[:leading]) for one in lists]
    done = [0] * len(lists)
    parts: list[Found] = []
    for bound in _bounds(keys):
        ends = [len(key) if bound is None else int(np.searchsorted(key, bound)) for key in keys]
        some = [slice(begin, end) for begin, end in zip(done, ends, strict=True)]
        done = ends
        part = _joined(
            [Found(one.components[s], one.first[s], one.counts[s]) for one, s in zip(lists, some, strict=True)]
        )
        often = (part.counts >= minimum_count) | kept(part.components)
        parts.append(Found(part.components[often], part.first[often], part.counts[often]))
    return Found(
        np.concatenate([one.components for one in parts]),
        np.concatenate([one.first for one in parts]),
        np.concatenate([one.counts for one in parts]),
    )


def _leading(radices: Sequence[int]) -> int:
    """How many leading values can be folded into one number."""
    space = 1
    for place, radix in enumerate(radices):
        space *= max(radix, 1)
        if space >= WIDEST:
            return place
    return len(radices)


def _keys(components: Ints, radices: Sequence[int]) -> Longs:
    """The leading values of attributes as one number, which is in their order."""
    keys = np.zeros(len(components), np.int64)
    for codes, radix in zip(components.T, radices, strict=False):
        keys *= radix
        keys += codes
    return keys


def _bounds(keys: Sequence[Longs]) -> list[int | None]:
    """Keys that cut all lists into stretches of about TOGETHER attributes; the last is their end."""
    sample = np.sort(np.concatenate([key[:: max(TOGETHER // (8 * len(keys)), 1)] for key in keys]))
    count = -(-sum(map(len, keys)) // TOGETHER)
    chosen = np.unique(sample[[len(sample) * i // count for i in range(1, count)]])
    return [*chosen.tolist(), None]


def _joined(lists: Sequence[Found]) -> Found:
    """A few lists as one; what is in several is counted together, and was first where it was first of all."""
    components = np.concatenate([one.components for one in lists])
    order = np.lexsort(components.T[::-1]) if components.shape[1] else np.arange(len(components))
    components = components[order]
    new = np.ones(len(order), bool)
    new[1:] = (components[1:] != components[:-1]).any(axis=1)
    starts = np.flatnonzero(new)
    if not len(starts):
        return Found(components, np.zeros(0, np.int64), np.zeros(0, np.int64))
    first = np.minimum.reduceat(np.concatenate([one.first for one in lists])[order], starts)
    counts = np.add.reduceat(np.concatenate([one.counts for one in lists])[order], starts)
    return Found(components[starts], first, counts)
