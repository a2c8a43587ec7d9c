"""Bundles of attributes: fewer entries that say the same."""

from dataclasses import replace

import numpy as np
import pytest

from sstag.features.incidence import extracted
from sstag.features.reading import template
from sstag.features.term_values import View
from sstag.model.batches import in_batches
from sstag.model.compiled import compiled
from sstag.model.weight_map import DataMap, Gradient, Weights, total, weight_map
from tests.datasets import corpus, unfolded

FEATURES = [
    "word[-1..1]", "word[-1] | word[0]", "suffix(word[0], 1..2)", "shape(word[0])", "pos[-1..1]", "pos[-1] | pos[0]",
    "pos[0] | pos[1]", "word[0] | pos[0] else new", "first()", "value(size)", "lower(word[0]) | value(size)",
    "word[end]",
]  # fmt: skip
VALUES = [["a", "b", "Ab", "c", "x1"], ["N", "V"], ["1", "-0.5"], ["X", "Y", "Z"]]


@pytest.mark.parametrize("seed", range(12))
def test_bundles_say_what_the_attributes_say(seed):
    """Tokens through bundles have the attributes, and the scores and gradients, that they have without."""
    rng = np.random.default_rng(seed)
    some = rng.permutation(FEATURES)[: rng.integers(4, len(FEATURES) + 1)]
    text = f"columns: [word, pos, size, label]\nminimum_count: {rng.integers(1, 3)}\nfeatures:\n"
    how = template(text + "".join(f"  - {one}\n" for one in some), "made")
    rows = [[tuple(map(rng.choice, VALUES)) for _ in range(rng.integers(1, 9))] for _ in range(40)]
    text = corpus(rows, ("word", "pos", "size", "label"))
    made = compiled(how, text)
    data = made.labelled
    assert data is not None
    assert data.bundles is not None
    plain = replace(data, unary=extracted(made.unary, View(text, made.template)), bundles=None)
    assert len(data.unary.indices) < len(plain.unary.indices)
    assert unfolded(data, made.unary.size) == unfolded(plain, made.unary.size)
    par = weight_map(made)
    theta, results = rng.normal(size=par.size), []
    for one in (data, plain):
        of = DataMap(par, one)
        (batch,) = in_batches(one, par.labels)
        scores, gradient = Weights(of, theta).potentials(batch), Gradient(of)
        gradient.add(scores, batch)
        results.append((scores.unary, total([gradient])))
    for with_bundles, without in zip(*results, strict=True):
        np.testing.assert_allclose(with_bundles, without, atol=1e-12)
