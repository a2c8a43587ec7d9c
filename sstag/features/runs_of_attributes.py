"""The attributes of a text that was looked at in parts: sorted runs, one for each part, of which stretches are merged.

A run has the distinct attributes of a feature in one part of the text, in the order of their values, with how often
they occur and where first. Runs stay where their parts are, in files if these are large. A merge takes from each run
the attributes between two bounds, which a sample of the runs tells, and adds them up in pairs: so no more than a
stretch is in memory, and what comes of it are the attributes that occur often enough.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from sstag.features.attribute_tables import WIDEST
from sstag.features.same_text import Found
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.parallel import Over
from sstag.foundation.shelves import Asked, Shelf

TOGETHER = 2**22  # attributes of all runs between two bounds, about
SAMPLED = 2**9  # of the attributes of a stretch, from which bounds are chosen


@dataclass(frozen=True, eq=False)
class Run:
    """Attributes of a feature, sorted; their values are `keys`, and `rest` where one number cannot hold them all."""

    keys: Longs  # (A,)
    rest: Ints  # (A, terms)
    first: Longs  # (A,) the first token that has it
    counts: Longs  # (A,)
    suspect: Bools  # (A,) whether it might have the text of another one, and stays however rare it is

    def __len__(self) -> int:
        return len(self.keys)

    def at(self, some: slice | Bools | Longs) -> "Run":
        """Some of its attributes."""
        return Run(self.keys[some], self.rest[some], self.first[some], self.counts[some], self.suspect[some])

    def between(self, low: int | None, high: int | None) -> "Run":
        """The attributes of a stretch; None stands for the beginning and the end."""
        bounds = (None if bound is None else int(np.searchsorted(self.keys, bound)) for bound in (low, high))
        return self.at(slice(*bounds))

    def __add__(self, other: "Run") -> "Run":
        """The attributes of both; what both have is counted together, and was first where it was first of all."""
        both = joined((self, other))
        order = np.lexsort((*both.rest.T[::-1], both.keys)) if both.rest.shape[1] else both.keys.argsort(kind="stable")
        both = both.at(order)
        new = np.ones(len(both), bool)
        new[1:] = (both.keys[1:] != both.keys[:-1]) | (both.rest[1:] != both.rest[:-1]).any(axis=1)
        starts = np.flatnonzero(new)
        if len(starts) == len(new):
            return both
        first, counts = np.minimum.reduceat(both.first, starts), np.add.reduceat(both.counts, starts)
        return Run(both.keys[starts], both.rest[starts], first, counts, both.suspect[starts])


def joined(runs: Sequence[Run]) -> Run:
    """Runs one after another."""
    return Run(
        np.concatenate([one.keys for one in runs]),
        np.concatenate([one.rest for one in runs]),
        np.concatenate([one.first for one in runs]),
        np.concatenate([one.counts for one in runs]),
        np.concatenate([one.suspect for one in runs]),
    )


def run_of(found: Found, radices: Sequence[int], suspect: Bools) -> Run:
    """The attributes that were found in a part of a text as a run."""
    leading = _leading(radices)
    keys = np.zeros(len(found.first), np.int64)
    for codes, radix in zip(found.components.T, radices[:leading], strict=False):
        keys *= radix
        keys += codes
    return Run(keys, found.components[:, leading:], found.first, found.counts, suspect)


def found_in(run: Run, radices: Sequence[int]) -> Found:
    """The attributes of a run with all their values."""
    leading = _leading(radices)
    components = np.empty((len(run), len(radices)), np.int32)
    components[:, leading:] = run.rest
    keys = run.keys
    for place in range(leading - 1, -1, -1):
        keys, components[:, place] = np.divmod(keys, max(radices[place], 1))
    return Found(components, run.first, run.counts)


def merged_runs(runs: Shelf[list[Run]], here: Sequence[Run] | None, minimum_count: int) -> list[Run]:
    """The attributes of each feature that occur often enough, or are suspect, in all parts and `here`."""
    samples = runs.each(_sample)
    asked: list[Asked[Run]] = []
    features: list[int] = []
    for feature, of_parts in enumerate(zip(*samples, strict=True)):
        for low, high in pairwise(_bounds(of_parts)):
            own = here[feature].between(low, high) if here else None
            features.append(feature)
            asked.append((partial(_stretch, feature=feature, low=low, high=high), partial(_often, own, minimum_count)))
    parts: list[list[Run]] = [[] for _ in samples[0]]
    for feature, part in zip(features, runs.sums(asked), strict=True):
        parts[feature].append(part)
    return [joined(some) for some in parts]


def _sample(runs: list[Run], over: Over) -> list[tuple[int, Longs]]:
    """How many attributes of each feature a part has, and evenly chosen ones of them."""
    return [(len(run), run.keys[:: max(TOGETHER // SAMPLED, 1)].copy()) for run in runs]


def _bounds(of_parts: Sequence[tuple[int, Longs]]) -> Iterator[int | None]:
    """Where the stretches of about TOGETHER attributes begin and end."""
    yield None
    sample = np.sort(np.concatenate([keys for _, keys in of_parts]))
    count = -(-sum(size for size, _ in of_parts) // TOGETHER)
    yield from np.unique(sample[[len(sample) * i // count for i in range(1, count)]]).tolist()
    yield None


def _stretch(runs: list[Run], over: Over, feature: int, low: int | None, high: int | None) -> Run:
    return runs[feature].between(low, high)


def _often(here: Run | None, minimum_count: int, run: Run) -> Run:
    every = here + run if here else run
    return every.at((every.counts >= minimum_count) | every.suspect)


def _leading(radices: Sequence[int]) -> int:
    """How many leading values can be folded into one number."""
    space = 1
    for place, radix in enumerate(radices):
        space *= max(radix, 1)
        if space >= WIDEST:
            return place
    return len(radices)
