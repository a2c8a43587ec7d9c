"""Labellings with some chunks and without others, as the paths of a larger chain.

    Z of the larger chain = Σ exp score(y) over the y that have every accepted chunk and none of the rejected ones

A chunk is a run of labels of one kind that goes on at the steps within it and at none into it or out of it; which
steps go on is `joined`. A state of the larger chain is a label, or a label in a chunk that began where a rejected one
of its kind begins: such a chunk may not end where a rejected one ends. There is one sequence of states for every
labelling that is left, so log Z, marginals and whatever else a lattice answers are exact for any number of chunks,
and cost O(n (L + c R)²) for c rejected chunks open at once, of kinds with at most R labels. Without chunks it is the
chain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from sstag.chain.forward_backward import refuse_size, whole_vectors
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.ranges import offsets_of, rows_of


@dataclass(frozen=True, eq=False)
class KnownChunks:
    """Chunks of a text that are there, or are not, and what a chunk is."""

    first: Longs  # (N,) positions
    stop: Longs
    kind: Longs
    accepted: Bools
    kinds: Longs  # (L,) the kind of each label, -1 for none
    joined: Bools  # (L, L) [from, to], the steps at which a chunk goes on

    def sentences(self, offsets: Longs) -> Longs:
        """The sentence of each chunk."""
        found: Longs = np.searchsorted(offsets, self.first, side="right") - 1
        return found

    def part(self, chosen: Bools | slice, moved: Longs | int) -> "KnownChunks":
        """Some of the chunks, each so many positions further to the left."""
        first, stop = self.first[chosen] - moved, self.stop[chosen] - moved
        return KnownChunks(first, stop, self.kind[chosen], self.accepted[chosen], self.kinds, self.joined)

    def alone(self, offsets: Longs) -> "tuple[Longs, KnownChunks]":
        """The sentences that have a chunk, and the chunks as positions of a text of these sentences alone."""
        chosen, place = np.unique(self.sentences(offsets), return_inverse=True)
        ends, _ = rows_of(offsets, chosen)
        return chosen, self.part(slice(None), (offsets[chosen] - ends[:-1])[place])


class Watch(NamedTuple):
    """The rejected chunks of one kind that begin at one position."""

    first: int
    kind: int
    stops: frozenset[int]


Event: TypeAlias = tuple[int, int, bool, bool]  # place, kind, whether it is still watched, whether it may not end
Step: TypeAlias = tuple[int, tuple[Event, ...], tuple[tuple[int, int], ...], bool, bool]


@dataclass(frozen=True, eq=False)
class Automaton:
    """The larger chain of some sentences of a batch, with M states and J edge matrices."""

    sentences: Longs  # (S',) of the batch
    rows: Longs  # (T',) positions of the batch
    offsets: Longs  # (S' + 1,)
    label: Longs  # (T', M) the label of each state
    open: Bools  # (T', M) the states that there are
    base: Longs  # (J,) the edge matrix of the batch that each comes from
    steps: Longs  # (J, M, M) its cell, in a flat matrix
    may: Bools  # (J, M, M) the steps between states that there are
    edge_index: Ints  # (T',)

    def potentials(self, pot: Potentials) -> Potentials:
        """The scores of the larger chain."""
        unary = np.where(self.open, pot.unary[self.rows[:, None], self.label], -np.inf)
        flat = pot.edge.reshape(len(pot.edge), -1)
        edge = np.where(self.may, flat[self.base[:, None, None], self.steps], -np.inf)
        return Potentials(unary, edge, self.edge_index, self.offsets)

    def add(self, d: Potentials, unary: Floats, edge: Floats) -> None:
        """Adds a gradient in the larger chain's scores to one in those of the batch."""
        labels = unary.shape[1]
        cells = np.arange(len(self.rows))[:, None] * labels + self.label
        found = np.bincount(cells.ravel(), d.unary.ravel(), len(self.rows) * labels)
        unary[self.rows] += found.reshape(-1, labels)
        cells = self.base[:, None, None] * labels**2 + self.steps
        edge += np.bincount(cells.ravel(), d.edge.ravel(), edge.size).reshape(edge.shape)


def automata(chunks: KnownChunks, pot_index: Ints, offsets: Longs, allowed: Bools | None) -> list[Automaton]:
    """The larger chains of the sentences of a batch that have a chunk, those of about one size together.

    `pot_index` is the edge matrix that leads into each position; `allowed` (T, L) says which labels there may be.
    """
    owner = chunks.sentences(offsets)
    made: dict[int, list[_Sentence]] = {}
    roles = int(np.bincount(chunks.kinds[chunks.kinds >= 0], minlength=1).max())
    for sentence in np.unique(owner).tolist():
        begin, end = offsets[sentence : sentence + 2].tolist()
        one = _Sentence(sentence, begin, end, *_watched(chunks.part(owner == sentence, begin)))
        made.setdefault(whole_vectors(len(chunks.kinds) + roles * one.places), []).append(one)
    return [_automaton(chunks, some, roles, pot_index, allowed) for _, some in sorted(made.items())]


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a batch: what is watched in it and the place of each, and the accepted chunks."""

    number: int
    begin: int
    end: int
    watches: tuple[Watch, ...]
    place: tuple[int, ...]
    accepted: tuple[tuple[int, int, int], ...]  # first, stop, kind

    @property
    def places(self) -> int:
        return max(self.place, default=-1) + 1


def _watched(chunks: KnownChunks) -> tuple[tuple[Watch, ...], tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """All that is watched, each at the first place that is vacant when it begins; and the accepted chunks."""
    stops: dict[tuple[int, int], set[int]] = {}
    accepted = []
    every = zip(*(one.tolist() for one in (chunks.first, chunks.stop, chunks.kind, chunks.accepted)), strict=True)
    for first, stop, kind, is_there in every:
        if is_there:
            accepted.append((first, stop, kind))
        else:
            stops.setdefault((first, kind), set()).add(stop)
    watches = tuple(Watch(*key, frozenset(stops[key])) for key in sorted(stops))
    vacant: list[int] = []  # until when each place is taken
    place = []
    for watch in watches:
        found = next((number for number, until in enumerate(vacant) if until <= watch.first), len(vacant))
        vacant[found : found + 1] = [max(watch.stops)]
        place.append(found)
    return watches, tuple(place), tuple(accepted)


def _automaton(
    chunks: KnownChunks, some: Sequence[_Sentence], roles: int, pot_index: Ints, allowed: Bools | None
) -> Automaton:
    """The larger chain of some sentences of about one size."""
    labels = len(chunks.kinds)
    size = labels + roles * max(one.places for one in some)
    offsets = offsets_of(np.array([one.end - one.begin for one in some]))
    refuse_size(int(offsets[-1]), size, 1)
    label = np.zeros((int(offsets[-1]), size), np.int64)
    label[:, :labels] = np.arange(labels)
    open_states = np.zeros(label.shape, bool)
    number: dict[Step, int] = {}
    index = np.zeros(len(label), np.int32)
    members = [np.flatnonzero(chunks.kinds == kind) for kind in range(int(chunks.kinds.max(initial=-1)) + 1)]
    rows = np.concatenate([np.arange(one.begin, one.end) for one in some])
    for one, at in zip(some, offsets[:-1].tolist(), strict=True):
        here = slice(at, at + one.end - one.begin)
        states, there = label[here], open_states[here]
        there[:, :labels] = True
        for watch, place in zip(one.watches, one.place, strict=True):
            own, until = members[watch.kind], max(watch.stops)
            columns = slice(labels + place * roles, labels + place * roles + len(own))
            states[watch.first : until, columns] = own
            there[watch.first : until, columns] = True
            if watch.first == 0:
                there[0, own] = False
            if until == len(states):
                there[-1, columns] = False
        for first, stop, kind in one.accepted:
            there[first:stop] &= chunks.kinds[states[first:stop]] == kind
        if allowed is not None:
            there &= np.take_along_axis(allowed[one.begin : one.end], states, axis=1)
        for t, step in enumerate(_steps(one, pot_index), 1):
            index[at + t] = number.setdefault(step, len(number))
    refuse_size(len(label), size, len(number))
    steps, may = np.zeros((2, len(number), size, size), np.int64)
    base = np.array([step[0] for step in number] or [0], np.int64)[: len(number)]
    for step, place in number.items():
        steps[place], may[place] = _matrix(chunks, members, roles, size, step)
    return Automaton(
        np.array([one.number for one in some]), rows, offsets, label, open_states, base, steps, may.astype(bool), index
    )


def _steps(one: _Sentence, pot_index: Ints) -> Iterator[Step]:
    """The differences between the steps that lead into the second, third, … position of a sentence."""
    joined, cut = set[int](), set[int]()
    for first, stop, _ in one.accepted:
        joined.update(range(first + 1, stop))
        cut.update((first, stop))
    for t in range(1, one.end - one.begin):
        before, begun = list[Event](), list[tuple[int, int]]()
        for watch, place in zip(one.watches, one.place, strict=True):
            if watch.first < t <= max(watch.stops):
                before.append((place, watch.kind, t < max(watch.stops), t in watch.stops))
            elif watch.first == t:
                begun.append((place, watch.kind))
        yield int(pot_index[one.begin + t]), tuple(before), tuple(begun), t in joined, t in cut


def _matrix(chunks: KnownChunks, members: Sequence[Longs], roles: int, size: int, step: Step) -> tuple[Longs, Bools]:
    """The cells that the steps between states have in a matrix of labels, and which of them there are."""
    _, before, begun, must_join, must_cut = step
    labels, free = len(chunks.kinds), -1
    from_label, to_label = np.zeros((2, size), np.int64)
    from_label[:labels] = to_label[:labels] = np.arange(labels)
    origin, target, goes_to = (np.full(size, free - 1) for _ in range(3))  # which beginning; free - 1: no such state
    origin[:labels] = target[:labels] = goes_to[:labels] = free
    may_end = np.ones(size, bool)
    for place, kind, watched, ending in before:
        own = slice(labels + place * roles, labels + place * roles + len(members[kind]))
        from_label[own], origin[own] = members[kind], place
        goes_to[own] = place if watched else free
        may_end[own] = not ending
        if watched:
            to_label[own], target[own] = members[kind], place
    opens = np.full(labels, free)  # where a chunk that begins with a label is watched
    for place, kind in begun:
        own = slice(labels + place * roles, labels + place * roles + len(members[kind]))
        to_label[own], target[own], opens[members[kind]] = members[kind], place, place
    goes_on = chunks.joined[np.ix_(from_label, to_label)]
    onward = goes_on & (goes_to[:, None] == target)
    anew = ~goes_on & may_end[:, None] & (opens[to_label] == target)
    may = (onward & (not must_cut)) | (anew & (not must_join))
    may &= (origin >= free)[:, None] & (target >= free)
    return from_label[:, None] * labels + to_label, may
