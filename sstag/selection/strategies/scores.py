"""The scores of the strategies: each function gives a number for every candidate, and the largest is asked for first.

    fusal          −log p(ŷ|x), which orders as 1 − p(ŷ|x) does, without its ties     Sokolovska 2011, eq. 19
    sesal          the same, but of a sentence only tokens with p_t(ŷ_t|x) < c are asked    Tomanek and Hahn 2009
    margin         p(ŷ₂|x) − p(ŷ|x), the best two labellings
    entropy        H(Y|x)
    entropy-rate   H(Y|x) / (1.6 + 0.25 n), by the seconds that it takes to read n words and to answer
    n-best-entropy −Σ_k p̃_k log p̃_k, the ten best labellings, p̃_k = p(y_k|x) / Σ_j p(y_j|x)      Kim et al. 2006
    token-entropy  (1/n) Σ_t H(Y_t|x); of a token H(Y_t|x)
    span-entropy   max H(Y_a..Y_b|x) over the spans; of a span its own                 Tsuboi et al. 2008, §5.1
    density        H(Y|x) · q(x)^(1/n)                                                  after Settles and Craven 2008

All are exact; each costs a forward pass over the pool, those with marginals a backward pass too.
"""

from collections.abc import Callable

import numpy as np

from sstag.chain.functions import exp, log
from sstag.chain.lattice import Lattice
from sstag.foundation.arrays import Floats
from sstag.model.runs import asked_in_runs
from sstag.selection.candidates import Candidates, Pool

BEST = 10  # labellings of n-best-entropy
ANSWER, WORD = 1.6, 0.25  # seconds of entropy-rate: Card, Moran and Newell 1980 (M + K); Brysbaert 2019 (238 a minute)


def chance(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    return rng.random(len(candidates))


def quota(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    """log q(x) of the sentence, by which a quota sorts."""
    return pool.log_q[candidates.sentence]


def length(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    return candidates.lengths.astype(np.float64)


def q_per_token(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    return quota(pool, candidates, rng) / candidates.lengths


def fusal(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    return _of_sentences(pool, lambda lattice: lattice.log_z - lattice.viterbi()[1])[candidates.sentence]


def margin(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    return _of_sentences(pool, _margins)[candidates.sentence]


def _margins(lattice: Lattice) -> Floats:
    log_z = lattice.log_z
    result = np.empty(len(log_z))
    for sentence in range(len(log_z)):
        p = exp(lattice.k_best(sentence, 2)[1] - log_z[sentence])
        result[sentence] = p[1:].sum() - p[0]
    return result


def entropy(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    return _of_sentences(pool, lambda lattice: lattice.entropy)[candidates.sentence]


def entropy_rate(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    """The entropy of a sentence by the seconds that it costs; what is marked in it is not counted."""
    return entropy(pool, candidates, rng) / (ANSWER + WORD * candidates.lengths)


def n_best_entropy(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    return _of_sentences(pool, _n_best_entropies)[candidates.sentence]


def _n_best_entropies(lattice: Lattice) -> Floats:
    result = np.empty(len(lattice.log_z))
    for sentence in range(len(result)):
        scores = lattice.k_best(sentence, BEST)[1]
        shares = exp(scores - scores.max())
        shares /= shares.sum()
        there = shares[shares > 0]
        result[sentence] = -(there * log(there)).sum()
    return result


def density(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    per_token = exp(pool.log_q / np.diff(pool.corpus.offsets))
    return entropy(pool, candidates, rng) * per_token[candidates.sentence]


def token_entropy(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    each = _of_sentences(pool, lambda lattice: lattice.token_entropy)
    ends = np.stack([candidates.first, candidates.stop], axis=1).ravel()
    sums: Floats = np.add.reduceat(np.append(each, 0.0), ends)[::2]  # each of its own tokens, whatever stands before
    return sums / candidates.lengths


def span_entropy(pool: Pool, candidates: Candidates, rng: np.random.Generator) -> Floats:
    """The entropy of each span; of a whole sentence the highest of its spans, or −∞ if it has none."""
    if not candidates.whole:
        return _of_spans(pool, candidates)
    best = np.full(pool.corpus.tokens, -np.inf)
    best[pool.spans.first] = _of_spans(pool, pool.spans)
    result: Floats = np.maximum.reduceat(best, pool.corpus.offsets[:-1])[candidates.sentence]
    return result


def _of_spans(pool: Pool, spans: Candidates) -> Floats:
    """H(Y_a..Y_b|x) of spans in the order of their first tokens."""

    def asked(first: int, lattice: Lattice) -> Floats:
        begin, end = np.searchsorted(spans.first, [first, first + lattice.potentials.offsets[-1]])
        inside = slice(int(begin), int(end))
        last = spans.stop[inside] - 1 - first
        return lattice.span_entropy((spans.first[inside] - first).astype(np.int32), last.astype(np.int32))

    assert pool.model
    return np.concatenate([np.zeros(0), *asked_in_runs(pool.model, pool.corpus, pool.over, asked)])


def _of_sentences(pool: Pool, ask: Callable[[Lattice], Floats]) -> Floats:
    """The answers of a function for all sentences or tokens of the pool; it is asked batch by batch."""
    assert pool.model
    found = asked_in_runs(pool.model, pool.corpus, pool.over, lambda first, lattice: ask(lattice))
    return np.concatenate([np.zeros(0), *found])
