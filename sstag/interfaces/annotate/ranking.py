"""An order in which texts of the pool are worth asking about, found on a part of it that is drawn at random."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of
from sstag.foundation.arrays import Longs
from sstag.foundation.parallel import Over, one_by_one
from sstag.interfaces.annotate.pool import Pool
from sstag.model.model import Model
from sstag.selection.budget import Budget
from sstag.selection.candidates import Pool as Candidates
from sstag.selection.choosing import Wish, chosen
from sstag.selection.strategies import QUOTA

DRAWN_WITHOUT_MODEL, DRAWN = 2_000, 10_000
MOST = Budget(count=500)
SHORT = 0.25  # the share of texts that are too short to begin with


@dataclass(frozen=True, eq=False)
class Sample:
    """Texts drawn from a pool: their numbers there, and themselves."""

    numbers: Longs  # (S,)
    corpus: Corpus


def sample(pool: Pool, count: int, rng: np.random.Generator, without: Collection[str] = ()) -> Sample:
    """Texts drawn at random, at most so many, without those of some hashes."""
    few = count + len(without) < pool.texts // 2
    drawn = np.unique(rng.integers(0, pool.texts, count + len(without))) if few else np.arange(pool.texts)
    numbers = [number for number in rng.permutation(drawn).tolist() if pool.hash(number) not in without][:count]
    rows = []
    for number in numbers:
        text = pool.text(number)
        columns = list(text.columns.values())
        rows.append(list(zip(*columns, strict=True)) if len(columns) > 1 else [*columns[0]])
    return Sample(np.array(numbers, np.int64), corpus_of(rows, pool.parts[0].corpus.columns))


def ranked(of: Sample, strategy: str, seed: int, over: Over, model: Model) -> Longs:
    """The numbers of the texts of a sample that a strategy chooses, the best first."""
    result: Longs = of.numbers[_chosen(Candidates(of.corpus, None, over, model), Wish(strategy, MOST, seed=seed))]
    return result


def ranked_without_model(of: Sample, seed: int, together: int) -> Longs:
    """The numbers of the texts to begin with: so many one after another are spread from usual to unusual words.

    A quota by q(x) per token chooses them; the shortest quarter, in which there is least to learn, comes last.
    """
    sentences = _chosen(Candidates(of.corpus, None, one_by_one), Wish(QUOTA, MOST, by="q-per-token", seed=seed))
    apart = -(-len(sentences) // together)
    dealt = np.concatenate([sentences[begin::apart] for begin in range(apart)] or [sentences])
    lengths = np.diff(of.corpus.offsets)[dealt]
    is_short = lengths < np.quantile(lengths, SHORT) if len(lengths) else lengths > 0
    result: Longs = of.numbers[np.concatenate([dealt[~is_short], dealt[is_short]])]
    return result


def _chosen(pool: Candidates, wish: Wish) -> Longs:
    """The sentences that are chosen, none if there is none."""
    if not pool.corpus.sentences:
        return np.zeros(0, np.int64)
    result: Longs = chosen(pool, wish).candidates.sentence
    return result
