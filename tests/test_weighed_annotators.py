"""Weights of annotators: the fit written out with all labellings of a sentence, and what variational Bayes promises."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma, gammaln

from sstag.knowledge.annotators import weighed as module
from sstag.knowledge.annotators.votes import votes_of
from sstag.knowledge.annotators.weighed import weighed
from sstag.labels.marks import Marks
from tests.annotators import simulated, sources

VALUES = ["O", "B-A", "I-A", "?", "B-A|O"]


@st.composite
def columns(draw):
    """Columns of two or three sources for some short sentences, and their lengths; every label is in the first."""
    lengths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    tokens = sum(lengths) + 3
    several = draw(
        st.lists(st.lists(st.sampled_from(VALUES), min_size=tokens, max_size=tokens), min_size=1, max_size=2)
    )
    first = [draw(st.sampled_from(VALUES)) for _ in range(tokens - 3)]
    return [" ".join(["B-A", "I-A", "O", *first]), *map(" ".join, several)], [3, *lengths]


def reference(votes, q):
    """q(y) of `sequence` from that of `dawid-skene`, by sums over all well-formed labellings of each sentence."""
    size, tokens = q.shape[1], len(q)
    bounds = list(zip(votes.offsets[:-1].tolist(), votes.offsets[1:].tolist(), strict=True))
    legal, spoken = votes.tags.legal, votes.votes.any(axis=0)
    first = sum(q[begin] for begin, _ in bounds)
    after = np.zeros((size, size))
    for begin, end in bounds:
        for t in range(begin + 1, end):
            after[q[t - 1].argmax()] += q[t]
    for _ in range(module.ROUNDS):
        unary = np.zeros(q.shape)
        for row, single in zip(votes.votes, votes.single, strict=True):
            said = [np.flatnonzero(votes.sets[value]) if value else None for value in row.tolist()]
            context = [0] * tokens
            for begin, end in bounds:
                for t in range(begin + 1, end):
                    context[t] = int(single[t - 1]) + 1
            counts = np.zeros((size + 1, size, size))  # context, true label, written label
            for t in range(tokens):
                if said[t] is not None and len(said[t]) == 1:
                    counts[context[t], :, said[t][0]] += q[t]
            usual = (
                np.full((size, size), 1.0 / (size - 1)) + np.eye(size) * (2.0 - 1.0 / (size - 1)) + counts.sum(axis=0)
            )
            counts += 5.0 * usual / usual.sum(axis=1, keepdims=True)
            shares = counts / counts.sum(axis=2, keepdims=True)
            for t in range(tokens):
                if said[t] is not None and len(said[t]) > 1:
                    inside = np.zeros((size, size))
                    inside[:, said[t]] = shares[context[t]][:, said[t]]
                    counts[context[t]] += q[t][:, None] * inside / inside.sum(axis=1, keepdims=True)
            table = digamma(counts) - digamma(counts.sum(axis=2, keepdims=True))
            for t in range(tokens):
                if said[t] is not None:
                    unary[t] += np.log(np.exp(table[context[t]][:, said[t]]).sum(axis=1))
        begins = digamma(first + 1.0 / size) - digamma((first + 1.0 / size).sum())
        steps = digamma(after + 1.0 / size) - digamma((after + 1.0 / size).sum(axis=1, keepdims=True))
        new, first, after = np.zeros(q.shape), np.zeros(size), np.zeros((size, size))
        for begin, end in bounds:
            paths, scores = [], []
            for path in product(range(size), repeat=end - begin):
                chain = [size, *path, size]
                if all(legal[a, b] for a, b in pairwise(chain)):
                    paths.append(path)
                    score = begins[path[0]] + sum(unary[begin + t, y] for t, y in enumerate(path))
                    scores.append(score + sum(steps[a, b] for a, b in pairwise(path)))
            p = np.exp(np.array(scores) - max(scores))
            for path, share in zip(paths, (p / p.sum()).tolist(), strict=True):
                first[path[0]] += share
                for t, label in enumerate(path):
                    new[begin + t, label] += share
                    if t:
                        after[path[t - 1], label] += share
        change = np.abs(new - q)[spoken].max(initial=0.0)
        q = new
        if change < module.STILL:
            break
    return q


@settings(deadline=None, max_examples=15)
@given(columns())
def test_sequences_are_what_all_labellings_say(said):
    votes = votes_of(sources(*said[0], lengths=said[1]), Marks(), "iob2")
    found = weighed(votes, sequences=True).probabilities
    assert found == pytest.approx(reference(votes, weighed(votes, sequences=False).probabilities), abs=1e-8)


def bound(votes, q):
    """The bound on ln p(c) of Dawid & Skene, with the Dirichlet counts that are best for q."""

    def dirichlet(counts, prior):
        return (gammaln(counts).sum() - gammaln(counts.sum())) - (gammaln(prior).sum() - gammaln(prior.sum()))

    size = q.shape[1]
    prior = np.full(size, 1.0 / size)
    total = dirichlet(prior + q.sum(axis=0), prior)
    for row in votes.single:
        for true in range(size):
            prior = np.where(np.arange(size) == true, 2.0, 1.0 / (size - 1))
            total += dirichlet(prior + np.bincount(row, q[:, true], size), prior)
    return total - float((q * np.log(np.maximum(q, 1e-300))).sum())


def test_no_round_of_dawid_skene_lowers_its_bound(monkeypatch):
    _, said, lengths = simulated([0.8, 0.6, 0.5], seed=11, sentences=30)
    votes = votes_of(sources(*said, lengths=lengths), Marks(), "iob2")
    bounds = []
    for rounds in range(1, 16):
        monkeypatch.setattr(module, "ROUNDS", rounds)
        bounds.append(bound(votes, weighed(votes, sequences=False).probabilities))
    assert (np.diff(bounds) > -1e-9).all()
    assert bounds[-1] > bounds[0] + 1


@pytest.mark.parametrize("sequences", [False, True])
def test_what_says_nothing_and_who_comes_first_changes_nothing(sequences):
    _, said, lengths = simulated([0.9, 0.7, 0.5], seed=2, sentences=40)

    def probabilities(*some):
        return weighed(votes_of(sources(*some, lengths=lengths), Marks(), "iob2"), sequences=sequences).probabilities

    usual = probabilities(*said)
    assert probabilities(*reversed(said)) == pytest.approx(usual, abs=1e-9)
    assert probabilities(*said, " ".join(["?"] * sum(lengths))) == pytest.approx(usual, abs=1e-9)


@pytest.mark.parametrize("sequences", [False, True])
def test_sources_that_agree_are_right(sequences):
    truth, _, lengths = simulated([], seed=4, sentences=40)
    votes = votes_of(sources(*[" ".join(truth)] * 3, lengths=lengths), Marks(), "iob2")
    found = weighed(votes, sequences=sequences)
    assert [votes.labels[label] for label in found.best.argmax(axis=1)] == truth
    assert found.probabilities.max(axis=1).min() > 0.95


def test_an_annotator_who_overlooks_whole_names_is_found_out_by_sequences():
    """Who begins a name well goes on well: the label that a source gave before tells how far to trust the next one."""
    truth, (good,), lengths = simulated([0.97], seed=8, sentences=300)
    rng = np.random.default_rng(9)
    columns_of = []
    for _ in range(3):
        column, name = [], True
        for label in truth:
            name = rng.random() < 0.6 if label.startswith("B") else name
            column.append(label if label == "O" or name else "O")
        columns_of.append(" ".join(column))
    votes = votes_of(sources(good, *columns_of, lengths=lengths), Marks(), "iob2")
    known = np.array([votes.labels.index(label) for label in truth])
    right = [float((weighed(votes, sequences=one).best.argmax(axis=1) == known).mean()) for one in (False, True)]
    counts = votes.counts.argmax(axis=1)
    assert float((counts == known).mean()) < min(right)
    assert right[0] <= right[1]
