"""The distinct numbers of a long list: where each occurs first, how often, and which one stands where."""

import numpy as np

from sstag.foundation.arrays import Ints, Longs

ABSENT = -1  # the code of a token for which a term has no value


def distinct(keys: Longs) -> tuple[Longs, Longs, Ints]:
    """The first place and the count of each distinct key, by key, and for each place the number of its key.

    Negative keys count for none: their places have the number ABSENT.
    """
    present = np.flatnonzero(keys >= 0)
    wanted = keys[present]
    numbers = np.full(len(keys), ABSENT, np.int32)
    if not len(wanted):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), numbers
    space = int(wanted.max()) + 1
    if space <= 4 * len(wanted) + 2**16:
        # Few possible keys: a direct table.
        counts = np.bincount(wanted, minlength=space)
        used = np.flatnonzero(counts)
        number = np.zeros(space, np.int32)
        number[used] = np.arange(len(used))
        numbers[present] = number[wanted]
        counts = counts[used]
        first = np.empty(len(used), np.int64)
        first[numbers[present[::-1]]] = present[::-1]  # the last one written is the first in the text
        return first, counts, numbers
    # Sorting (key, place) packed into one integer is several times faster than an argsort.
    bits = len(keys).bit_length()
    if space < 2 ** (63 - bits):
        packed = np.sort(wanted << bits | present)
        ordered, order = packed >> bits, packed & (2**bits - 1)
    else:
        order = present[np.argsort(wanted, kind="stable")]
        ordered = keys[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    counts = np.diff(starts, append=len(ordered))
    numbers[order] = np.repeat(np.arange(len(starts), dtype=np.int32), counts)
    return order[starts], counts, numbers
