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
