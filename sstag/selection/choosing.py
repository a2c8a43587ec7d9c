"""A selection from beginning to end: candidates, their scores, and those that a budget is spent on."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats, Longs, Singles
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.registry import registered
from sstag.selection.budget import Basket, Budget, by_quota, first_ones, ranked
from sstag.selection.candidates import Candidates, Pool, not_asked_before, single_tokens, unsure_parts, whole_sentences
from sstag.selection.spreading import Field, spread_order
from sstag.selection.strategies import ALIKE, BY, CHANCE, CONFIDENCE, MEANING, QUOTA, SPREADS, STRATEGIES, WORDS


@dataclass(frozen=True)
class Wish:
    """A request to choose from a pool: how, how much, and what is left out."""

    strategy: str
    budget: Budget
    by: str = "q"  # of a quota
    spans: bool = False  # rather than whole sentences
    alike: float | None = None
    seed: int = 1
    confidence: float = CONFIDENCE  # from which on `sesal` does not ask
    alike_by: str = WORDS
    spread: str | None = None  # a way to choose far from what was chosen before

    @property
    def looks_at_meaning(self) -> bool:
        """Whether the choice depends on what sentences mean."""
        return self.spread is not None or self.alike_by == MEANING


@dataclass(frozen=True, eq=False)
class Choice:
    """The candidates that were chosen, the first choice first."""

    candidates: Candidates
    scores: Floats | None  # of each; None if chance decided
    of: int  # how many candidates there were


def chosen(pool: Pool, wish: Wish, before: Iterable[Corpus] = (), label: str = "label", mark: str = "?") -> Choice:
    """The candidates to annotate next.

    `before` are files of earlier choices, which are not asked for again; in their column `label`, `mark` says that a
    label is open.
    """
    _check(pool, wish)
    before = list(before)
    strategy = STRATEGIES[wish.strategy]
    every = _candidates(pool, wish)
    candidates = every.where(not_asked_before(every, pool.corpus, before, label, mark))
    where = BY[wish.by].where if wish.strategy == QUOTA else strategy.where
    rng = np.random.default_rng([wish.seed, 0])
    scores = registered(where)(pool, candidates, rng) if len(candidates) else np.zeros(0)
    meaning = pool.vectors[1][candidates.sentence] if wish.looks_at_meaning else None
    basket = Basket(pool.corpus, candidates, wish.alike, meaning if wish.alike_by == MEANING else None, pool.over)
    if wish.strategy == QUOTA:
        basket = by_quota(basket, scores, wish.budget, [wish.seed, 1])
    elif wish.spread:
        assert meaning is not None
        first_ones(basket, _spread(pool, wish, scores, meaning, before, basket), wish.budget)
    else:
        first_ones(basket, ranked(scores, rng).tolist(), wish.budget)
    order: Longs = np.array(basket.chosen, np.int64)
    return Choice(candidates.where(order), None if wish.strategy == CHANCE else scores[order], len(every))


def _spread(
    pool: Pool, wish: Wish, scores: Floats, meaning: Singles, before: list[Corpus], basket: Basket
) -> Iterator[int]:
    """The candidates in the order of a batch that is spread over what they mean."""
    finite = scores[np.isfinite(scores)]
    weights = np.ones(len(scores)) if wish.strategy == CHANCE else scores - min(finite.min(initial=0.0), 0.0)
    how = pool.vectors[0]
    asked = np.concatenate([meaning[:0], *(how.of(one) for one in before)])
    rng = np.random.default_rng([wish.seed, 2])
    return spread_order(SPREADS[str(wish.spread)], Field(meaning, weights, asked, pool.over), basket, rng)


def _candidates(pool: Pool, wish: Wish) -> Candidates:
    if STRATEGIES[wish.strategy].unsure:
        return unsure_parts(pool, wish.confidence)
    if not wish.spans:
        return whole_sentences(pool)
    if STRATEGIES[wish.strategy].tokens:
        return single_tokens(pool)
    return pool.spans


def check(wish: Wish) -> None:
    """Raises ConfigError for options that are invalid whatever the pool, before anything is computed."""
    if wish.strategy not in STRATEGIES:
        raise ConfigError(f"there is no strategy '{wish.strategy}'{nearest(wish.strategy, STRATEGIES)}")
    if wish.by not in BY:
        raise ConfigError(f"a quota cannot go by '{wish.by}'{nearest(wish.by, BY)}")
    if wish.spans and not STRATEGIES[wish.strategy].spans:
        names = ", ".join(name for name, entry in STRATEGIES.items() if entry.spans)
        raise ConfigError(f"{wish.strategy} asks for whole sentences, not for spans (those that do: {names})")
    if wish.alike is not None and not 0 < wish.alike <= 1:
        raise ConfigError(f"two candidates share from 0 to 1 of their words, not {wish.alike}")
    if wish.alike_by not in ALIKE:
        raise ConfigError(f"candidates are not alike by '{wish.alike_by}'{nearest(wish.alike_by, ALIKE)}")
    if wish.alike_by == MEANING and wish.alike is None:
        raise ConfigError("from which cosine on are two sentences alike by meaning? say it (diverse)")
    if wish.spread is not None and wish.spread not in SPREADS:
        raise ConfigError(f"there is no way to spread '{wish.spread}'{nearest(wish.spread, SPREADS)}")
    if wish.spread and wish.strategy == QUOTA:
        raise ConfigError(f"a {QUOTA} is spread over its groups already: spread another strategy, such as {CHANCE}")
    if wish.spans and (wish.spread or wish.alike_by == MEANING):
        raise ConfigError("spans have no meaning of their own: spread or compare whole sentences")
    if not 0 < wish.confidence <= 1:
        raise ConfigError(f"a confidence is a probability above 0, not {wish.confidence}")


def _check(pool: Pool, wish: Wish) -> None:
    """Refuses a wish that this pool cannot meet."""
    check(wish)
    if STRATEGIES[wish.strategy].model and pool.model is None:
        without = ", ".join(name for name, entry in STRATEGIES.items() if not entry.model)
        raise ConfigError(f"{wish.strategy} asks a model, and there is none (without one: {without})")
    if wish.spans and pool.model is None and pool.terms is None:
        raise ConfigError("which spans? they are those of a list of terms, or of a model")
