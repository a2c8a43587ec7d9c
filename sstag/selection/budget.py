"""How a budget is spent: on as many candidates as it allows, none of them too much like another one.

Two candidates are alike by the words they share out of all that either has (Jaccard 1901); of a span the two words on
either side count, too. Or they are alike by what they mean: by the cosine of their vectors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.sentence_vectors import cosines
from sstag.foundation.arrays import Bools, Floats, Longs, Singles
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import Over, one_by_one
from sstag.selection.candidates import Candidates

AROUND = 2  # words on either side of a span


@dataclass(frozen=True)
class Budget:
    """The most that may be asked for: a number of candidates or a number of their tokens; the other is None."""

    count: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        given = [size for size in (self.count, self.tokens) if size is not None]
        if len(given) != 1 or given[0] < 1:
            raise ConfigError("a budget is a number of candidates or of tokens, from 1 up")


@dataclass(eq=False)
class Basket:
    """The candidates chosen so far; each was unlike those before it."""

    corpus: Corpus
    candidates: Candidates
    alike: float | None  # a candidate that shares this much of its words with a chosen one is left out; None: none is
    meaning: Singles | None = None  # (C, D) vectors by whose cosines candidates are alike, rather than by their words
    over: Over = one_by_one
    rarity: Longs | None = None  # (T,) a number for each token's word; None: its place by how often it occurs
    chosen: list[int] = field(default_factory=list)
    tokens: int = 0
    _words: list[set[int]] = field(default_factory=list)  # of each chosen one
    _left_out: Bools | None = None  # (C,) which are alike by meaning to a chosen one
    _having: dict[int, list[int]] = field(default_factory=dict)  # word → which have it among their rare ones

    def add(self, candidate: int) -> bool:
        """Takes a candidate unless it is like one that was taken."""
        is_new = self._shares_few_words if self.meaning is None else self._is_far
        if self.alike is not None and not is_new(candidate, self.alike):
            return False
        self.chosen.append(candidate)
        self.tokens += int(self.candidates.lengths[candidate])
        return True

    def empty(self) -> "Basket":
        """A basket for the same candidates, without any."""
        return Basket(self.corpus, self.candidates, self.alike, self.meaning, self.over, self.rarity)

    def _is_far(self, candidate: int, alike: float) -> bool:
        """Whether a candidate means something else than all that were taken; if so, what is near it is left out."""
        assert self.meaning is not None
        if self._left_out is None:
            self._left_out = np.zeros(len(self.candidates), bool)
        if self._left_out[candidate]:
            return False
        near = cosines(self.meaning, self.meaning[candidate : candidate + 1], self.over)[:, 0]
        self._left_out |= near >= alike
        return True

    def _shares_few_words(self, candidate: int, alike: float) -> bool:
        """Whether a candidate is like none that was taken; if so it is remembered.

        Two that share s of n words share at least one among the n − ⌈s n⌉ + 1 rarest of each, in one order of all words
        (Chaudhuri et al. 2006): only these are looked up. Another order of all words gives the same answers, later.
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
        if self.rarity is not None:
            return self.rarity
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


def first_ones(basket: Basket, order: Iterable[int], budget: Budget) -> None:
    """Puts candidates into a basket in an order until the budget is spent.

    A candidate with more tokens than are left is passed over, since a shorter one may follow.
    """
    lengths = basket.candidates.lengths.tolist()
    shortest = min(lengths, default=0)
    for candidate in order:
        if budget.count == len(basket.chosen) or (budget.tokens or np.inf) < basket.tokens + shortest:
            return
        if budget.tokens is None or basket.tokens + lengths[candidate] <= budget.tokens:
            basket.add(candidate)


def ranked(scores: Floats, rng: np.random.Generator) -> Longs:
    """The candidates whose score is not −∞, the largest score first, and equal ones in an order by chance."""
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


def by_quota(basket: Basket, values: Floats, budget: Budget, seed: Sequence[int]) -> Basket:
    """A basket with one candidate from each of as many groups as the budget allows.

    A budget of tokens is met by drawing again from fewer groups until it is not exceeded.
    """
    lengths = basket.candidates.lengths
    count = budget.count
    if budget.tokens is not None:
        count = int(np.ceil(budget.tokens / lengths.mean()))
    assert count is not None
    count = min(count, len(values))
    while count:
        drawn = basket.empty()
        for group in groups(values, count, np.random.default_rng(seed)):
            any(drawn.add(one) for one in group.tolist())
        if budget.tokens is None or drawn.tokens <= budget.tokens:
            return drawn
        count = min(count - 1, int(count * budget.tokens / drawn.tokens))
    return basket.empty()
