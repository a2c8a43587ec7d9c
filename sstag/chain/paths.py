"""Single labellings of a chain: the best ones, their scores, and random draws."""

import numpy as np

from sstag.chain import _core
from sstag.chain.distribution import Distribution
from sstag.chain.forward_backward import expect_path
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats, Ints, Longs


def viterbi(d: Distribution) -> tuple[Ints, Floats]:
    """The best path of every sentence, (T,), and its score, (S,)."""
    y, scores = np.zeros(len(d.potentials.unary), np.int32), np.empty_like(d.ones)
    _core.viterbi(d.potentials, d.best_suffixes, y, scores)
    return y, scores


def k_best(d: Distribution, sentence: int, k: int) -> tuple[Ints, Floats]:
    """The k best paths of one sentence, best first, (m, n), and their scores, (m,); m < k if there are only m."""
    if k < 1:
        raise ValueError("k must be at least 1")
    start, stop = d.potentials.offsets[sentence : sentence + 2].tolist()
    y, scores = np.zeros((k, stop - start), np.int32), np.empty(k)
    found = _core.k_best(d.potentials, sentence, d.best_suffixes, y, scores)
    return y[:found], scores[:found]


def penalised(d: Distribution, costs: Penalties, k: int) -> tuple[Ints, Floats, Longs]:
    """The k best labellings by score less penalties, (k, T), their scores, (k, S), and how many there are, (S,)."""
    if k < 1:
        raise ValueError("k must be at least 1")
    tokens, sentences = len(d.potentials.unary), len(d.ones)
    y, scores, found = np.empty((k, tokens), np.int32), np.empty((k, sentences)), np.empty(sentences, np.int64)
    expect_path(_core.beam(d.potentials, d.allowed, costs, y, scores, found))
    return y, scores, found


def path_scores(pot: Potentials, y: Ints) -> Floats:
    """score(y) per sentence, (S,), of one path each, (T,)."""
    labels = np.require(y, np.int32, ["C", "A"])
    if labels.shape != (len(pot.unary),) or labels.min() < 0 or labels.max() >= pot.unary.shape[1]:
        raise ValueError("a path needs one label for every position")
    scores = np.empty(len(pot.offsets) - 1)
    _core.path_scores(pot, labels, scores)
    return scores


def sample(d: Distribution, rng: "np.random.Generator", count: int) -> Ints:
    """`count` independent draws of y ~ p(y|x) for every sentence, (count, T)."""
    y = np.zeros((count, len(d.potentials.unary)), np.int32)
    for row in y:
        _core.sample(d.potentials, d.edges, d.forward, rng.random(len(row)), row)
    return y
