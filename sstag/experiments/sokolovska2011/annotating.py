"""Taggers learned from a few chosen sentences: at random, by quotas, or one by one by FuSAL (S11 §5).

A strategy is given so many sentences, or so many tokens as these have on average in the pool.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from sstag.corpus.corpus import selected
from sstag.experiments.corpora import Corpora, shipped_template
from sstag.experiments.fitting import tagger
from sstag.experiments.refitting import fitted_to
from sstag.experiments.sokolovska2011.tasks import Prepared, prepared
from sstag.experiments.trials import Row
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.parallel import one_by_one
from sstag.model.batches import taken
from sstag.selection.budget import groups, ranked

SENTENCES, TOKENS = "sentences", "tokens"
RANDOM, BY_Q, BY_LENGTH, BY_Q_PER_TOKEN, FUSAL = "random", "quota by q", "by length", "by q per token", "FuSAL"
BY_STEPS = "steps of q"  # groups of as many log q, not of as many sentences
DRAWN = (RANDOM, BY_Q, BY_LENGTH, BY_Q_PER_TOKEN)  # these need no model
STRATEGIES = (*DRAWN, FUSAL)
SEEDS = (*DRAWN, BY_STEPS)
NEAR = 2  # quotas of n/2 to 2n sentences are tried where tokens are counted


def described(corpora: Corpora, needed: Sequence[Sequence[Row]], *, task: str, made: tuple[int, int]) -> list[Row]:
    """The pool: its size, and how log q(x) goes with the length."""
    of = prepared(corpora, task, made)
    lengths, log_q = of.lengths, of.log_q
    row = {"sentences": len(lengths), "tokens": int(lengths.sum()), "labels": of.text.weight_map.labels}
    return [
        row
        | {
            "q with length": round(float(np.corrcoef(log_q, lengths)[0, 1]), 4),
            "q per token with length": round(float(np.corrcoef(log_q / lengths, lengths)[0, 1]), 4),
        }
    ]


def drawn(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    made: tuple[int, int],
    sizes: Sequence[int],
    draws: Sequence[int],
    strategies: Sequence[str] = DRAWN,
    stronger: float = 1.0,
) -> list[Row]:
    """Strategies that need no model, for draws from one to another; the prior may be so many times stronger."""
    of = prepared(corpora, task, made, stronger)
    rows: list[Row] = []
    for draw in range(draws[0], draws[1] + 1):
        for size in sizes:
            for strategy in strategies:
                for budget, some in _drawn(of, strategy, size, draw):
                    said = {"draw": draw, "size": size, "strategy": strategy, "budget": budget}
                    rows += _learned(of, some, said, sizes[0])
    return rows


def active(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    made: tuple[int, int],
    sizes: Sequence[int],
    draws: Sequence[int],
    warm: bool,
    stronger: float = 1.0,
    closed: bool = False,
) -> list[Row]:
    """FuSAL (S11 algorithm 1, m = 1), trained from the last weights or from 0; smaller sizes are its beginning.

    If it is closed, it chooses by a tagger that has no other labels than those it has seen.
    """
    of = prepared(corpora, task, made, stronger)
    rows: list[Row] = []
    for draw in range(draws[0], draws[1] + 1):
        rng = np.random.default_rng([2011, draw])
        order, evaluations = _closed_fusal(of, max(sizes), rng) if closed else _fusal(of, max(sizes), rng, warm)
        for size in sizes:
            for budget, some in _beginnings(of, order, size):
                said = {"draw": draw, "size": size, "strategy": FUSAL, "budget": budget}
                rows += _learned(of, some, said, sizes[0])
        rows[-1] |= {"order": order.tolist(), "evaluations": evaluations}
    return rows


def _drawn(of: Prepared, strategy: str, size: int, draw: int) -> Iterator[tuple[str, Longs]]:
    """The sentences that a strategy chooses for a budget of sentences, and for one of tokens."""
    seed = [2011, draw, SEEDS.index(strategy), size]
    if strategy == RANDOM:
        yield from _beginnings(of, np.random.default_rng(seed).permutation(len(of.lengths)), size)
        return
    lengths = of.lengths.astype(np.float64)
    values = {BY_LENGTH: lengths, BY_Q_PER_TOKEN: of.log_q / lengths}.get(strategy, of.log_q)

    def one_of_each(count: int) -> Longs:
        rng = np.random.default_rng(seed)
        if strategy == BY_STEPS:
            return _one_of_each_step(values, count, rng)
        return np.array([group[0] for group in groups(values, count, rng)])

    fewest = 1 if strategy == BY_STEPS else max(size // NEAR, 1)  # most steps have long sentences
    counts = range(fewest, min(size * NEAR, len(of.lengths)) + 1)
    yield SENTENCES, one_of_each(size)
    yield TOKENS, min(map(one_of_each, counts), key=lambda some: abs(int(of.lengths[some].sum()) - _tokens(of, size)))


def _one_of_each_step(values: Floats, count: int, rng: np.random.Generator) -> Longs:
    """One sentence from each of so many equal steps of the values; steps without any leave theirs to the others."""
    step = (values.max() - values.min()) / count
    group = np.minimum(((values - values.min()) / step).astype(np.int64), count - 1)
    order = rng.permutation(len(values))
    order = order[np.argsort(group[order], kind="stable")]
    first = np.searchsorted(group[order], group[order])
    turn = np.arange(len(order)) - first  # the round in which a step gives this one
    result: Longs = order[np.lexsort((rng.random(len(order)), turn))[:count]]
    return result


def _beginnings(of: Prepared, order: Longs, size: int) -> Iterator[tuple[str, Longs]]:
    """The beginning of an order with so many sentences, and the one that comes nearest to their tokens."""
    yield SENTENCES, order[:size]
    away = np.abs(np.cumsum(of.lengths[order]) - _tokens(of, size))
    yield TOKENS, order[: int(away.argmin()) + 1]


def _tokens(of: Prepared, size: int) -> int:
    """As many tokens as so many sentences of the pool have on average."""
    return round(size * float(of.lengths.mean()))


def _fusal(of: Prepared, size: int, rng: np.random.Generator, warm: bool) -> tuple[Longs, int]:
    """Sentences in the order of choice, and how many values and gradients their trainings took."""
    order = [int(rng.integers(len(of.lengths)))]
    theta, evaluations = np.zeros(of.text.weight_map.size), 0
    while len(order) < size:
        found = fitted_to(of.text, np.array(order), of.l2, theta if warm else np.zeros_like(theta))
        theta, evaluations = found.theta, evaluations + found.evaluations
        unsure = np.concatenate([one.log_z - one.viterbi()[1] for _, one in of.text.lattices(theta)])
        unsure[order] = -np.inf
        order.append(int(ranked(unsure, rng)[0]))
    return np.array(order), evaluations


def _closed_fusal(of: Prepared, size: int, rng: np.random.Generator) -> tuple[Longs, int]:
    """The order of FuSAL whose taggers know no label beyond those of the chosen sentences, as `sstag train` makes them.

    Evaluations are not counted.
    """
    order, how = [int(rng.integers(len(of.lengths)))], shipped_template(of.task.template_name)
    while len(order) < size:
        part = selected(of.corpus, np.isin(np.arange(len(of.lengths)), order))
        model = tagger(how, part, "crf", l2=of.l2)
        unsure = model.asked(model.dataset(of.corpus), one_by_one, lambda _, one: one.log_z - one.viterbi()[1])
        scores = np.concatenate(unsure)
        scores[order] = -np.inf
        order.append(int(ranked(scores, rng)[0]))
    return np.array(order), 0


def _learned(of: Prepared, sentences: Longs, said: Row, smallest: int) -> list[Row]:
    """A row for each test."""
    theta = fitted_to(of.text, np.sort(sentences), of.l2, np.zeros(of.text.weight_map.size)).theta
    said = said | {"sentences": len(sentences), "tokens": int(of.lengths[sentences].sum())} | _seen(of, sentences)
    if of.task.words and said["size"] == smallest:
        said |= {"alike": round(_alike([_word(of, one) for one in sentences.tolist()]), 4)}
        if said["draw"] == 1:
            said |= {"chosen": sentences.tolist()}  # as numbers: the words may not be passed on
    return [said | {"test": name} | test.figures(theta) for name, test in of.tests.items()]


def _seen(of: Prepared, sentences: Longs) -> Row:
    """How many of the labels, and of the attributes, occur in some sentences."""
    data = taken(of.text.data, sentences)
    assert data.sets is not None
    return {"labels": len(np.unique(data.sets)), "attributes": len(np.unique(data.unary.indices))}


def _word(of: Prepared, sentence: int) -> str:
    return "".join(of.corpus.words(of.task.columns[0], sentence))


def _alike(words: Sequence[str]) -> float:
    """The mean likeness of two of them: 1 − edits / length of the longer one."""
    likeness = [1 - _edits(one, other) / max(len(one), len(other)) for one, other in combinations(words, 2)]
    return float(np.mean(likeness)) if likeness else 1.0


def _edits(one: str, other: str) -> int:
    """How many letters have to be changed, put in, or left out (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        before, row = row, [number]
        for place, there in enumerate(other):
            row.append(min(before[place] + (letter != there), before[place + 1] + 1, row[place] + 1))
    return row[-1]
