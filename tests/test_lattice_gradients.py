"""Derivatives of the lattice against central differences; and the comparison is shown to fail where it should."""

import numpy as np
import pytest
from hypothesis import given, settings

from sstag.chain.lattice import Lattice
from sstag.training.objectives.entropy import ALGORITHMS
from tests import oracle
from tests.batches import batches, random_batch
from tests.compare import assert_close, assert_gradient

SETTINGS = settings(max_examples=25, deadline=None)
SMALL = {"scales": (1.0,), "infinities": (0.0, 0.3), "max_labels": 4, "max_length": 5}


def weights_of(pot):
    return np.linspace(0.5, 2.0, len(pot.offsets) - 1)


@SETTINGS
@given(batches(**SMALL))
def test_marginals_are_the_gradient_of_log_z(batch):
    pot, allowed = batch.potentials, batch.allowed
    omega = weights_of(pot)
    assert_gradient(lambda at: Lattice(at, allowed).log_z @ omega, pot, Lattice(pot, allowed).marginals(omega))


@SETTINGS
@given(batches(**SMALL))
def test_covariance_is_the_gradient_of_an_expectation(batch):
    pot, allowed = batch.potentials, batch.allowed
    omega, rng = weights_of(pot), np.random.default_rng(batch.seed)
    r = pot.with_values(rng.normal(size=pot.unary.shape), rng.normal(size=pot.edge.shape))
    assert_gradient(
        lambda at: Lattice(at, allowed).expectation(r) @ omega, pot, Lattice(pot, allowed).covariance(r, omega)
    )


@SETTINGS
@given(batches(**SMALL))
def test_covariance_of_the_score_is_the_gradient_of_negative_entropy(batch):
    """And M07's road, H^σ + H · marginals, and J06's nested sums lead to the same place."""
    pot, allowed = batch.potentials, batch.allowed
    omega, lattice = weights_of(pot), Lattice(pot, allowed)
    gradient = lattice.covariance(lattice.score, omega)
    assert_gradient(lambda at: -Lattice(at, allowed).entropy @ omega, pot, gradient)
    for algorithm in ALGORITHMS.values():
        h, by_another_road = algorithm(Lattice(pot, allowed), omega)
        assert_close(h, lattice.entropy)
        assert_close(by_another_road, gradient)


@SETTINGS
@given(batches())
def test_the_entropy_gradients_are_the_covariance_over_all_paths(batch):
    """Scores of 3000 and sentences in logs too."""
    pot, allowed = batch.potentials, batch.allowed
    omega, paths = weights_of(pot), oracle.sentences(pot, allowed)
    score = Lattice(pot, allowed).score
    truth = sum((_alone(pot, paths, s, score) * w for s, w in enumerate(omega)), start=0 * score)
    for algorithm in ALGORITHMS.values():
        h, gradient = algorithm(Lattice(pot, allowed), omega)
        assert_close(h, oracle.entropy(paths), magnitude=batch.magnitude)
        assert_close(gradient, truth, magnitude=batch.magnitude)


def _alone(pot, paths, sentence, r):
    return oracle.covariance(pot, paths[sentence : sentence + 1], r)


def test_covariance_is_the_gradient_of_any_function_of_the_marginals():
    """h(marginals) = Σ mu², so r = ∂h/∂marginals = 2 mu, held fixed."""
    pot = random_batch(np.random.default_rng(1), 3, [4, 1, 3], 2, scale=1.0).potentials

    def h(at):
        mu = Lattice(at).marginals()
        return mu.inner(mu)

    lattice = Lattice(pot)
    assert_gradient(h, pot, lattice.covariance(2 * lattice.marginals()))


def test_the_covariance_is_its_own_adjoint():
    """⟨Cov r, q⟩ = Σ Cov(r(y), q(y)) = ⟨Cov q, r⟩."""
    rng = np.random.default_rng(2)
    pot = random_batch(rng, 4, [5, 1, 7], 2, scale=2.0).potentials
    r, q = (pot.with_values(rng.normal(size=pot.unary.shape), rng.normal(size=pot.edge.shape)) for _ in "rq")
    lattice = Lattice(pot)
    assert_close(lattice.covariance(r).inner(q), lattice.covariance(q).inner(r))


# Name → a gradient of log Z that is wrong, from the right one.
PLANTED = {
    "off by 0.1 %": lambda mu: 1.001 * mu,
    "one element off by 0.1 %": lambda mu: mu.with_values(mu.unary * np.where(np.arange(4) == 1, 1.001, 1), mu.edge),
    "dropped edges": lambda mu: mu.with_values(mu.unary, 0 * mu.edge),
    "dropped begin": lambda mu: mu.with_values(mu.unary * (np.arange(len(mu.unary)) > 0)[:, None], mu.edge),
    "transposed edges": lambda mu: mu.with_values(mu.unary, mu.edge.transpose(0, 2, 1)),
    "edge matrices exchanged": lambda mu: mu.with_values(mu.unary, mu.edge[::-1]),
    "wrong sign": lambda mu: -1 * mu,
    "not a number": lambda mu: mu * np.nan,
}


@pytest.mark.parametrize("spoil", PLANTED.values(), ids=PLANTED.keys())
def test_a_wrong_gradient_is_caught(spoil):
    pot = random_batch(np.random.default_rng(0), 4, [5, 3], 2, scale=1.0).potentials
    right = Lattice(pot).marginals()
    with pytest.raises(AssertionError, match=", not "):
        assert_gradient(lambda at: Lattice(at).log_z.sum(), pot, spoil(right))
    with pytest.raises(AssertionError, match=", not "):
        assert_close(spoil(right), right)
