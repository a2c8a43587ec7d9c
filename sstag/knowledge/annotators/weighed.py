"""Labels from sources whose reliability is learned with them.

`dawid-skene` (Dawid & Skene 1979) takes every token by itself; `sequence` (Simpson & Gurevych 2019, "A Bayesian
approach for sequence tagging with crowds", BSC-seq) has a hidden Markov model of the true labels, and a source whose
label depends on the one that it gave before, since who overlooks a name overlooks all of it:

    p(y, c) = Π_t A[y_{t-1}, y_t] Π_k π_k[c_{k,t-1}, y_t, c_kt]        A[y] ~ Dir(β),  π_k[c, y] ~ Dir(α)

Both are fitted by variational Bayes: q(y) from E ln A and E ln π, then the Dirichlet counts from q(y), until q stands
still; `sequence` begins where `dawid-skene` ends. A step between labels that the scheme does not allow has probability
0. Of a set of labels, a source is taken to have meant each in proportion to what it is known to write; what it says
nothing of is no evidence.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.ranges import end_of_run
from sstag.knowledge.annotators.votes import Votes

ROUNDS = 100
TOGETHER = 2**16  # tokens whose labels are found together
STILL = 1e-4  # change of a probability at which the fit ends
RIGHT, WRONG = 2.0, 1.0  # α: what a source is given before it is seen, for the right label and for all others together
USUAL = 5.0  # α of a context, for all labels together, which have the shares that they have in all contexts
STEP = 1.0  # β, for all labels together


@dataclass(frozen=True, eq=False)
class Weighed:
    """The probability of each label, the best labelling, and what each source writes for each true label."""

    probabilities: Floats  # (T, L)
    best: Bools  # (T, L) one label at each token with a vote
    confusions: Floats  # (K, C, L, L), π in each context


def by_tokens(votes: Votes, tell: Callable[[str], None]) -> tuple[Bools, Floats]:
    """Dawid & Skene: the most probable label of each token."""
    found = weighed(votes, sequences=False, tell=tell)
    return found.best, found.probabilities


def by_sequences(votes: Votes, tell: Callable[[str], None]) -> tuple[Bools, Floats]:
    """Simpson & Gurevych: the most probable well-formed labels of each sentence."""
    found = weighed(votes, sequences=True, tell=tell)
    return found.best, found.probabilities


def weighed(votes: Votes, *, sequences: bool, tell: Callable[[str], None] = lambda text: None) -> Weighed:
    """The labels and the reliabilities that explain the votes of all sources."""
    known = votes.spoken
    if sequences:
        q = weighed(votes, sequences=False, tell=tell).probabilities
    else:
        counts = votes.counts.astype(np.float64)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
        q = np.where(known[:, None], shares, 1.0 / len(votes.labels))
    steps = _steps(votes, q) if sequences else None
    written = _contexts(votes, sequences)
    contexts = len(votes.labels) + 1 if sequences else 1
    for number in range(ROUNDS):
        tell(f"reliabilities: round {number + 1}")
        expected = _expected_confusions(votes, written, contexts, q)
        unary = _evidence(votes, written, expected)
        if steps is None:
            totals = q[known].sum(axis=0) + STEP / q.shape[1]
            unary += digamma(totals) - digamma(totals.sum())
            new = _normalised(unary)
        else:
            new, first, after = np.zeros(q.shape), np.zeros(q.shape[1]), np.zeros((q.shape[1], q.shape[1]))
            for tokens, lattice in _lattices(votes, unary, *steps):
                new[tokens] = lattice.nodes
                first += lattice.nodes[lattice.potentials.offsets[:-1]].sum(axis=0)
                after += lattice.marginals().edge[0]
            steps = _expected_steps(votes, first, after)
        change = float(np.abs(new - q)[known].max(initial=0.0))
        q = new
        if change < STILL:
            break
    best = np.ones(q.shape, bool)
    labels = q.argmax(axis=1) if steps is None else _best(votes, unary, *steps)
    best[known] = False
    best[np.flatnonzero(known), labels[known]] = True
    confusions = np.exp(expected - np.logaddexp.reduce(expected, axis=3, keepdims=True))
    return Weighed(q, best, confusions)


@dataclass(frozen=True, eq=False)
class _Written:
    """The labels that a source wrote: distinct pairs of a context and a set of labels, and the tokens of each."""

    tokens: Longs  # those that it says something of
    context: Longs  # (G,)
    value: Longs  # (G,) row of the sets
    group: Longs  # of each of the tokens


def _contexts(votes: Votes, sequences: bool) -> list[_Written]:
    """The labels that each source wrote: after which label of its own, if sentences count; else all in one context."""
    found = []
    starts = np.zeros(votes.votes.shape[1], bool)
    starts[votes.offsets[:-1]] = True
    for row, single in zip(votes.votes, votes.single, strict=True):
        tokens = np.flatnonzero(row)
        before = np.zeros(len(row), np.int64)
        if sequences:
            before[1:] = single[:-1] + 1  # 0: no label, or several
            before[starts] = 0
        keys, group = np.unique(before[tokens] * len(votes.sets) + row[tokens], return_inverse=True)
        found.append(_Written(tokens, keys // len(votes.sets), keys % len(votes.sets), group))
    return found


def _expected_confusions(votes: Votes, written: Sequence[_Written], contexts: int, q: Floats) -> Floats:
    """E ln π of each source, from what it wrote where each label is thought to be."""  # (K, C, L, L)
    size = q.shape[1]
    prior = np.full((size, size), WRONG / max(size - 1, 1))
    np.fill_diagonal(prior, RIGHT)
    result = np.zeros((len(votes.names), contexts, size, size))
    sizes = votes.sets.sum(axis=1)
    for source, one in enumerate(written):
        sums = np.zeros((len(one.value), size))  # of q over the tokens of each group
        np.add.at(sums, one.group, q[one.tokens])
        counts = np.zeros((contexts, size, size))
        single = sizes[one.value] == 1
        label = votes.sets[one.value[single]].argmax(axis=1)
        np.add.at(counts.transpose(0, 2, 1), (one.context[single], label), sums[single])
        usual = prior + counts.sum(axis=0)
        counts += prior if contexts == 1 else USUAL * usual / usual.sum(axis=1, keepdims=True)
        shares = counts / counts.sum(axis=2, keepdims=True)
        for group in np.flatnonzero(~single).tolist():
            inside = shares[one.context[group]] * votes.sets[one.value[group]]
            counts[one.context[group]] += sums[group][:, None] * inside / inside.sum(axis=1, keepdims=True)
        result[source] = digamma(counts) - digamma(counts.sum(axis=2, keepdims=True))
    return result


def _evidence(votes: Votes, written: Sequence[_Written], expected: Floats) -> Floats:
    """Σ_k E ln π_k[y, c_kt] for each token and label; of a set, the logarithm of the sum."""  # (T, L)
    result = np.zeros((votes.votes.shape[1], len(votes.labels)))
    for one, table in zip(written, expected, strict=True):
        each = np.zeros((len(one.value), len(votes.labels)))
        for group, (context, value) in enumerate(zip(one.context.tolist(), one.value.tolist(), strict=True)):
            each[group] = np.logaddexp.reduce(table[context][:, votes.sets[value]], axis=1)
        result[one.tokens] += each[one.group]
    return result


def _normalised(scores: Floats) -> Floats:
    result: Floats = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return result


def _steps(votes: Votes, q: Floats) -> tuple[Floats, Floats]:
    """E ln of the first labels, and of the steps, if labels were independent of one another."""
    inner = np.ones(len(q), bool)
    inner[votes.offsets[:-1]] = False
    after = np.flatnonzero(inner)
    size = q.shape[1]
    steps = np.zeros((size, size))
    np.add.at(steps, q[after - 1].argmax(axis=1), q[after])
    return _expected_steps(votes, q[votes.offsets[:-1]].sum(axis=0), steps)


def _expected_steps(votes: Votes, first: Floats, steps: Floats) -> tuple[Floats, Floats]:
    size = len(votes.labels)
    legal = votes.tags.legal
    begin = first + STEP / size
    counts = steps + STEP / size
    begin_score = np.where(legal[size, :size], digamma(begin) - digamma(begin.sum()), -np.inf)
    step_scores = digamma(counts) - digamma(counts.sum(axis=1, keepdims=True))
    return begin_score, np.where(legal[:size, :size], step_scores, -np.inf)


def _lattices(votes: Votes, unary: Floats, begin: Floats, steps: Floats) -> Iterator[tuple[slice, Lattice]]:
    """q(y) of some sentences after another, and the tokens they have: their labels under these expected logarithms."""
    size, start = len(votes.labels), 0
    ends = np.where(votes.tags.legal[:size, size], 0.0, -np.inf)
    while start < len(votes.offsets) - 1:
        stop = end_of_run(votes.offsets, start, TOGETHER)
        tokens = slice(int(votes.offsets[start]), int(votes.offsets[stop]))
        offsets = votes.offsets[start : stop + 1] - tokens.start
        scores = unary[tokens].copy()
        scores[offsets[:-1]] += begin
        scores[offsets[1:] - 1] += ends
        yield tokens, Lattice(Potentials(scores, steps[None], np.zeros(len(scores), np.int32), offsets))
        start = stop


def _best(votes: Votes, unary: Floats, begin: Floats, steps: Floats) -> Ints:
    """The most probable well-formed labels of every sentence."""  # (T,)
    return np.concatenate([lattice.viterbi()[0] for _, lattice in _lattices(votes, unary, begin, steps)])
