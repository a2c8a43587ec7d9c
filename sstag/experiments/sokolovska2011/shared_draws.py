"""Random sampling and quotas on shared draws (S11 §5): as many as tell a small difference, with ρ by cross-validation.

A draw gives every sentence of the pool a number. Random sampling takes the n smallest; a quota the smallest of each of
n groups, which is a uniform draw from each. So two strategies have many sentences in common, and what they differ by
is the strategy and not the luck of another draw.
"""

from collections.abc import Sequence

import numpy as np

from sstag.experiments.corpora import Corpora
from sstag.experiments.fitting import percent
from sstag.experiments.over_sentences import errors, gain_over_sentences
from sstag.experiments.refitting import Text, fitted_to
from sstag.experiments.sokolovska2011.annotating import BY_LENGTH, BY_Q, RANDOM
from sstag.experiments.sokolovska2011.tasks import Prepared, prepared
from sstag.experiments.trials import Row
from sstag.foundation.arrays import Floats, Longs
from sstag.model.batches import taken

COMPARED = (RANDOM, BY_Q, BY_LENGTH)
FOLDS = 5


def compared(
    corpora: Corpora,
    needed: Sequence[Sequence[Row]],
    *,
    task: str,
    made: tuple[int, int],
    size: int,
    draws: Sequence[int],
    strengths: Sequence[float],
) -> list[Row]:
    """Errors of labels and of sentences by strategy, for draws from one to another.

    The prior is the task's, or the one among several strengths that cross-validation of the chosen sentences chooses.
    """
    of = prepared(corpora, task, made)
    rows: list[Row] = []
    for draw in range(draws[0], draws[1] + 1):
        numbers = np.random.default_rng([2011, draw]).random(len(of.lengths))
        counted: dict[str, dict[str, Longs]] = {}
        for strategy in COMPARED:
            some = chosen(of, strategy, size, numbers)
            l2 = validated(of.text, some, strengths, draw) if strengths else of.l2
            theta = fitted_to(of.text, np.sort(some), l2, np.zeros(of.text.weight_map.size)).theta
            counted[strategy] = {name: test.counts(theta) for name, test in of.tests.items()}
            said = {"draw": draw, "strategy": strategy, "l2": l2, "tokens": int(of.lengths[some].sum())}
            rows += [said | {"test": name} | _errors(counts) for name, counts in counted[strategy].items()]
            if draw == 1 and strategy == BY_Q:
                last = list(of.tests)[-1]
                rows[-1] |= {"over test": gain_over_sentences(counted[RANDOM][last], counted[BY_Q][last], errors)}
    return rows


def chosen(of: Prepared, strategy: str, size: int, numbers: Floats) -> Longs:
    """The sentences that a strategy takes, if the sentences of the pool have these numbers."""
    if strategy == RANDOM:
        return np.argsort(numbers)[:size]
    values = {BY_Q: of.log_q, BY_LENGTH: of.lengths.astype(np.float64)}[strategy]
    groups = np.array_split(np.lexsort((numbers, -values)), size)
    return np.array([group[numbers[group].argmin()] for group in groups])


def validated(text: Text, sentences: Longs, strengths: Sequence[float], seed: int) -> float:
    """The strength of the prior with the fewest wrong labels in cross-validation; of equals the strongest."""
    fold = np.random.default_rng([2011, seed]).permutation(len(sentences)) % min(FOLDS, len(sentences))
    wrong = dict.fromkeys(sorted(strengths, reverse=True), 0)
    for l2 in wrong:
        for one in range(int(fold.max()) + 1):
            theta = fitted_to(text, np.sort(sentences[fold != one]), l2, np.zeros(text.weight_map.size)).theta
            held = taken(text.data, sentences[fold == one])
            assert held.sets is not None
            gold = held.allowed[held.sets].argmax(axis=1)
            wrong[l2] += int((Text(held, text.weight_map).best(theta) != gold).sum())
    return min(wrong, key=lambda l2: wrong[l2])  # the first of equals


def _errors(counts: Longs) -> Row:
    wrong, tokens = counts.sum(axis=0).tolist()
    return {"error": percent(wrong / tokens), "sentence error": percent((counts[:, 0] > 0).mean())}
