"""exp and log of the core: exact to a unit in the last place, rising, and right at the edges of their range."""

import mpmath
import numpy as np
import pytest

from sstag.chain import _core
from sstag.foundation.arrays import Floats


def exponentials(x: Floats) -> Floats:
    out = np.empty_like(x)
    _core.exponentials(x, out)
    return out


def logarithms(x: Floats) -> Floats:
    out = np.empty_like(x)
    _core.logarithms(x, out)
    return out


def units(found: float, truth: mpmath.mpf) -> float:
    """The error in units of the last place of what was found."""
    return float(abs(mpmath.mpf(found) - truth) / mpmath.mpf(float(np.spacing(abs(found)))))


RNG = np.random.default_rng(0)
EXPONENTS = {
    "all": (RNG.uniform(-708.0, 709.7, 3000), 0.9),
    "small": (RNG.normal(size=2000) * 10.0 ** RNG.integers(-18, 0, 2000), 0.7),
    "subnormal": (RNG.uniform(-745.1, -708.4, 1000), 1.0),
}
NUMBERS = {
    "all": np.exp(RNG.uniform(-708.0, 709.7, 3000)),
    "near 1": 1.0 + RNG.normal(size=3000) * 10.0 ** RNG.integers(-15, 0, 3000) * 0.1,
    "subnormal": RNG.uniform(0.0, 2.2e-308, 500),
}


@pytest.mark.parametrize("name", EXPONENTS)
def test_exponentials_are_exact_to_a_unit(name):
    x, most = EXPONENTS[name]
    with mpmath.workprec(150):
        wrong = [units(found, mpmath.exp(mpmath.mpf(float(at)))) for at, found in zip(x, exponentials(x), strict=True)]
    assert max(wrong) < most


@pytest.mark.parametrize("name", NUMBERS)
def test_logarithms_are_exact_to_a_unit(name):
    x = NUMBERS[name][NUMBERS[name] != 1.0]
    with mpmath.workprec(150):
        wrong = [units(found, mpmath.log(mpmath.mpf(float(at)))) for at, found in zip(x, logarithms(x), strict=True)]
    assert max(wrong) < 1.0


def neighbours(x: Floats) -> Floats:
    """The 64 numbers around each, ascending."""
    bits = x.view(np.int64)[:, None] + np.arange(-32, 32) * np.where(x < 0, -1, 1)[:, None]
    return np.ascontiguousarray(bits).view(np.float64)


def test_exponentials_never_fall():
    """Least of all where the reduced argument goes from one end of its range to the other."""
    ends = (np.arange(-1074, 1024) + 0.5) * np.log(2.0)
    for x in (ends, RNG.uniform(-700.0, 700.0, 5000), RNG.uniform(-2.0, 2.0, 5000), np.array([1e-300, -1e-300, 0.5])):
        found = exponentials(neighbours(x).ravel()).reshape(-1, 64)
        assert (np.diff(found, axis=1) >= 0.0).all()


def test_logarithms_never_fall():
    ends = np.sqrt(0.5) * 2.0 ** np.arange(-1021, 1023)
    for x in (ends, np.exp(RNG.uniform(-700.0, 700.0, 5000)), RNG.uniform(0.5, 2.0, 5000), np.array([1.0, 2.3e-308])):
        found = logarithms(neighbours(x).ravel()).reshape(-1, 64)
        assert (np.diff(found, axis=1) >= 0.0).all()


def test_the_edges_of_exponentials():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 709.78, 709.79, 1e308, -745.13, -745.14, -746.0, -1e308, 5e-324])
    smallest = 5e-324
    expected = [1, 1, np.inf, 0, np.nan, np.exp(709.78), np.inf, np.inf, smallest, 0, 0, 0, 1]
    np.testing.assert_allclose(exponentials(x), expected, rtol=1e-15)


def test_the_edges_of_logarithms():
    x = np.array([1.0, 0.0, -0.0, -1.0, -np.inf, np.inf, np.nan, 5e-324, np.finfo(float).max])
    expected = [0, -np.inf, -np.inf, np.nan, np.nan, np.inf, np.nan, np.log(5e-324), np.log(np.finfo(float).max)]
    np.testing.assert_allclose(logarithms(x), expected, rtol=1e-15)


@pytest.mark.parametrize("count", range(20))
def test_a_number_does_not_depend_on_its_neighbours(count):
    x = RNG.normal(size=20) * 10
    assert exponentials(x[:count].copy()).tobytes() == exponentials(x)[:count].tobytes()
    assert logarithms(np.abs(x[:count])).tobytes() == logarithms(np.abs(x))[:count].tobytes()


@pytest.mark.parametrize("seed", range(5))
def test_keys_have_the_numbers_that_a_dictionary_gives_them(seed):
    rng = np.random.default_rng(seed)
    most = [3, 40, 2**40, 2**62, 2**63 - 1][seed]  # few keys close together, and keys that mix into any place
    keys = np.unique(rng.integers(0, most, 50))
    numbers = rng.integers(0, 2**31 - 1, len(keys)).astype(np.int32)
    order = rng.permutation(len(keys))
    slots = np.full((2 ** len(keys).bit_length(), 2), 7)
    _core.fill_keys(keys[order], numbers[order], slots)
    known = dict(zip(keys.tolist(), numbers.tolist(), strict=True))
    asked = np.concatenate([keys, keys + 1, rng.integers(0, most, 50), [-1, -2, -(2**63)]])
    found = np.empty(len(asked), np.int32)
    _core.look_up(slots, asked, -5, found)
    assert found.tolist() == [-1 if key == -1 else known.get(key, -5) for key in asked.tolist()]


def test_a_table_without_a_free_place_is_searched_once():
    slots = np.array([[4, 1], [5, 2], [6, 3], [7, 4]])
    found = np.empty(6, np.int32)
    _core.look_up(slots, np.array([4, 5, 6, 7, 8, 9]), -5, found)
    assert {-5}.issuperset(found[4:].tolist())
    assert set(found[:4].tolist()) == {1, 2, 3, 4}
