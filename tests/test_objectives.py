"""The contract that every objective keeps by being in OBJECTIVES and DEFINITIONS, and the limits of each."""

import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import assume, given, settings

from sstag.chain.lattice import Lattice
from sstag.foundation.errors import NumericalError
from sstag.model.batches import in_batches
from sstag.model.dataset import Dataset
from sstag.training import objectives
from sstag.training.objectives import OBJECTIVES
from sstag.training.objectives.likelihood import Likelihood
from tests import definitions
from tests.compare import assert_close, assert_gradient
from tests.datasets import cases, no_attributes, random_dataset, random_potentials
from tests.definitions import DEFINITIONS, evaluated
from tests.recipes import pieces

SETTINGS = settings(max_examples=40, deadline=None)
every_objective = pytest.mark.parametrize("name", DEFINITIONS)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_has_a_definition(name):
    assert name in DEFINITIONS
    assert OBJECTIVES[name].help


def for_data(name, data):
    """The objective as it is for a dataset."""
    return DEFINITIONS[name][0](data)


def possible(name, case):
    """A case with a value; those without are looked at by a test of their own."""
    assume(np.isfinite(DEFINITIONS[name][1](*case)))
    return case


@every_objective
@SETTINGS
@given(case=cases())
def test_value_is_the_definition_over_all_paths(name, case):
    value = DEFINITIONS[name][1](*case)
    if np.isfinite(value):
        assert_close(evaluated(for_data(name, case[0]), *case)[0], value)
    else:
        with pytest.raises(NumericalError):
            evaluated(for_data(name, case[0]), *case)


@every_objective
@SETTINGS
@given(case=cases())
def test_gradient_is_the_central_difference(name, case):
    data, batches, potentials = possible(name, case)
    made = for_data(name, data)
    pushed = evaluated(made, data, batches, potentials)[1]
    for i, d in enumerate(pushed):

        def value(at, i=i):
            return evaluated(made, data, batches, [*potentials[:i], at, *potentials[i + 1 :]])[0]

        assert_gradient(value, potentials[i], d)


@every_objective
@SETTINGS
@given(case=cases())
def test_a_constant_at_a_position_changes_nothing(name, case):
    data, batches, potentials = possible(name, case)
    made = for_data(name, data)
    moved = [pot.with_values(pot.unary + np.arange(len(pot.unary))[:, None], pot.edge) for pot in potentials]
    before, after = evaluated(made, data, batches, potentials), evaluated(made, data, batches, moved)
    assert_close(after[0], before[0])
    tolerance = (
        1e-7 if name.startswith("posterior") else 1e-10
    )  # it climbs, and values tell a place to half of their digits
    for one, other in zip(before[1], after[1], strict=True):
        assert_close(other, one, tolerance=tolerance)


@every_objective
@SETTINGS
@given(case=cases())
def test_statistics_of_sentences_add(name, case):
    data, batches, potentials = possible(name, case)
    made = for_data(name, data)
    together = sum(made.gather(Lattice(pot), made.side(data, c)) for c, pot in zip(batches, potentials, strict=True))
    apart = 0
    for batch, pot in zip(batches, potentials, strict=True):
        for s, (start, stop) in enumerate(zip(batch.offsets[:-1], batch.offsets[1:], strict=True)):
            rows = slice(batch.tokens.start + start, batch.tokens.start + stop)
            none, omega = no_attributes(stop - start), data.weights[batch.sentences][s : s + 1]
            alone = Dataset(np.array([0, stop - start]), none, none, data.sets[rows], data.allowed, omega)
            (only,) = in_batches(alone, data.allowed.shape[1])
            part = type(pot)(pot.unary[start:stop], pot.edge, pot.edge_index[start:stop], only.offsets)
            one = for_data(name, alone)
            apart = apart + one.gather(Lattice(part), one.side(alone, replace(only, edge_index=part.edge_index)))
    assert_close(together, apart)


@every_objective
@SETTINGS
@given(case=cases())
def test_inputs_are_untouched(name, case):
    data, batches, potentials = possible(name, case)
    made = for_data(name, data)
    arrays = [a for pot in potentials for a in (pot.unary, pot.edge)] + [data.sets, data.allowed, data.weights]
    before = [a.copy() for a in arrays]
    evaluated(made, data, batches, potentials)
    assert all((a == b).all() for a, b in zip(arrays, before, strict=True))


def _case(seed, labels, lengths, masks):
    rng = np.random.default_rng(seed)
    data = random_dataset(rng, labels, lengths, masks)
    (batch,) = in_batches(data, labels)
    return data, batch, random_potentials(rng, data, batch, scale=3.0)


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_of_single_labels_is_the_score_of_the_path(seed):
    data, batch, pot = _case(seed, 4, [5, 1, 3], "single")
    value, (d,) = evaluated(Likelihood(), data, [batch], [pot])
    lattice = Lattice(pot)
    scores, log_z = (data.weights * lattice.path_scores(data.sets)).sum(), (data.weights * lattice.log_z).sum()
    assert_close(value, scores - log_z, tolerance=1e-14, magnitude=log_z)
    forced = Lattice(pot, data.allowed[data.sets])
    assert_close(value, float(data.weights @ (forced.log_z - lattice.log_z)), tolerance=1e-12, magnitude=abs(value))
    assert_close(d, forced.marginals(data.weights) - lattice.marginals(data.weights), tolerance=1e-12)


def test_likelihood_of_full_sets_is_zero():
    data, batch, pot = _case(1, 3, [4, 2], "full")
    value, (d,) = evaluated(Likelihood(), data, [batch], [pot])
    assert value == 0.0
    assert not d.unary.any()
    assert not d.edge.any()


def test_likelihood_of_weight_two_is_the_sentence_twice():
    data, batch, pot = _case(2, 3, [4], "mixed")
    twice = Dataset(
        np.array([0, 4, 8]), no_attributes(8), no_attributes(8), np.tile(data.sets, 2), data.allowed, np.ones(2)
    )
    (both,) = in_batches(twice, 3)
    double = type(pot)(np.tile(pot.unary, (2, 1)), pot.edge, both.edge_index, both.offsets)
    heavy = Dataset(data.offsets, data.unary, data.edge, data.sets, data.allowed, np.full(1, 2.0))
    made = Likelihood()
    assert_close(evaluated(made, heavy, [batch], [pot])[0], evaluated(made, twice, [both], [double])[0])


def test_likelihood_without_labels_is_zero():
    data, batch, pot = _case(3, 3, [4, 1], "mixed")
    raw = Dataset(data.offsets, data.unary, data.edge, None, np.zeros((0, 3), bool))
    value, (d,) = evaluated(Likelihood(), raw, [batch], [pot])
    assert value == 0.0
    assert not d.unary.any()


@pytest.mark.parametrize("planted", ["scaled", "transposed", "dropped"])
def test_a_planted_error_in_an_objective_is_caught(planted):
    """0.1 % too much, an edge transposed, a term dropped: the checker must not let it pass."""
    data, batch, pot = _case(4, 3, [4, 3], "mixed")
    made = Likelihood()
    (d,) = evaluated(made, data, [batch], [pot])[1]
    wrong = {
        "scaled": 1.001 * d,
        "transposed": d.with_values(d.unary, d.edge.transpose(0, 2, 1)),
        "dropped": d.with_values(d.unary, np.zeros_like(d.edge)),
    }[planted]
    with pytest.raises(AssertionError, match="differ by more than"):
        assert_gradient(lambda at: evaluated(made, data, [batch], [at])[0], pot, wrong)


def test_the_recipe_for_an_objective_works_word_by_word(monkeypatch):
    code, parameters, entry, definition, imported, line = pieces("Add an objective")[:6]
    names = dict(vars(objectives))
    exec(parameters, names)
    monkeypatch.setattr(objectives, "TokenEntropyParameters", names["TokenEntropyParameters"], raising=False)
    module = ModuleType("sstag.training.objectives.token_entropy")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(code, vars(module))
    monkeypatch.setitem(OBJECTIVES, "token-entropy", eval("{" + entry + "}", names)["token-entropy"])
    names = dict(vars(definitions))
    exec(definition + imported, names)
    monkeypatch.setitem(DEFINITIONS, "token-entropy", eval("{" + line + "}", names)["token-entropy"])
    test_every_objective_has_a_definition("token-entropy")
    test_value_is_the_definition_over_all_paths(name="token-entropy")
    test_gradient_is_the_central_difference(name="token-entropy")
    test_statistics_of_sentences_add(name="token-entropy")
