"""An order in which texts of the pool are worth asking about, found on a part of it that is drawn at random."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of
from sstag.foundation.arrays import Longs
from sstag.foundation.parallel import Over
from sstag.interfaces.annotate.pool import Pool
from sstag.model.model import Model
from sstag.selection.budget import Budget
from sstag.selection.candidates import Pool as Candidates
from sstag.selection.choosing import Wish, chosen

DRAWN = 10_000
MOST = Budget(count=500)
BEGINNING = 30  # answered texts; what a model of fewer is unsure of is worth less than what chance finds


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
    if not of.corpus.sentences:
        return of.numbers
    found = chosen(Candidates(of.corpus, None, over, model), Wish(strategy, MOST, seed=seed))
    result: Longs = of.numbers[found.candidates.sentence]
    return result
