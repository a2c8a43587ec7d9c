"""Stochastic gradient: what a visit does, what many do, where passes lead to, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest

from sstag.features.incidence import Incidence
from sstag.features.reading import template
from sstag.foundation.errors import ConfigError, Interrupted, NoPathError, NumericalError
from sstag.foundation.parallel import one_by_one, shards
from sstag.model.batches import in_batches, taken
from sstag.model.moving_weights import MovingWeights
from sstag.model.weight_map import DataMap, WeightMap, Weights
from sstag.training.checkpoint import Checkpoint
from sstag.training.criterion import Criterion
from sstag.training.inputs import Inputs, Run
from sstag.training.looks import Part
from sstag.training.methods import METHODS
from sstag.training.methods.parameters import Supervised
from sstag.training.objectives.likelihood import Likelihood, labels_of
from sstag.training.run import trained as run_of
from tests import oracle
from tests.compare import assert_close
from tests.datasets import random_dataset, random_incidence, random_weight_map
from tests.dense import DENSE, dense_template
from tests.training import accuracy, ads_template, made_ads, partly, task, toy, trained

PASSING = [name for name, entry in METHODS.items() if issubclass(entry.parameters, Supervised)]


def made(seed: int, labels: int, weighed: bool = False):
    """Sentences with all kinds of labels, attributes of tokens and of steps, and weights for some pairs or all."""
    rng = np.random.default_rng(seed)
    steps = 2 * int(rng.integers(2))
    data = random_dataset(rng, labels, rng.integers(1, 6, 7), steps=steps)
    tokens = int(data.offsets[-1])
    data = replace(data, unary=random_incidence(rng, tokens, 3, 3, weighed))
    if weighed and steps:
        data = replace(data, edge=random_incidence(rng, tokens, steps, 2, True))
    weight_map = random_weight_map(rng, labels, steps, share=rng.choice([0.3, 1.0]))
    return rng, data, weight_map, rng.normal(size=weight_map.size)


def moving(data, weight_map: WeightMap, theta, rate: float, decay: float) -> MovingWeights:
    every = labels_of(data, slice(0, len(data.offsets) - 1), slice(0, int(data.offsets[-1])))
    result = MovingWeights(weight_map, data, every)
    result.begin(theta, rate, decay)
    return result


def slope(data, weight_map: WeightMap, sentence: int, theta) -> tuple[float, np.ndarray]:
    """ω (log Z_Λ − log Z) of one sentence and its gradient, by the criterion of the climb."""
    part = Part(taken(data, np.array([sentence])), (Likelihood(),))
    return Criterion(weight_map, [part], 0.0, one_by_one)(theta)


@pytest.mark.parametrize("labels", [1, 2, 3, 9, 40])
@pytest.mark.parametrize("weighed", [False, True])
def test_visits_are_the_recursion_written_out(labels, weighed):
    """θ and its mean, with every weight touched at every visit, by the gradients of the climb."""
    for seed in range(6):
        rng, data, weight_map, theta = made(seed, labels, weighed)
        order = rng.integers(0, len(data.offsets) - 1, 12)
        eta, prior = 0.3, 0.05
        found = moving(data, weight_map, theta, eta, eta * prior)
        gains = [found.visit(order[:5])]
        found.begin_mean()
        gains.append(found.visit(order[5:]))
        mean = np.zeros(len(theta))
        for t, sentence in enumerate(order.tolist(), 1):
            value, gradient = slope(data, weight_map, sentence, theta)
            assert_close(data.weights[sentence] * np.concatenate(gains)[t - 1], value)
            step = eta / (1 + prior * eta * t)
            theta = theta + step * (gradient - prior * theta)
            mean += theta / 7 if t > 5 else 0.0
        assert_close(found.w / (1 + eta * prior * 12), theta)
        assert_close(found.weights(), mean)
        assert_close(found.weights(out=found.w), mean)


def test_gains_are_those_of_all_labellings():
    for seed in range(8):
        _, data, weight_map, theta = made(seed, 3)
        decay, before = 0.5, moving(data, weight_map, theta, 0.0, 0.0)
        expected = []
        weights = Weights(DataMap(weight_map, data), theta)
        for batch in in_batches(data, 3):
            pot = weights.potentials(batch)
            allowed = data.allowed[data.sets[batch.tokens]]
            expected.append(oracle.log_z(oracle.sentences(pot, allowed)) - oracle.log_z(oracle.sentences(pot)))
        sentences = np.arange(len(data.offsets) - 1)
        assert_close(before.visit(sentences), np.concatenate(expected))
        np.testing.assert_array_equal(before.weights(), theta)  # with η = 0 nothing moves
        shrunk = moving(data, weight_map, theta * (1 + decay * 3), 0.0, decay)
        shrunk.visited = 3
        assert_close(shrunk.visit(np.array([1])), expected[0][1:2])


def test_how_many_sentences_a_call_visits_changes_no_bit():
    rng, data, weight_map, theta = made(1, 9)
    order = rng.integers(0, len(data.offsets) - 1, 30)

    def walked(*bounds: int) -> bytes:
        of = moving(data, weight_map, theta, 0.4, 0.01)
        of.visit(order[:10])
        of.begin_mean()
        for some in np.split(order[10:], bounds):
            of.visit(some)
        return of.weights().tobytes()

    assert walked() == walked(1) == walked(*range(20))


def test_a_sentence_without_a_path_is_named():
    data = replace(random_dataset(np.random.default_rng(1), 3, [2] * 50), unary=two_in_turn(100))
    weight_map = random_weight_map(np.random.default_rng(1), 3, 0, share=1.0)
    for odd, error, said in ((np.nan, NumericalError, "sentence 1 "), (-np.inf, NoPathError, "sentence 1 ")):
        theta = np.zeros(weight_map.size)
        theta[weight_map.unary.pairs.indptr[1] : weight_map.unary.pairs.indptr[2]] = odd
        with pytest.raises(error, match=said):
            moving(data, weight_map, theta, 0.1, 0.0).visit(np.arange(50))


def two_in_turn(tokens: int) -> Incidence:
    """Attribute 0 at two tokens, 1 at the next two, and so on."""
    return Incidence(np.arange(tokens + 1), (np.arange(tokens) // 2 % 2).astype(np.int32), None)


def test_passes_lead_to_the_optimum_of_the_climb():
    inputs = Inputs(ads_template(), made_ads(30, 1))
    best = trained(inputs, tolerance=1e-12).about["objective"]
    gaps = [best - trained(inputs, epochs=epochs).about["objective"] for epochs in (1, 10, 100, 1000)]
    assert gaps[3] < gaps[2] < gaps[1] < gaps[0]
    assert 0 < gaps[3] < 1e-3 * abs(best)


@pytest.mark.parametrize("method", PASSING)
def test_the_order_comes_from_the_seed_and_from_nothing_else(method):
    inputs = toy(method, 20)
    first = trained(inputs, None, method, epochs=3)
    with shards(3) as over:
        again = trained(inputs, Run(over), method, epochs=3)
    other = trained(replace(inputs, seed=2), None, method, epochs=3)
    assert first.theta.tobytes() == again.theta.tobytes() != other.theta.tobytes()


@pytest.mark.parametrize("method", PASSING)
def test_every_method_learns_by_passes(method):
    inputs, unseen = toy(method, 20), made_ads(20, 9)
    by_passes, climbed = (accuracy(trained(inputs, None, method, epochs=epochs), unseen) for epochs in (20, 0))
    assert by_passes > climbed - 0.05


def test_the_seed_of_a_task_is_that_of_the_order():
    inputs = Inputs(ads_template(), made_ads(10, 1))
    models = [run_of(task(inputs, given={"epochs": 2}, seed=seed), Run()).theta.tobytes() for seed in (1, 1, 2)]
    assert models[0] == models[1] != models[2]


def test_an_earlier_model_is_where_passes_begin():
    inputs = Inputs(ads_template(), made_ads(30, 1))
    optimum = trained(inputs)
    onward = trained(replace(inputs, init=optimum), epochs=1).about["objective"]
    assert trained(inputs, epochs=1).about["objective"] < onward
    assert trained(replace(inputs, init=trained(inputs, epochs=1))).about["objective"] == pytest.approx(
        optimum.about["objective"], rel=1e-4
    )


def test_labels_that_are_decided_first_are_decided_by_passes_too():
    inputs = Inputs(ads_template(), partly(20, 1))
    model = run_of(task(inputs, given={"epochs": 20}, ambiguous="argmax"), Run())
    assert accuracy(model, made_ads(20, 9)) > 0.5


def test_development_data_choose_the_best_pass():
    told = []
    inputs = Inputs(ads_template(), made_ads(12, 1), development=made_ads(30, 2))
    model = trained(inputs, Run(tell=told.append), epochs=40, patience=4)
    scores = [one.score for one in told]
    assert model.about["development score"] == max(scores)
    assert model.about["best iteration"] == scores.index(max(scores)) + 1
    assert model.about["reason"] == "stopped: no better score on the development data in 4 iterations"
    assert len(told) == model.about["best iteration"] + 4 == model.about["iterations"]
    assert all(one.gradient_norm is None for one in told)


def test_a_pass_tells_the_likelihood_of_sentences_before_they_are_learned_from():
    told = []
    inputs = Inputs(ads_template(), made_ads(40, 1))
    model = trained(inputs, Run(tell=told.append), epochs=6, l2=1.0)
    values = [one.objective for one in told]
    assert values == sorted(values)
    assert values[-1] < model.about["objective"]
    assert model.about["reason"] == "stopped: 6 passes of stochastic gradient were asked for"
    assert model.about["converged"] is False


def test_passes_can_be_stopped():
    inputs = Inputs(ads_template(), made_ads(12, 1))
    with pytest.raises(Interrupted):
        trained(inputs, Run(stop=lambda: True), epochs=5)
    told = []
    model = trained(inputs, Run(tell=told.append, stop=lambda: len(told) == 2), epochs=5)
    assert (model.about["iterations"], model.about["reason"]) == (2, "stopped: as requested")
    assert np.isfinite(model.theta).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"l1": 0.1}, "epochs: passes of stochastic gradient need no l1"),
        ({"l2": 0.0}, "need an l2 above 0"),
    ],
)
def test_what_only_a_climb_can_do_is_refused(change, said):
    with pytest.raises(ConfigError, match=said):
        trained(Inputs(ads_template(), made_ads(5, 1)), epochs=1, **change)


def test_features_that_only_a_climb_can_learn_are_refused():
    labelled = made_ads(5, 1)
    with pytest.raises(ConfigError, match="no features of numbers"):
        trained(Inputs(dense_template(DENSE), labelled), epochs=1)
    how = template("columns: [word, label]\nfeatures: [word[0] prior 2, shape(word[0])]\n", "made.yaml")
    with pytest.raises(ConfigError, match="one prior for all features"):
        trained(Inputs(how, labelled), epochs=1)


def test_there_is_no_checkpoint_of_passes(tmp_path):
    run = Run(checkpoint=Checkpoint(str(tmp_path / "kept"), 1))
    with pytest.raises(ConfigError, match="there is no checkpoint of them"):
        run_of(task(Inputs(ads_template(), made_ads(5, 1)), given={"epochs": 1}), run)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in PASSING])
def test_other_methods_have_no_passes(method):
    with pytest.raises(ConfigError, match=f"{method} has no parameter 'epochs'"):
        trained(toy(method, 5), None, method, epochs=1)
