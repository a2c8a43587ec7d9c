"""The doors of the core: what does not fit is a Python error that says so, never a crash."""

import pickle

import numpy as np
import pytest

from sstag.chain import _core
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from tests.hostile_calls import called, functions, proper


def test_every_function_takes_what_fits():
    for seed in range(20):
        given = proper(np.random.default_rng(seed))
        assert given.keys() == functions().keys()
        for name, function in functions().items():
            function(*given[name])


def test_hostile_calls_are_errors():
    ended = called(6000, 1)
    assert ended["ValueError"] > 2000
    assert not ended["silent"]
    assert ended["answer"] > 500  # some of what is given fits all the same


def batch() -> Potentials:
    return Potentials(np.zeros((3, 2)), np.zeros((1, 2, 2)), np.zeros(3, np.int32), np.array([0, 3]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros(3), np.zeros(4)), "out has 4 where N is 3"),
        ((np.zeros((3, 1)), np.zeros(3)), "x has 2 dimensions, not 1"),
        ((np.zeros(3, np.float32), np.zeros(3)), "x must be an array of float64"),
        ((np.zeros(6)[::2], np.zeros(3)), "x must be a contiguous array of float64"),
        ((np.zeros(3), b"123"), "out must be a contiguous writable array of float64"),
    ],
)
def test_an_array_that_does_not_fit_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        _core.exponentials(*arguments)


def test_shared_memory_is_refused_where_it_is_written_to():
    x = np.zeros(8)
    with pytest.raises(ValueError, match="out is written to and shares memory with x"):
        _core.exponentials(x[:4], x[3:7])
    _core.exponentials(x[:4], x[4:])
    assert _core.dot(x[:5], x[2:7]) == 4 * 0.0 + 1.0


def test_indices_are_checked():
    pot = batch()
    object.__setattr__(pot, "edge_index", np.array([0, 0, 1], np.int32))
    with pytest.raises(ValueError, match="edge_index must be from 0 to 0 inside a sentence"):
        _ = Lattice(pot).log_z


def test_arguments_are_counted():
    with pytest.raises(TypeError, match="2 arguments are wanted, not 1"):
        _core.dot(np.zeros(3))


def test_what_crosses_to_another_process_pickles():
    lattice = Lattice(batch())
    gradient = lattice.marginals()
    again = pickle.loads(pickle.dumps((lattice.potentials, gradient, *lattice._distribution.passes[1:])))
    assert again[1].unary.tobytes() == gradient.unary.tobytes()
    assert Lattice(again[0]).log_z.tobytes() == lattice.log_z.tobytes()
