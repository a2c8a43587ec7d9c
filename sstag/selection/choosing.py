"""A selection from beginning to end: candidates, their scores, and those that a budget is spent on."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.sentence_vectors import SentenceVectors
from sstag.foundation.arrays import Floats, Longs, Singles
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.parallel import Over
from sstag.foundation.registry import registered
from sstag.selection.budget import Basket, Budget, by_quota, first_ones, ranked
from sstag.selection.candidates import (
    Candidates,
    Earlier,
    Pool,
    asked_before,
    not_asked_before,
    single_tokens,
    unsure_parts,
    whole_sentences,
)
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


@dataclass(frozen=True, eq=False)
class Scored:
    """The candidates that were not asked for before, a score for each, and how many there were with these."""

    candidates: Candidates
    scores: Floats
    of: int


def chosen(pool: Pool, wish: Wish, before: Iterable[Corpus] = (), label: str = "label", mark: str = "?") -> Choice:
    """The candidates to annotate next.

    `before` are files of earlier choices, which are not asked for again; in their column `label`, `mark` says that a
    label is open.
    """
    _check(pool, wish)
    before = list(before)
    rng = random_of(wish)
    found = scored(pool, wish, asked_before(before, label, mark), rng)
    meaning = pool.vectors[1][found.candidates.sentence] if wish.looks_at_meaning else None
    basket = Basket(pool.corpus, found.candidates, wish.alike, meaning if wish.alike_by == MEANING else None, pool.over)
    points = None
    if wish.spread:
        assert meaning is not None
        points = field_of(pool.vectors[0], meaning, wish, found.scores, before, pool.over)
    return taken(basket, found, wish, rng, points)


def random_of(wish: Wish) -> np.random.Generator:
    """The source of chance for scores, and for the order of equal ones."""
    return np.random.default_rng([wish.seed, 0])


def scored(pool: Pool, wish: Wish, before: Earlier, rng: np.random.Generator) -> Scored:
    """The candidates of a pool; what is not by chance is about each sentence alone, whatever stands beside it."""
    every = _candidates(pool, wish)
    candidates = every.where(not_asked_before(every, pool.corpus, before))
    where = BY[wish.by].where if wish.strategy == QUOTA else STRATEGIES[wish.strategy].where
    scores = registered(where)(pool, candidates, rng) if len(candidates) else np.zeros(0)
    return Scored(candidates, scores, len(every))


def taken(basket: Basket, found: Scored, wish: Wish, rng: np.random.Generator, points: Field | None) -> Choice:
    """The choice among candidates that are scored; `points` say where they stand, if it is spread."""
    if wish.strategy == QUOTA:
        basket = by_quota(basket, found.scores, wish.budget, [wish.seed, 1])
    elif points is not None:
        way = SPREADS[str(wish.spread)]
        first_ones(basket, spread_order(way, points, basket, np.random.default_rng([wish.seed, 2])), wish.budget)
    else:
        first_ones(basket, ranked(found.scores, rng).tolist(), wish.budget)
    order: Longs = np.array(basket.chosen, np.int64)
    scores = None if wish.strategy == CHANCE else found.scores[order]
    return Choice(found.candidates.where(order), scores, found.of)


def field_of(
    how: SentenceVectors, meaning: Singles, wish: Wish, scores: Floats, before: Iterable[Corpus], over: Over
) -> Field:
    """The candidates as points, whose vectors are `meaning`."""
    finite = scores[np.isfinite(scores)]
    weights = np.ones(len(scores)) if wish.strategy == CHANCE else scores - min(finite.min(initial=0.0), 0.0)
    return Field(meaning, weights, np.concatenate([meaning[:0], *(how.of(one) for one in before)]), over)


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
    check_known(wish, pool.model is not None, pool.terms is not None)


def check_known(wish: Wish, model: bool, terms: bool) -> None:
    """Raises ConfigError if a wish needs a model, or a list of terms, that is not there."""
    if STRATEGIES[wish.strategy].model and not model:
        without = ", ".join(name for name, entry in STRATEGIES.items() if not entry.model)
        raise ConfigError(f"{wish.strategy} asks a model, and there is none (without one: {without})")
    if wish.spans and not (model or terms):
        raise ConfigError("which spans? they are those of a list of terms, or of a model")
