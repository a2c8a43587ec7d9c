"""The printed gradient of J06 §3 against its own formula, over all labellings of small sentences."""

from itertools import product

import numpy as np
import pytest

from sstag.experiments.jiao2006.printed_gradient import EntropyGradients
from sstag.features.reading import template
from sstag.model.compiled import compiled
from sstag.model.weight_map import weight_map
from tests.compare import assert_close
from tests.datasets import corpus, unlabelled

TEXT = """columns: [word, label]
features: [word[0], word[-1], 'shape(word[0])', 'suffix(word[0], 1)']
edges: [labels, begin, end]
"""
LABELLED = [[("ab", "B"), ("cb", "I"), ("x", "O")], [("x", "O"), ("ab", "O"), ("Ab", "B")], [("cb", "I"), ("cb", "O")]]
RAW = [["ab", "x", "ab", "cb"], ["cb", "cb"], ["x"], ["Ab", "ab", "x"]]


def indicators(made, words, labels):
    """Each feature at each place, 1 or 0: (places, θ). Its kind: False at tokens, True at steps and the ends."""
    of = weight_map(made)
    active = np.zeros((len(words) + 1, of.size))
    number = {text: place for place, text in enumerate(made.unary.texts())}
    part = [of.parts(row) for row in active]
    pairs = made.pairs
    for t, (word, y) in enumerate(zip(words, labels, strict=True)):
        before = words[t - 1] if t else "_B-1"
        shape = "".join("X" if c.isupper() else "x" for c in word)
        for text in (
            f"word[0]={word}",
            f"word[-1]={before}",
            f"shape(word[0])={shape}",
            f"suffix(word[0], 1)={word[-1]}",
        ):
            if text in number:
                a = number[text]
                for place in range(pairs.indptr[a], pairs.indptr[a + 1]):
                    part[t]["unary"][place] = float(pairs.labels[place] == y)
        if t:
            steps = np.zeros(of.steps.shape)
            steps[labels[t - 1], y] = 1
            part[t]["steps"][:] = steps[of.steps]
    if of.begin:
        part[0]["begin"][labels[0]] = 1
    if of.end:
        part[len(words)]["end"][labels[-1]] = 1
    return active


@pytest.mark.parametrize("seed", range(3))
def test_the_printed_gradient_is_that_of_its_formula(seed):
    how = template(TEXT, "made.yaml")
    made = compiled(how, corpus(LABELLED), unlabelled(RAW))
    of = weight_map(made)
    theta = np.random.default_rng(seed).normal(size=of.size)
    kinds = np.zeros(of.size, bool)
    for name, some in of.parts(kinds).items():
        some[:] = name != "unary"
    exact, printed = np.zeros(of.size), np.zeros(of.size)
    for words in RAW:
        every = [indicators(made, words, y) for y in product(range(len(made.labels)), repeat=len(words))]
        score = np.array([active.sum(axis=0) @ theta for active in every])
        p = np.exp(score - score.max())
        p /= p.sum()
        first = sum(w * active.sum(axis=0) for w, active in zip(p, every, strict=True))
        true, said = np.zeros((of.size, of.size)), np.zeros((of.size, of.size))
        for w, active in zip(p, every, strict=True):
            total = active.sum(axis=0)
            true += w * np.outer(total, total)
            here = active.T @ active  # both at one place
            alike = kinds[:, None] == kinds[None, :]
            said += w * (np.outer(total, total) - here * alike)
        np.fill_diagonal(said, first)
        exact += (true - np.outer(first, first)) @ theta
        printed += (said - np.outer(first, first)) @ theta
    found = EntropyGradients(made)(theta)
    assert_close(found[0], exact)
    assert_close(found[1], printed)
    assert np.abs(exact - printed).max() > 0.1
