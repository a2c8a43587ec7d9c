"""From weights to a value and a gradient: the linear map and its adjoint, shards, two passes, threads."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sstag.foundation.errors import NoPathError, NumericalError
from sstag.foundation.parallel import even_shards, one_by_one, shards
from sstag.model.batches import in_batches
from sstag.model.weight_map import DataMap, Gradient, Weights, total
from sstag.training import looks as looks_module
from sstag.training.criterion import Criterion
from sstag.training.looks import Part
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.expectation import Expectation
from sstag.training.objectives.likelihood import Likelihood
from tests.compare import assert_close
from tests.datasets import random_dataset, random_incidence, random_potentials, random_weight_map
from tests.definitions import SquaredCount
from tests.dense import with_dense


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 3), st.booleans())
def test_the_gradient_map_is_the_adjoint_of_the_score_map(seed, labels, steps, weighed):
    rng = np.random.default_rng(seed)
    data = random_dataset(rng, labels, rng.integers(1, 6, 4), steps=steps)
    object.__setattr__(data, "unary", random_incidence(rng, int(data.offsets[-1]), 3, 3, weighed))
    if steps and weighed:
        object.__setattr__(data, "edge", random_incidence(rng, int(data.offsets[-1]), steps, 2, True))
    weight_map = random_weight_map(rng, labels, steps, share=rng.choice([0.1, 0.5, 1.0]))
    theta = rng.normal(size=weight_map.size)
    of = DataMap(weight_map, data)
    forward, back = 0.0, Gradient(of)
    for batch in in_batches(data, labels):
        g = random_potentials(rng, data, batch)
        forward += Weights(DataMap(weight_map, data), theta).potentials(batch).inner(g)
        back.add(g, batch)
    assert_close(float(theta @ total([back])), forward)


def test_scores_are_the_sums_of_the_weights_they_stand_for():
    """Written out token by token, with dictionaries."""
    rng = np.random.default_rng(3)
    data = random_dataset(rng, 4, [3, 2], steps=2)
    weight_map = random_weight_map(rng, 4, 2)
    theta = rng.normal(size=weight_map.size)
    part = weight_map.parts(theta)
    pairs = weight_map.unary.pairs
    weight = {
        (a, int(pairs.labels[p])): part["unary"][p]
        for a in range(3)
        for p in range(pairs.indptr[a], pairs.indptr[a + 1])
    }
    (batch,) = in_batches(data, 4)
    pot = Weights(DataMap(weight_map, data), theta).potentials(batch)
    for t in range(5):
        expected = np.zeros(4)
        for a in data.unary.indices[data.unary.indptr[t] : data.unary.indptr[t + 1]].tolist():
            expected += [weight.get((a, y), 0.0) for y in range(4)]
        if t in (0, 3) and weight_map.begin:
            expected += part["begin"]
        if t in (2, 4) and weight_map.end:
            expected += part["end"]
        assert_close(pot.unary[t], expected)


def made(rng, labels, lengths, objectives, l2=0.3, over=None, steps=2):
    data = random_dataset(rng, labels, lengths, steps=steps)
    weight_map = random_weight_map(rng, labels, steps)
    return Criterion(weight_map, [Part(data, objectives)], l2, over or one_by_one), rng.normal(size=weight_map.size)


@pytest.mark.parametrize(
    "objectives",
    [(Likelihood(),), (SquaredCount(),), (Likelihood(), SquaredCount())],
    ids=["one pass", "two passes", "both"],
)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_in_the_weights_is_the_central_difference(objectives, seed):
    function, theta = made(np.random.default_rng(seed), 3, [4, 2, 3, 1], objectives)
    gradient = function(theta)[1]
    numeric = np.zeros_like(theta)
    for i in range(len(theta)):
        step = np.zeros_like(theta)
        step[i] = 1e-5
        numeric[i] = (function(theta + step)[0] - function(theta - step)[0]) / 2e-5
    assert_close(gradient, numeric, tolerance=1e-7)


def test_curvature_of_sentences_of_one_token_is_the_second_difference():
    """Up to what is trusted, where no attribute comes twice; longer sentences curve more than it says."""
    rng = np.random.default_rng(7)
    data = replace(random_dataset(rng, 3, [1] * 40, masks="single"), unary=random_incidence(rng, 40, 3, 1))
    weight_map = random_weight_map(rng, 3, 0)
    theta = rng.normal(size=weight_map.size)
    function = Criterion(weight_map, [Part(data, (Likelihood(), SquaredCount()))], 0.3, one_by_one)
    alone = Criterion(weight_map, [Part(data, (Likelihood(),))], 0.0, one_by_one)
    for i, curvature in enumerate(function.curvature(theta)):
        step = np.zeros_like(theta)
        step[i] = 1e-5
        second = (alone(theta - step)[1][i] - alone(theta + step)[1][i]) / 2e-5
        assert_close(curvature, 0.3 + second * 30 / (second + 30), tolerance=1e-6)


def test_curvature_is_positive_without_a_prior_and_with_any_values():
    rng = np.random.default_rng(8)
    data = replace(random_dataset(rng, 3, [2, 3]), unary=random_incidence(rng, 5, 3, 3, weighed=True))
    weight_map = random_weight_map(rng, 3, 0)
    curvature = Criterion(weight_map, [Part(data, (Likelihood(),))], 0.0, one_by_one).curvature(
        rng.normal(size=weight_map.size) * 50
    )
    assert (curvature > 0).all()


def test_objectives_add():
    rng = np.random.default_rng(5)
    data, weight_map = random_dataset(rng, 3, [3, 4, 2]), random_weight_map(rng, 3, 0)
    theta = rng.normal(size=weight_map.size)
    likelihood, count = Likelihood(), SquaredCount()

    def at(*parts, l2=0.0):
        return Criterion(weight_map, parts, l2, one_by_one)(theta)

    together = at(Part(data, (likelihood, count)), l2=0.5)
    apart = [at(Part(data, (likelihood,))), at(Part(data, (count,))), at(l2=0.5)]
    assert_close(together[0], sum(value for value, _ in apart))
    assert_close(together[1], sum(gradient for _, gradient in apart))
    assert_close(at(Part(data, (likelihood,)), Part(data, (count,)), l2=0.5)[1], together[1])


class OnLattices(Likelihood):
    """The likelihood as an objective of lattices: it is not the one that the core does in one call."""


@pytest.mark.parametrize("masks", ["single", "mixed", "full"])
@pytest.mark.parametrize("labels", [2, 3, 9, 40])
@pytest.mark.parametrize("weighed", [False, True])
def test_the_likelihood_in_one_call_is_that_of_lattices_to_the_bit(labels, masks, weighed, monkeypatch):
    monkeypatch.setattr("sstag.model.batches.CELLS", 5000)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        steps = 2 * int(rng.integers(2))
        lengths = rng.integers(1, 9, 60)
        data = random_dataset(rng, labels, lengths, masks=masks, steps=steps)
        tokens = int(lengths.sum())
        weights = rng.random(len(lengths)) if weighed else None
        data = replace(data, unary=random_incidence(rng, tokens, 3, 3, weighed), weights=weights)
        weight_map = random_weight_map(rng, labels, steps)
        if seed % 2:
            data, standards = with_dense(rng, data, 3)
            weight_map = replace(weight_map, dense=standards)
        scale = 1000 if seed == 3 else 1  # so that sentences are in logs
        theta = scale * rng.normal(size=weight_map.size)
        parts = [Part(data, (one,), 0.7) for one in (Likelihood(), OnLattices())]
        found = [Criterion(weight_map, [part], 0.0, one_by_one)(theta) for part in parts]
        assert found[0][0] == found[1][0]
        assert_array_equal(found[0][1], found[1][1])


def test_the_likelihood_in_one_call_names_the_sentence_without_a_path():
    rng = np.random.default_rng(1)
    data = replace(random_dataset(rng, 3, [2] * 50), unary=random_incidence(rng, 100, 3, 1))
    weight_map = random_weight_map(rng, 3, 0, share=1.0)
    for odd, error in ((np.nan, NumericalError), (np.inf, NumericalError), (-np.inf, NoPathError)):
        theta = np.zeros(weight_map.size)
        theta[weight_map.unary.pairs.indptr[2] : weight_map.unary.pairs.indptr[3]] = odd
        said = []
        for one in (Likelihood(), OnLattices()):
            with pytest.raises(error) as raised:
                Criterion(weight_map, [Part(data, (one,))], 0.0, one_by_one)(theta)
            said.append(str(raised.value))
        assert said[0] == said[1]


class EntropyOnLattices(Entropy):
    """The entropy as an objective of lattices."""


class ExpectationOnLattices(Expectation):
    """Expectations as an objective of lattices."""


@pytest.mark.parametrize("name", ["entropy", "kl", "squared"])
@pytest.mark.parametrize("labels", [2, 9, 22])
@pytest.mark.parametrize("weighed", [False, True])
def test_other_objectives_in_one_call_are_those_of_lattices(name, labels, weighed, monkeypatch):
    monkeypatch.setattr("sstag.model.batches.CELLS", 5000)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        steps = 2 * int(rng.integers(2))
        lengths = rng.integers(1, 9, 60)
        data = random_dataset(rng, labels, lengths, steps=steps)
        tokens = int(lengths.sum())
        weights = rng.random(len(lengths)) if weighed else None
        data = replace(data, unary=random_incidence(rng, tokens, 3, 3, weighed), weights=weights)
        weight_map = random_weight_map(rng, labels, steps)
        if seed:
            data, standards = with_dense(rng, data, 3)
            weight_map = replace(weight_map, dense=standards)
        theta = (30 if seed == 2 else 1) * rng.normal(size=weight_map.size)
        if name == "entropy":
            objectives = Entropy(0.3), EntropyOnLattices(0.3)
        else:
            shares, strengths = rng.dirichlet(np.ones(labels), 4), rng.random(4)
            names, each = ("a", "b", "c", "d"), tuple(map(str, range(labels)))
            active = random_incidence(rng, tokens, 4, 2)
            objectives = tuple(
                kind(shares, strengths, active, names, each, name) for kind in (Expectation, ExpectationOnLattices)
            )
        found = []
        for kept, one in zip((2**30, 0, 2**30), (*objectives[:1], *objectives), strict=True):
            monkeypatch.setattr(looks_module, "KEPT", kept)
            found.append(Criterion(weight_map, [Part(data, (one,), 0.7)], 0.0, one_by_one)(theta))
        assert found[0][0] == found[1][0]
        assert_array_equal(found[0][1], found[1][1])
        assert_close(found[0][0], found[2][0])
        assert_close(found[0][1], found[2][1])


@pytest.mark.parametrize("kept", [0, 3000, 2**30])
def test_lattices_that_are_made_again_change_nothing(kept, monkeypatch):
    lengths = [4, 2, 3, 1] * 8
    monkeypatch.setattr("sstag.model.batches.CELLS", 20)
    expected = None
    for budget in (2**30, kept):
        monkeypatch.setattr(looks_module, "KEPT", budget)
        function, theta = made(np.random.default_rng(6), 3, lengths, (Likelihood(), SquaredCount()))
        value, gradient = function(theta)
        expected = expected or (value, gradient.tobytes())
        assert (value, gradient.tobytes()) == expected


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_any_number_of_threads_gives_the_same_bytes(threads, monkeypatch):
    monkeypatch.setattr("sstag.model.batches.CELLS", 20)
    lengths = [4, 2, 3, 1] * 20
    reference, theta = made(np.random.default_rng(7), 3, lengths, (Likelihood(), SquaredCount()))
    value, gradient = reference(theta)
    with shards(threads) as over:
        function, _ = made(np.random.default_rng(7), 3, lengths, (Likelihood(), SquaredCount()), over=over)
        for _ in range(3):
            again, same = function(theta)
            assert (again, same.tobytes()) == (value, gradient.tobytes())


@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 9))
def test_shards_are_all_indices_in_order_and_few(sizes, count):
    made_shards = even_shards(sizes, count)
    assert [i for shard in made_shards for i in shard] == list(range(len(sizes)))
    assert len(made_shards) <= count


def test_batches_are_whole_sentences_within_bounds(monkeypatch):
    monkeypatch.setattr("sstag.model.batches.CELLS", 30)
    rng = np.random.default_rng(8)
    data = random_dataset(rng, 3, rng.integers(1, 15, 30), steps=2)
    batches = in_batches(data, 3)
    assert batches[0].sentences.start == 0
    assert batches[-1].sentences.stop == 30
    for before, after in pairwise(batches):
        assert before.sentences.stop == after.sentences.start
        assert before.tokens.stop == after.tokens.start
    for batch in batches:
        assert batch.sentences.stop - batch.sentences.start == 1 or len(batch.edge_index) * 3 <= 30
        assert (data.offsets[batch.sentences] - batch.tokens.start == batch.offsets[:-1]).all()
        for t, kind in enumerate(batch.edge_index.tolist()):
            at = batch.tokens.start + t
            own = data.edge.indices[data.edge.indptr[at] : data.edge.indptr[at + 1]]
            row = batch.steps.indices[batch.steps.indptr[kind] : batch.steps.indptr[kind + 1]]
            assert own.tolist() == row.tolist()


def test_steps_of_the_same_numbers_share_a_matrix():
    rng = np.random.default_rng(10)
    data = random_dataset(rng, 3, [5] * 20, steps=2)
    edge = random_incidence(rng, 100, 2, 2, weighed=True)
    object.__setattr__(data, "edge", replace(edge, values=np.round(edge.values)))
    for batch in in_batches(data, 3):
        seen = set()
        for t, kind in enumerate(batch.edge_index.tolist()):
            rows = slice(*data.edge.indptr[batch.tokens.start + t : batch.tokens.start + t + 2])
            own = slice(*batch.steps.indptr[kind : kind + 2])
            step = list(zip(data.edge.indices[rows].tolist(), data.edge.values[rows].tolist(), strict=True))
            assert step == list(zip(batch.steps.indices[own], batch.steps.values[own], strict=True))
            seen.add(tuple(step))
        assert len(batch.steps.indptr) - 1 == len(seen)


def test_a_batch_has_few_edge_matrices(monkeypatch):
    monkeypatch.setattr("sstag.model.batches.MATRICES", 3 * 9)
    rng = np.random.default_rng(9)
    data = random_dataset(rng, 3, [3] * 40, steps=12)
    batches = in_batches(data, 3)
    assert all(len(c.steps.indptr) - 1 <= 3 or c.sentences.stop - c.sentences.start == 1 for c in batches)
    assert sum(len(c.edge_index) for c in batches) == 120


def test_weights_that_are_not_finite_are_an_error():
    function, theta = made(np.random.default_rng(1), 3, [3], (Likelihood(),))
    with pytest.raises(NumericalError):
        function(np.full_like(theta, np.nan))
