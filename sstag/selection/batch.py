"""A batch of candidates: as many as a budget allows, and none too much like another one.

Two candidates are alike by the words they share out of all that either has (Jaccard 1901); of a span the two words on
either side count, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sstag.arrays import Floats, Longs
from sstag.corpus import Corpus
from sstag.errors import ConfigError
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
    _sizes: list[int] = field(default_factory=list)  # different words of each
    _having: dict[int, list[int]] = field(default_factory=dict)  # word → which have it

    def add(self, candidate: int) -> bool:
        """Takes a candidate unless it is like one that was taken."""
        if self.alike is not None:
            words = self._words(candidate)
            if self._is_alike(words, self.alike):
                return False
            for word in words:
                self._having.setdefault(word, []).append(len(self.chosen))
            self._sizes.append(len(words))
        self.chosen.append(candidate)
        self.tokens += int(self.candidates.lengths[candidate])
        return True

    def _words(self, candidate: int) -> list[int]:
        corpus, here = self.corpus, self.candidates
        first, stop, sentence = (int(each[candidate]) for each in (here.first, here.stop, here.sentence))
        bounds = corpus.offsets[sentence : sentence + 2].tolist()
        around = slice(max(first - AROUND, bounds[0]), min(stop + AROUND, bounds[1]))
        words: list[int] = np.unique(corpus.codes[corpus.word_column][around]).tolist()
        return words

    def _is_alike(self, words: Sequence[int], alike: float) -> bool:
        having = [one for word in words for one in self._having.get(word, ())]
        if not having:
            return False
        shared = np.bincount(having, minlength=len(self._sizes))
        return bool((shared >= alike * (len(words) + np.array(self._sizes) - shared)).any())


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
