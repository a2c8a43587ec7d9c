"""Regions: runs of tokens that some source's chunk holds together, so that they are decided together.

    neighbours t − 1, t are one region  ⇔  some source has a chunk that has both, or
                                           (IOB1, IOE1) two chunks of one type that touch there, or an undecided label

In a region the answers of the sources are compared and chosen as wholes. Regions do not touch each other's chunks, so
an answer of one source in one region and of another in the next is no mixture.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.knowledge.annotators.votes import Votes
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.tagset import Tagset

MOST_WAYS = 20_000
DEPENDENT = ("iob1", "ioe1")  # schemes whose tags depend on the chunk beside them


def regions(votes: Votes) -> Longs:
    """The offsets of the regions: region r is tokens offsets[r]:offsets[r + 1]."""  # (R + 1,)
    tokens = votes.votes.shape[1]
    held = np.zeros(tokens, bool)  # to the token before
    tags = votes.tags
    if tags.scheme != "plain":
        for row in range(len(votes.names)):
            held[1:] |= _held(votes, row)
    held[votes.offsets[:-1]] = False
    return np.append(np.flatnonzero(~held), tokens)


def _held(votes: Votes, source: int) -> Bools:
    """Whether a source's labels hold each token, from the second on, to the one before it."""
    tags, single, said = votes.tags, votes.single[source], votes.said[source]
    left, right = single[:-1], single[1:]
    both = tags.inside[left] & tags.inside[right]
    held: Bools = both & ~tags.divided[left, right]
    if tags.scheme in DEPENDENT:
        held |= both & tags.same_type[left, right]
    several = said & (single == UNDECIDED)
    held |= (several[:-1] & said[1:]) | (several[1:] & said[:-1])
    return held


def runs_in_conflict(votes: Votes, offsets: Longs) -> Iterator[tuple[int, int]]:
    """The regions where two sources do not allow one labelling, as first token and the token after the last."""
    common = np.ones((votes.votes.shape[1], len(votes.labels)), bool)
    for row in votes.votes:
        common &= votes.sets[row]
    unlike = ~common.any(axis=1)
    for region in np.flatnonzero(np.logical_or.reduceat(unlike, offsets[:-1])).tolist():
        yield int(offsets[region]), int(offsets[region + 1])


def mixtures(tags: Tagset, answers: Sequence[Bools], left: Bools, right: Bools) -> int:
    """How many well-formed labellings the union of answers allows, token by token, though no answer does.

    Labellings are counted from left to right, by their last label and by the answers that allow all of it so far.
    `left` and `right` are (L + 1,): which labels, or the edge of the sentence (L), may stand beside the region.
    If they are too many ways to count, that is one.
    """  # answers: each (n, L)
    count = len(tags.labels)
    legal: Bools = tags.legal[: count + 1, : count + 1]
    ways: dict[tuple[int, int], int] = {(label, (1 << len(answers)) - 1): 1 for label in np.flatnonzero(left).tolist()}
    for place in range(len(answers[0])):
        within = [sum(1 << n for n, one in enumerate(answers) if one[place, label]) for label in range(count)]
        further: dict[tuple[int, int], int] = {}
        for (before, agreeing), number in ways.items():
            for label in range(count):
                if within[label] and legal[before, label]:
                    key = label, agreeing & within[label]
                    # What stands before the region is not counted: one way is enough to come in.
                    further[key] = further.get(key, 0) + number if place else 1
        ways = further
        if len(ways) > MOST_WAYS:
            return 1
    ends: Bools = np.logical_or.reduce(legal[:, right], axis=1)
    return sum(number for (label, agreeing), number in ways.items() if not agreeing and ends[label])


def labellings(votes: Votes, first: int, stop: int) -> list[tuple[int, ...]]:
    """The different answers to a region, as rows of `votes.sets`, in the order of their first sources."""
    return [row for row in dict.fromkeys(map(tuple, votes.votes[:, first:stop].tolist())) if any(row)]


def decided_answers(votes: Votes, first: int, stop: int) -> dict[tuple[int, ...], list[int]]:
    """The answers of those sources that give every token of a region one label, as labels, each with its sources."""
    found: dict[tuple[int, ...], list[int]] = {}
    part: Ints = votes.single[:, first:stop]
    for source in np.flatnonzero((part != UNDECIDED).all(axis=1)).tolist():
        found.setdefault(tuple(part[source].tolist()), []).append(source)
    return found
