"""Dense features: their product and its transpose, scores and gradients beside those written out, models with them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from sstag.chain import _core
from sstag.chain.potentials import Potentials
from sstag.features.clusters import Clusters
from sstag.features.incidence import Incidence, extracted
from sstag.features.term_values import View
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import one_by_one, shards
from sstag.model.batches import in_batches, taken
from sstag.model.compiled import compiled
from sstag.model.dense_weights import TokenWeights
from sstag.model.model import carried_over, model
from sstag.model.sparse_weights import PairMap, Pairs
from sstag.model.weight_map import DataMap, Gradient, Weights, total, weight_map
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Run
from sstag.training.looks import Part
from sstag.training.methods import METHODS
from sstag.training.objectives.likelihood import Likelihood
from tests.compare import assert_close
from tests.datasets import corpus, random_dataset, random_incidence, random_potentials, random_weight_map
from tests.definitions import DEFINITIONS, SquaredCount
from tests.dense import (
    DENSE,
    WITHOUT_STEPS,
    MadeEncoder,
    MadeVectors,
    dense_numbers,
    dense_template,
    few_digits,
    with_dense,
)
from tests.training import made_ads, partly, raw, trained


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 40), st.sampled_from((np.float64, np.float32)))
def test_products_are_those_of_numpy(seed, dimensions, labels, kind):
    rng = np.random.default_rng(seed)
    count, width = int(rng.integers(0, 70)), labels + int(rng.integers(0, 9))
    numbers = rng.normal(size=(count, dimensions)).astype(kind)
    x = np.column_stack([numbers.astype(float), np.ones(count)])
    theta, out = rng.normal(size=(dimensions + 1, labels)), rng.normal(size=(count, width))
    before = out.copy()
    _core.dense_scores(numbers, theta, out)
    np.testing.assert_allclose(out[:, :labels], x @ theta, atol=1e-9)
    assert (out[:, labels:] == before[:, labels:]).all()
    gradient = rng.normal(size=theta.shape)
    expected = gradient + x.T @ out[:, :labels]
    _core.dense_gradient(numbers, out, gradient)
    np.testing.assert_allclose(gradient, expected, atol=1e-8)


def whole_rows(some, dimensions):
    """Rows with zeros after them, as the core wants them."""
    padded = np.zeros((*some.shape[:-1], (dimensions // 16 + 1) * 16), np.float32)
    padded[..., :dimensions] = some
    return padded


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 70), st.integers(1, 40), st.integers(0, 700))
def test_products_of_tokens_are_those_of_numpy(seed, dimensions, labels, count):
    """To single precision; and to the bit in the order that tokens.h says."""
    rng = np.random.default_rng(seed)
    width, rows = labels + int(rng.integers(0, 9)), rng.integers(-1, 30, count).astype(np.int32)
    numbers = rng.normal(size=(30, dimensions)).astype(np.float16)
    mean, theta = rng.normal(size=dimensions).astype(np.float32), rng.normal(size=(labels, dimensions))
    x = (numbers.astype(np.float32) - mean)[rows] * (rows >= 0)[:, None].astype(np.float32)
    out = rng.normal(size=(count, width))
    before = out.copy()
    of = TokenWeights(numbers, rows, whole_rows(mean, dimensions), whole_rows(theta, dimensions), None)
    _core.token_scores(of, out)
    np.testing.assert_allclose(out[:, :labels], before[:, :labels] + x @ theta.T, atol=1e-4)
    assert (out[:, labels:] == before[:, labels:]).all()
    slopes = whole_rows(rng.normal(size=theta.shape), dimensions).astype(float)
    expected = slopes.copy()
    expected[:, :dimensions] += out[:, :labels].T @ x
    expected[:, dimensions] += out[rows >= 0, :labels].sum(axis=0)
    _core.token_slopes(of._replace(slopes=slopes), out)
    np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=2e-3)


@pytest.mark.parametrize("labels", [1, 7, 11, 12, 23, 40])
def test_sums_over_tokens_have_the_order_that_is_written_down(labels):
    """Single precision has no room for all digits of these sums, and an order of its own for each would differ."""
    rng = np.random.default_rng(labels)
    dimensions, count = 53, 600
    numbers = rng.integers(-999, 1000, (count, dimensions)).astype(np.float16)
    rows, mean = np.arange(count, dtype=np.int32), np.zeros(64, np.float32)
    weights = whole_rows(rng.integers(-4095, 4096, (labels, dimensions)), dimensions)
    x = numbers.astype(np.float64)
    lanes = np.zeros((count, labels, 16), np.float32)
    for d in range(dimensions):  # a product of these numbers is exact in doubles, as is its sum with a single
        lanes[:, :, d % 16] = x[:, d, None] * weights[:, d].astype(float) + lanes[:, :, d % 16]
    for half in (8, 4, 2, 1):
        lanes = lanes[:, :, :half] + lanes[:, :, half:]
    out = np.zeros((count, labels))
    _core.token_scores(TokenWeights(numbers, rows, mean, weights, None), out)
    assert (out == lanes[:, :, 0]).all()
    d = rng.integers(-4095, 4096, (count, labels)).astype(float)
    expected, sums = np.zeros((labels, 64)), np.zeros((labels, dimensions), np.float32)
    for token in range(count):
        sums = (d[token, :, None] * x[token] + sums).astype(np.float32)
        if token % 256 == 255 or token == count - 1:
            expected[:, :dimensions] += sums
            sums[:] = 0
    expected[:, dimensions] = d.sum(axis=0)
    slopes = np.zeros((labels, 64))
    _core.token_slopes(TokenWeights(numbers, rows, mean, None, slopes), d)
    assert (slopes == expected).all()


def test_every_half_is_the_number_that_it_is():
    """At every place of a row, since vectors and the rest of a row are widened by different instructions."""
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)]
    rows = np.arange(len(finite), dtype=np.int32)
    for columns, column in ((1, 0), (16, 3), (17, 16), (33, 20)):
        numbers = np.zeros((len(finite), columns), np.float16)
        numbers[:, column] = finite
        theta, out = np.zeros((1, columns)), np.zeros((len(finite), 1))
        theta[0, column] = 1.0
        no_mean = whole_rows(np.zeros(columns), columns)
        _core.token_scores(TokenWeights(numbers, rows, no_mean, whole_rows(theta, columns), None), out)
        assert (out[:, 0] == finite.astype(np.float64)).all()


SINGLES, HALVES = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float16)
PADDED, ROWS = np.zeros((2, 16), np.float32), np.array([0, 1], np.int32)
FITTING = TokenWeights(HALVES, ROWS, PADDED[0], PADDED, None)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("dense_scores", (SINGLES, np.zeros((3, 2)), np.zeros((2, 2))), "one row more than there are"),
        ("dense_scores", (SINGLES, np.zeros((4, 2)), np.zeros((3, 2))), "numbers has 2 where N is 3"),
        ("dense_scores", (np.zeros((2, 3), np.int32), np.zeros((4, 2)), np.zeros((2, 2))), "array of float64"),
        ("dense_scores", (None, np.zeros((4, 2)), np.zeros((2, 2))), "numbers must be a contiguous array"),
        ("dense_scores", (SINGLES, np.zeros((4, 2)), np.zeros((2, 1))), "shorter than the labels"),
        ("token_scores", (FITTING._replace(numbers=SINGLES), np.zeros((2, 2))), "numbers must be an array of float16"),
        ("token_scores", (FITTING._replace(rows=ROWS + 1), np.zeros((2, 2))), "R - 1"),
        (
            "token_scores",
            (FITTING._replace(mean=PADDED[0, :3], weights=PADDED[:, :3].copy()), np.zeros((2, 2))),
            "vectors of sixteen",
        ),
        ("token_scores", (FITTING, np.zeros((2, 1))), "shorter than the labels"),
        ("token_scores", (FITTING._replace(weights=None), np.zeros((2, 2))), "weights must be a contiguous array"),
        ("token_slopes", (FITTING, np.zeros((2, 2))), "slopes must be a contiguous writable array"),
        (
            "token_slopes",
            (FITTING._replace(numbers=np.zeros((2, 16), np.float16), slopes=np.zeros((2, 16))), np.zeros((2, 2))),
            "more pl",
        ),
    ],
)
def test_numbers_that_do_not_fit_are_refused(name, arguments, message):
    with pytest.raises(ValueError, match=message):
        getattr(_core, name)(*arguments)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.booleans())
def test_the_gradient_map_is_the_adjoint_of_the_score_map(seed, labels, weighed):
    rng = np.random.default_rng(seed)
    data = random_dataset(rng, labels, rng.integers(1, 6, 4))
    object.__setattr__(data, "unary", random_incidence(rng, int(data.offsets[-1]), 3, 3, weighed))
    par = random_weight_map(rng, labels, 0, share=rng.choice([0.1, 0.5, 1.0]))
    data, standards = with_dense(rng, data, 3)
    par = replace(par, dense=standards)
    theta = few_digits(rng.normal(size=par.size))
    of = DataMap(par, data)
    forward, back = 0.0, Gradient(of)
    for batch in in_batches(data, labels):
        g = random_potentials(rng, data, batch)
        g = Potentials(few_digits(g.unary), g.edge, g.edge_index, g.offsets)
        forward += Weights(of, theta).potentials(batch).inner(g)
        back.add(g, batch)
    assert_close(float(theta @ total([back])), forward)


def by_hand(made, text, theta):
    """The part of the scores that is that of dense features, token by token."""
    par, how = weight_map(made), made.template
    scores = np.zeros((text.tokens, par.labels))
    words = [text.values[0][code] for code in text.codes[0].tolist()]
    encoded = MadeEncoder().numbers(text).astype(np.float64)
    for feature, standard, weights in zip(how.dense, par.dense, par.dense_parts(theta["dense"]), strict=True):
        for begin, end in zip(text.offsets, text.offsets[1:], strict=False):
            for t in range(begin, end):
                at = t + feature.offset
                if not begin <= at < end:
                    continue
                word = words[at].lower() if feature.source and feature.source.functions else words[at]
                _, found = MadeVectors().of([word]) if feature.source else ([], encoded[at : at + 1])
                if len(found):
                    scores[t] += standard.factor * (found[0].astype(np.float64) - standard.mean) @ weights
    return scores


def test_scores_are_those_of_standardised_numbers():
    """With bundles and without, of labelled sentences, of raw text and of what a model is asked about."""
    rng = np.random.default_rng(3)
    labelled, other = made_ads(12, 1), raw(10, 2)
    made = compiled(dense_template(DENSE), labelled, other)
    par = weight_map(made)
    theta = np.zeros(par.size)
    part = par.parts(theta)
    part["dense"][:] = rng.normal(size=len(part["dense"]))
    tagger = model(made, theta)
    assert made.labelled.bundles
    fresh = made_ads(5, 3)
    for data, text in ((made.labelled, labelled), (made.unlabelled, other), (tagger.dataset(fresh), fresh)):
        (batch,) = in_batches(data, par.labels)
        expected = by_hand(made, text, part)
        assert_close(Weights(DataMap(par, data), theta).potentials(batch).unary, expected, tolerance=1e-6)
    some = taken(made.labelled, np.array([3, 1, 3]))
    (batch,) = in_batches(some, par.labels)
    bounds = labelled.offsets
    tokens = np.concatenate([np.arange(bounds[s], bounds[s + 1]) for s in (3, 1, 3)])
    expected = by_hand(made, labelled, part)[tokens]
    assert_close(Weights(DataMap(par, some), theta).potentials(batch).unary, expected, tolerance=1e-6)


def test_numbers_are_standardised_over_the_words_and_tokens_of_all_text():
    labelled, other = made_ads(12, 1), raw(10, 2)
    made = compiled(dense_template(DENSE), labelled, other)
    words = sorted({text.values[0][code] for text in (labelled, other) for code in text.codes[0].tolist()})
    encoded = np.concatenate([MadeEncoder().numbers(text) for text in (labelled, other)]).astype(float)
    for feature, standard in zip(made.template.dense, made.dense, strict=True):
        own = {word.lower() for word in words} if feature.source and feature.source.functions else words
        numbers = MadeVectors().of(sorted(own))[1].astype(float) if feature.source else encoded
        x = (numbers - standard.mean) * standard.factor
        np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(x.std(axis=0), feature.scale, atol=1e-12)


@pytest.mark.parametrize(
    ("words", "scale"), [("aa bb cc dd ee f g h i j", 0.3), ("a bb c dd e ff g h i j", 0.1), ("aa bb " * 400, 0.3)]
)
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside clusters"])
def test_the_usual_scale_of_vectors(words, scale, beside):
    """A smaller one if most labelled tokens are single characters, and beside clusters if labelled tokens are few."""
    tokens = words.split()
    labelled, raw_text = corpus([[(word, "A") for word in tokens]]), corpus([[("aa",), ("ff",)]], ("word",))
    how = dense_template(WITHOUT_STEPS)
    if beside:
        how = replace(how, clusters={"some.clusters": Clusters({"aa": "01", "bb": "1"})})
        scale *= min(1, len(tokens) / 400) ** 0.5
    made = compiled(how, labelled, raw_text)
    assert [one.scale for one in made.dense] == [one.scale for one in made.template.dense]
    np.testing.assert_allclose([one.scale for one in made.dense], [scale, scale, 0.3], rtol=1e-12)
    assert {one.scale for one in compiled(replace(how, scale=0.2), labelled, raw_text).dense} == {0.2}
    assert {one.scale for one in compiled(how, None, raw_text, known=("A", "B")).dense} == {0.3}


def test_rows_far_beyond_the_pairs_are_not_looked_up_among_them():
    """Rows of words and bundles have numbers beyond the bounds of pairs; to read there once ended a training."""
    far = 2**24
    row_of = np.zeros(far + 1, np.int32)
    row_of[0] = -1
    indices = np.array([0] * 25 + [far] * 30, np.int32)
    map_ = PairMap(Pairs(np.array([0, 1]), np.zeros(1, np.int32)), 30)
    found = map_.entries(Incidence(np.array([0, len(indices)]), indices, None), row_of)
    assert found.rows.tolist() == [0] * 30
    assert (found.pairs.tolist(), found.labels.tolist()) == ([0] * 25, [0] * 25)


@pytest.mark.parametrize("objectives", [(Likelihood(),), (Likelihood(), SquaredCount())], ids=["one", "two"])
def test_gradient_in_the_weights_is_the_central_difference(objectives, monkeypatch):
    monkeypatch.setattr("sstag.model.batches.CELLS", 60)
    made = compiled(dense_template(DENSE), partly(6, 1), raw(5, 2))
    par = weight_map(made)
    parts = [Part(made.labelled, objectives), Part(made.unlabelled, (SquaredCount(),), 0.5)]
    function = Criterion(par, parts, 0.3, one_by_one)
    theta = 0.3 * np.random.default_rng(1).normal(size=par.size)
    _, gradient = function(theta)
    gradient = gradient.copy()
    dense = np.arange(par.size - par.sizes["dense"], par.size)
    for i in dense[::7].tolist():
        at = np.zeros_like(theta)
        at[i] = 0.03  # so large that the single precision of tokens does not show; the error is of the fourth order
        near, far = (function(theta + k * at)[0] - function(theta - k * at)[0] for k in (1, 2))
        assert_close(gradient[i], (8 * near - far) / (12 * 0.03), magnitude=np.abs(gradient[i]), tolerance=2e-5)
    with shards(3) as over:
        _, again = Criterion(par, parts, 0.3, over)(theta)
    assert again.tobytes() == gradient.tobytes()


def test_bundles_change_no_score_and_no_gradient():
    text = made_ads(20, 1)
    made = compiled(dense_template(DENSE), text)
    data = made.labelled
    plain = replace(data, unary=extracted(made.unary, View(text, made.template), data.dense), bundles=None)
    assert len(data.unary.indices) < len(plain.unary.indices)
    par = weight_map(made)
    theta, results = np.random.default_rng(1).normal(size=par.size), []
    for one in (data, plain):
        of = DataMap(par, one)
        (batch,) = in_batches(one, par.labels)
        scores, gradient = Weights(of, theta).potentials(batch), Gradient(of)
        gradient.add(scores, batch)
        results.append((scores.unary, total([gradient])))
    for with_bundles, without in zip(*results, strict=True):
        np.testing.assert_allclose(with_bundles, without, atol=1e-9)


def test_a_template_may_have_dense_features_alone():
    text = corpus([[("aa", "X"), ("bbbb", "Y"), ("cc", "X")], [("bbbb", "Y"), ("dd", "X")]])
    how = dense_template("columns: [word, label]\nfeatures: ['vector(word[0], made)']\nedges: []\n")
    tagger = trained(Inputs(how, text), l2=0.01)
    assert (tagger.tagged(tagger.dataset(text), one_by_one) == text.codes[1]).all()


def test_weights_are_carried_over_for_numbers_of_another_size():
    """The scores of two words differ by as much as before, whatever the numbers are standardised by."""
    old = trained(Inputs(dense_template(DENSE), made_ads(10, 1)), max_iterations=5)
    narrower = dense_template(DENSE.replace("made)", "made, 0.1)").replace("0.7", "0.35"))
    new = model(compiled(narrower, made_ads(10, 1), raw(10, 9)), np.zeros(0))
    theta = carried_over(old, new)
    parts = [
        one.weight_map.dense_parts(one.weight_map.parts(at)["dense"]) for one, at in ((old, old.theta), (new, theta))
    ]
    assert len(parts[0]) == len(parts[1]) == 6
    for before, after, a, b in zip(*parts, old.weight_map.dense, new.weight_map.dense, strict=True):
        assert np.abs(after).max() > 0
        assert_close(a.factor[:, None] * before, b.factor[:, None] * after)
    found = trained(Inputs(dense_template(DENSE), made_ads(10, 1), init=old), Run(), max_iterations=5)
    assert found.about["iterations"] < 6


@pytest.mark.parametrize("method", [name for name, entry in METHODS.items() if entry.counts or name == "prototype"])
def test_methods_that_count_words_refuse_numbers(method):
    inputs = Inputs(dense_template(DENSE), made_ads(10, 1), raw(5, 1))
    with pytest.raises(ConfigError, match=r"^vector\(word\[-1\], made\): (an HMM counts|prototype knows)"):
        trained(inputs, method=method)


def test_without_steps_the_optimum_is_that_of_a_dense_logistic_regression():
    """As scipy's own optimiser finds it, on the numbers themselves: the same value, weights and probabilities."""
    text = made_ads(30, 1)
    how = dense_template(WITHOUT_STEPS)
    tagger = trained(Inputs(how, text), tolerance=1e-12, l2=0.5)
    x = dense_numbers(tagger, how, text)
    gold = np.array([tagger.labels.index(text.values[1][code]) for code in text.codes[1].tolist()])

    def loss(theta):
        theta = theta.reshape(x.shape[1], -1)
        scores = x @ theta
        log_z = np.logaddexp.reduce(scores, axis=1)
        value = (log_z - scores[np.arange(len(x)), gold]).sum() + 0.25 * (theta**2).sum()
        p = np.exp(scores - log_z[:, None])
        p[np.arange(len(x)), gold] -= 1
        return value, (x.T @ p + 0.5 * theta).ravel()

    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9}
    start = np.zeros(x.shape[1] * len(tagger.labels))
    theirs = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    value, _ = loss(tagger.theta)
    assert value == pytest.approx(theirs.fun, rel=1e-9)
    np.testing.assert_allclose(tagger.theta, theirs.x, atol=1e-4)


@pytest.mark.parametrize("name", list(DEFINITIONS))
def test_every_objective_has_the_gradient_of_its_value_in_dense_weights(name):
    """And its value is that of its definition, over all labellings."""
    objective, definition = DEFINITIONS[name]
    expected = -np.inf  # where an objective leaves no labelling, another dataset is taken
    for seed in range(50):
        rng = np.random.default_rng(seed)
        data, standards = with_dense(rng, random_dataset(rng, 3, [3, 2, 4]), 3)
        par = replace(random_weight_map(rng, 3, 0), dense=standards)
        theta = few_digits(0.5 * rng.normal(size=par.size))
        batches = in_batches(data, 3)
        weights = Weights(DataMap(par, data), theta)
        expected = definition(data, batches, [weights.potentials(one) for one in batches])
        if np.isfinite(expected):
            break
    function = Criterion(par, [Part(data, (objective(data),))], 0.0, one_by_one)
    value, gradient = function(theta)
    gradient = gradient.copy()
    assert_close(value, expected)
    for i in range(par.size - par.sizes["dense"], par.size):
        step = np.zeros_like(theta)
        step[i] = 2.0**-16
        numeric = (function(theta + step)[0] - function(theta - step)[0]) / 2.0**-15
        assert_close(gradient[i], numeric, magnitude=float(np.abs(gradient).max()), tolerance=1e-6)
