"""A selection from beginning to end: candidates, their scores, and those that a budget is spent on."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.registry import registered
from sstag.selection.budget import Basket, Budget, by_quota, first_ones, ranked
from sstag.selection.candidates import Candidates, Pool, not_asked_before, single_tokens, unsure_parts, whole_sentences
from sstag.selection.strategies import BY, CHANCE, CONFIDENCE, QUOTA, STRATEGIES


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
    strategy = STRATEGIES[wish.strategy]
    every = _candidates(pool, wish)
    candidates = every.where(not_asked_before(every, pool.corpus, before, label, mark))
    where = BY[wish.by].where if wish.strategy == QUOTA else strategy.where
    rng = np.random.default_rng([wish.seed, 0])
    scores = registered(where)(pool, candidates, rng) if len(candidates) else np.zeros(0)
    basket = Basket(pool.corpus, candidates, wish.alike)
    if wish.strategy == QUOTA:
        basket = by_quota(basket, scores, wish.budget, [wish.seed, 1])
    else:
        first_ones(basket, ranked(scores, rng).tolist(), wish.budget)
    order: Longs = np.array(basket.chosen, np.int64)
    return Choice(candidates.where(order), None if wish.strategy == CHANCE else scores[order], len(every))


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
