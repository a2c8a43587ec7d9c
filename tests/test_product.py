"""A row times a matrix: the written instructions say what the function beside them says."""

import numpy as np
import pytest

from sstag.chain.compiler.compilation import code
from sstag.chain.compiler.machine_code import Signature, called
from sstag.chain.kernels.product import add_product, add_wide_product
from sstag.foundation.arrays import Floats


def product(a: Floats, t: int, matrix: Floats, k: int, out: Floats, row: int) -> None:
    """A kernel that is nothing else."""
    add_product(a, t, matrix, k, out, row)


@pytest.fixture(scope="module")
def compiled():
    signature = Signature(
        (("float64", 2), ("int64", 0), ("float64", 3), ("int64", 0), ("float64", 2), ("int64", 0)), ()
    )
    return called(code(product, "product", False, signature).object_file, "product", signature)


@pytest.mark.parametrize("columns", [1, 3, 7, 8, 9, 12, 15, 16, 17, 22, 24, 31, 32, 33, 51])
@pytest.mark.parametrize("sources", [1, 2, 5, 8])
def test_products_are_those_of_numpy(compiled, sources, columns):
    rng = np.random.default_rng(columns)
    a, matrix, before = (
        rng.normal(size=(3, sources)),
        rng.normal(size=(2, sources, columns)),
        rng.normal(size=(3, columns)),
    )
    a[1, rng.random(sources) < 0.5] = 0.0
    for t in range(3):
        out = before.copy()
        compiled(a, t, matrix, 1, out, 1)
        np.testing.assert_allclose(out[1], before[1] + a[t] @ matrix[1], rtol=1e-13, atol=1e-13)
        np.testing.assert_array_equal(out[[0, 2]], before[[0, 2]])


def test_a_source_of_zero_has_no_part_in_it(compiled):
    """Not even if what it would be multiplied with is no number: both of a pair are zero where nothing is allowed."""
    a, matrix, out = np.array([[0.0, 0.0, 2.0]]), np.ones((1, 3, 11)), np.zeros((1, 11))
    matrix[0, :2] = np.inf
    compiled(a, 0, matrix, 0, out, 0)
    np.testing.assert_array_equal(out, 2.0)


def test_what_is_no_number_stays_so(compiled):
    a, out = np.array([[np.nan, 1.0]]), np.zeros((1, 9))
    compiled(a, 0, np.ones((1, 2, 9)), 0, out, 0)
    assert np.isnan(out).all()


def test_the_function_that_stands_for_the_instructions_is_the_same():
    rng = np.random.default_rng(1)
    a, matrix, out = rng.normal(size=(1, 4)), rng.normal(size=(1, 4, 10)), np.zeros((1, 10))
    add_wide_product(a, 0, matrix, 0, out, 0)
    np.testing.assert_allclose(out, a @ matrix[0], rtol=1e-13)
