"""Single labellings of a chain: the best ones, their scores, and random draws."""

import numpy as np

from sstag.chain.distribution import Distribution
from sstag.chain.forward_backward import expect_path
from sstag.chain.kernels import beam
from sstag.chain.kernels import paths as kernels
from sstag.chain.penalty_arrays import Penalties
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats, Ints, Longs


def viterbi(d: Distribution) -> tuple[Ints, Floats]:
    """The best path of every sentence, (T,), and its score, (S,)."""
    pot = d.potentials
    y = np.zeros(len(pot.unary), dtype=np.int32)
    scores = np.empty(len(pot.offsets) - 1)
    kernels.viterbi(pot.edge, pot.edge_index, pot.offsets, d.best_suffixes, y, scores)
    return y, scores


def k_best(d: Distribution, sentence: int, k: int) -> tuple[Ints, Floats]:
    """The k best paths of one sentence, best first, (m, n), and their scores, (m,); m < k if there are only m."""
    if k < 1:
        raise ValueError("k must be at least 1")
    pot, best = d.potentials, d.best_suffixes
    start, stop = pot.offsets[sentence : sentence + 2].tolist()
    y = np.zeros((k, stop - start), dtype=np.int32)
    scores = np.empty(k)
    kept = np.empty((3, k), dtype=np.int64)
    found = kernels.k_best(pot.unary, pot.edge, pot.edge_index, start, stop, best, k, kept, y, scores)
    return y[:found], scores[:found]


def penalised(d: Distribution, costs: Penalties, k: int) -> tuple[Ints, Floats, Longs]:
    """The k best labellings by score less penalties, (k, T), their scores, (k, S), and how many there are, (S,)."""
    if k < 1:
        raise ValueError("k must be at least 1")
    pot, (tokens, _) = d.potentials, d.potentials.unary.shape
    sentences, longest = len(pot.offsets) - 1, d.longest
    ahead = np.empty_like(pot.unary)
    expect_path(
        beam.best_completions(
            pot.unary, d.allowed, pot.edge, pot.edge_index, pot.offsets, costs.nodes, costs.steps, ahead
        )
    )
    y, scores, found = np.empty((k, tokens), np.int32), np.empty((k, sentences)), np.empty(sentences, np.int64)
    beam.beam(
        pot.unary, pot.edge, pot.edge_index, pot.offsets, costs.nodes, costs.steps, costs.bits, costs.again,
        costs.wanted, costs.missing, ahead, np.empty((2, k)), np.empty((2, k)), np.empty((2, k), np.int64),
        np.empty((2, k), np.int64), np.zeros((longest, k), np.int32), np.empty((longest, k), np.int32),
        y, scores, found,
    )  # fmt: skip
    return y, scores, found


def path_scores(pot: Potentials, y: Ints) -> Floats:
    """score(y) per sentence, (S,), of one path each, (T,)."""
    labels = np.require(y, np.int32, ["C", "W", "A"])
    if labels.shape != (len(pot.unary),) or labels.min() < 0 or labels.max() >= pot.unary.shape[1]:
        raise ValueError("a path needs one label for every position")
    scores = np.empty(len(pot.offsets) - 1)
    kernels.path_scores(pot.unary, pot.edge, pot.edge_index, pot.offsets, labels, scores)
    return scores


def sample(d: Distribution, rng: np.random.Generator, count: int) -> Ints:
    """`count` independent draws of y ~ p(y|x) for every sentence, (count, T)."""
    pot, f = d.potentials, d.forward
    y = np.zeros((count, len(pot.unary)), dtype=np.int32)
    for row in y:
        uniform = rng.random(len(pot.unary))
        kernels.sample(
            d.edges.p, d.edges.log_p, pot.edge_index, pot.offsets, f.alpha, f.in_log, uniform, d.rows(1)[0], row
        )
    return y
