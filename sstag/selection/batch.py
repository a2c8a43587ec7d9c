"""A batch of candidates: as many as a budget allows, and none too much like another one.

Two candidates are alike by the words they share out of all that either has (Jaccard 1901); of a span the two words on
either side count, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError
from sstag.selection.candidates import Candidates

AROUND = 2  # words on either side of a span


@dataclass(frozen=True)
class Budget:
    """How much may be asked for: so many candidates, or tokens of them; the other is None."""

    count: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        given = [size for size in (self.count, self.tokens) if size is not None]
        if len(given) != 1 or given[0] < 1:
            raise ConfigError("a budget is a number of candidates or of tokens, from 1 up")


@dataclass(eq=False)
class Batch:
    """What has been chosen so far."""

    corpus: Corpus
    candidates: Candidates
    alike: float | None  # what shares as much with one that is chosen is left out
    chosen: list[int] = field(default_factory=list)
    tokens: int = 0
    _words: list[set[int]] = field(default_factory=list)  # of each
    _having: dict[int, list[int]] = field(default_factory=dict)  # word → which have it among their rare ones

    def add(self, candidate: int) -> bool:
        """Takes a candidate unless it is like one that was taken."""
        if self.alike is not None and not self._is_new(candidate, self.alike):
            return False
        self.chosen.append(candidate)
        self.tokens += int(self.candidates.lengths[candidate])
        return True

    def _is_new(self, candidate: int, alike: float) -> bool:
        """Whether it is like none that was taken; then it is remembered.

        Two that share s of n words share at least one among the n − ⌈s n⌉ + 1 rarest of each, in one order of all words
        (Chaudhuri et al. 2006): only these are looked up.
        """
        rare_first = np.unique(self._rarity[self._around(candidate)]).tolist()
        rare = rare_first[: len(rare_first) - int(np.ceil(alike * len(rare_first) - 1e-9)) + 1]
        words = set(rare_first)
        for one in {one for word in rare for one in self._having.get(word, ())}:
            other = self._words[one]
            shared = len(words & other)
            if shared >= alike * (len(words) + len(other) - shared):
                return False
        for word in rare:
            self._having.setdefault(word, []).append(len(self._words))
        self._words.append(words)
        return True

    @cached_property
    def _rarity(self) -> Longs:
        """The place of each token's word among all, by how often they occur in the pool."""  # (T,)
        codes = self.corpus.codes[self.corpus.word_column]
        order = np.argsort(np.bincount(codes), kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        result: Longs = place[codes]
        return result

    def _around(self, candidate: int) -> slice:
        """The tokens of a candidate, of a span also those beside it."""
        here = self.candidates
        begin, end = self.corpus.offsets[here.sentence[candidate] : here.sentence[candidate] + 2].tolist()
        return slice(max(int(here.first[candidate]) - AROUND, begin), min(int(here.stop[candidate]) + AROUND, end))


def first_ones(batch: Batch, order: Iterable[int], budget: Budget) -> None:
    """Takes candidates in an order, as many as the budget allows; what has more tokens than are left is passed over."""
    lengths = batch.candidates.lengths.tolist()
    shortest = min(lengths, default=0)
    for candidate in order:
        if budget.count == len(batch.chosen) or (budget.tokens or np.inf) < batch.tokens + shortest:
            return
        if budget.tokens is None or batch.tokens + lengths[candidate] <= budget.tokens:
            batch.add(candidate)


def ranked(scores: Floats, rng: np.random.Generator) -> Longs:
    """The candidates, the largest score first, ties by chance; what has −∞ is none."""
    shuffled = rng.permutation(len(scores))
    order = shuffled[np.argsort(-scores[shuffled], kind="stable")]
    result: Longs = order[scores[order] > -np.inf]
    return result


def groups(values: Floats, count: int, rng: np.random.Generator) -> list[Longs]:
    """The candidates by value, the largest first, in groups whose sizes differ by at most one, each group shuffled.

    Quota sampling (Sokolovska 2011, §5) draws one from each: the first of each is a uniform draw.
    """
    shuffled = rng.permutation(len(values))
    order = shuffled[np.argsort(-values[shuffled], kind="stable")]
    return [rng.permutation(group) for group in np.array_split(order, count)]


def by_quota(batch: Batch, values: Floats, budget: Budget, seed: Sequence[int]) -> Batch:
    """One candidate from each of as many groups as the budget allows.

    A budget of tokens is met by drawing again from fewer groups until it is not exceeded.
    """
    lengths = batch.candidates.lengths
    count = budget.count
    if budget.tokens is not None:
        count = int(np.ceil(budget.tokens / lengths.mean()))
    assert count is not None
    count = min(count, len(values))
    while count:
        drawn = Batch(batch.corpus, batch.candidates, batch.alike)
        for group in groups(values, count, np.random.default_rng(seed)):
            any(drawn.add(one) for one in group.tolist())
        if budget.tokens is None or drawn.tokens <= budget.tokens:
            return drawn
        count = min(count - 1, int(count * budget.tokens / drawn.tokens))
    return Batch(batch.corpus, batch.candidates, batch.alike)
