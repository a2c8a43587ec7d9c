"""Tables that number the attributes of a feature: values folded into one integer per token, and looked up."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.grouping import ABSENT

UNSEEN = -2  # the key of a token whose value no attribute has
WIDEST = 2**62  # a bound of keys
SPARSE = 3  # half as many places as this, or more, for each key of a table


@dataclass(frozen=True)
class Table:
    """The attributes of one feature, and a table of their numbers by key."""

    components: Ints  # (A_f, terms) the values of each attribute
    ids: Ints  # (A_f,)
    default: int  # the attribute for unseen values, or ABSENT
    stages: tuple[Longs, ...]
    direct: Ints | None  # (possible keys + 2,) the number of each key, if these are few
    slots: Longs | None  # (places, 2) keys and their numbers, if they are not (`chain/core/keys.h`)

    def numbers(self, keys: Longs) -> Ints:
        """The attribute of each key: the default one for UNSEEN and for keys not in the table."""
        if self.direct is not None:
            return self.direct[keys]
        assert self.slots is not None
        numbers = np.empty(len(keys), np.int32)
        _core.look_up(self.slots, keys, self.default, numbers)
        return numbers


def table(components: Ints, ids: Ints, default: int, radices: Sequence[int]) -> Table:
    """A table from its attributes in any order."""
    keys, stages = folded(list(components.T), radices, None, len(components))
    direct = slots = None
    if not stages and (space := prod(radices)) <= 16 * len(ids) + 2**12:
        direct = np.full(space + 2, default, np.int32)  # the last two answer for the keys -2 and -1
        direct[keys], direct[ABSENT] = ids, ABSENT
    else:
        slots = np.empty((2 ** (len(ids) * SPARSE // 2).bit_length(), 2), np.int64)
        _core.fill_keys(keys, ids, slots)
    return Table(components, ids, default, stages, direct, slots)


def folded(
    codes: Sequence[Ints], radices: Sequence[int], stages: tuple[Longs, ...] | None, count: int
) -> tuple[Longs, tuple[Longs, ...]]:
    """One integer for each row of codes: key = (c₁·R₂ + c₂)·R₃ + …, or ABSENT or UNSEEN if a code is.

    Where keys would grow too large, each is replaced by its place in the sorted list of the keys so far. These lists
    are the stages, made here or given.
    """
    keys = np.zeros(count, np.int64)
    absent, unseen = np.zeros(count, bool), np.zeros(count, bool)
    made: list[Longs] = []
    space = 1
    for code, radix in zip(codes, radices, strict=True):
        absent |= code == ABSENT
        unseen |= code == UNSEEN
        if space * radix >= WIDEST:
            stage = np.unique(keys[~(absent | unseen)]) if stages is None else stages[len(made)]
            place = place_in(stage, keys)
            unseen |= place < 0
            keys, space = place, len(stage)
            made.append(stage)
        keys = keys * radix + code
        space *= radix
    keys[unseen] = UNSEEN
    keys[absent] = ABSENT
    return keys, tuple(made)


def place_in(ordered: Longs, wanted: Longs) -> Longs:
    """The place of each key in a sorted list, or -1."""
    if not len(ordered):
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[place] == wanted, place, -1)
