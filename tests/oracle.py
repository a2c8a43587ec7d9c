"""The truth about a small batch, by writing down every path. Nothing here is clever; that is its use."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Ints


def log_sum(x: Floats) -> float:
    top = x.max(initial=-np.inf)
    return top if top == -np.inf else float(top + np.log(np.exp(x - top).sum()))


def plogp(p: Floats) -> Floats:
    return p * np.log(np.where(p > 0, p, 1.0))


@dataclass(frozen=True)
class Sentence:
    """Every path of one sentence with its score and its probability."""

    start: int
    stop: int
    y: Ints  # (paths, n)
    score: Floats  # (paths,)
    allowed: Bools | None = None

    @property
    def log_z(self) -> float:
        return log_sum(self.score)

    @property
    def p(self) -> Floats:
        return np.exp(self.score - self.log_z)


def value(r: Potentials, start: int, y: Ints) -> Floats:
    """r(y) of each row of y."""
    total = np.zeros(len(y))
    for d in range(y.shape[1]):
        total = total + r.unary[start + d, y[:, d]]
        if d > 0:
            total = total + r.edge[r.edge_index[start + d], y[:, d - 1], y[:, d]]
    return total


def sentences(pot: Potentials, allowed: Bools | None = None) -> list[Sentence]:
    result = []
    for start, stop in zip(pot.offsets[:-1].tolist(), pot.offsets[1:].tolist(), strict=True):
        y = np.array(list(product(range(pot.unary.shape[1]), repeat=stop - start)))
        score = value(pot, start, y)
        if allowed is not None:
            score = np.where(allowed[np.arange(start, stop), y].all(axis=1), score, -np.inf)
        result.append(Sentence(start, stop, y, score))
    return result


def cliques(pot: Potentials, batch: list[Sentence], weigh) -> Potentials:
    """Σ over paths of weigh(sentence)(path) at every clique of the path."""
    unary, edge = np.zeros_like(pot.unary), np.zeros_like(pot.edge)
    for s in batch:
        w = weigh(s)
        for d in range(s.y.shape[1]):
            t = s.start + d
            np.add.at(unary, (t, s.y[:, d]), w)
            if d > 0:
                np.add.at(edge, (pot.edge_index[t], s.y[:, d - 1], s.y[:, d]), w)
    return pot.with_values(unary, edge)


def log_z(batch: list[Sentence]) -> Floats:
    return np.array([s.log_z for s in batch])


def marginals(pot: Potentials, batch: list[Sentence]) -> Potentials:
    return cliques(pot, batch, lambda s: s.p)


def edge_marginals(s: Sentence, labels: int) -> Floats:
    out = np.zeros((s.stop - s.start - 1, labels, labels))
    for d in range(1, s.y.shape[1]):
        np.add.at(out[d - 1], (s.y[:, d - 1], s.y[:, d]), s.p)
    return out


def expectation(batch: list[Sentence], r: Potentials) -> Floats:
    return np.array([s.p @ value(r, s.start, s.y) for s in batch])


def covariance(pot: Potentials, batch: list[Sentence], r: Potentials) -> Potentials:
    def weigh(s: Sentence) -> Floats:
        v = value(r, s.start, s.y)
        return s.p * (v - s.p @ v)

    return cliques(pot, batch, weigh)


def subsequence_entropies(pot: Potentials, batch: list[Sentence]) -> Potentials:
    return cliques(pot, batch, lambda s: plogp(s.p))


def entropy(batch: list[Sentence]) -> Floats:
    return np.array([-plogp(s.p).sum() for s in batch])


def grouped_entropy(y: Ints, log_p: Floats) -> float:
    """Entropy of the columns y under path weights exp(log_p), normalised."""
    weight = np.exp(log_p - log_sum(log_p))
    _, group = np.unique(y, axis=0, return_inverse=True) if y.shape[1] else (None, np.zeros(len(y), dtype=int))
    return float(-plogp(np.bincount(group.ravel(), weights=weight)).sum())


def span_entropy(s: Sentence, first: int, last: int) -> float:
    return grouped_entropy(s.y[:, first - s.start : last - s.start + 1], s.score)


def side_entropies(pot: Potentials, batch: list[Sentence]) -> tuple[Floats, Floats]:
    h_alpha, h_beta = np.zeros_like(pot.unary), np.zeros_like(pot.unary)
    for s in batch:
        for d in range(s.y.shape[1]):
            for label in range(pot.unary.shape[1]):
                through = s.y[:, d] == label
                if s.score[through].max() > -np.inf:
                    h_alpha[s.start + d, label] = grouped_entropy(s.y[through, :d], s.score[through])
                    h_beta[s.start + d, label] = grouped_entropy(s.y[through, d + 1 :], s.score[through])
    return h_alpha, h_beta


def viterbi(s: Sentence) -> tuple[Ints, float]:
    """`product` yields paths in the order of labels, and argmax takes the first."""
    best = int(np.argmax(s.score))
    return s.y[best], float(s.score[best])


def k_best(s: Sentence, k: int) -> Floats:
    return -np.sort(-s.score[s.score > -np.inf])[:k]
