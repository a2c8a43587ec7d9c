"""The optimiser finds what scipy finds, never goes down, and says truthfully why it stopped."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der

from sstag.chain import _core
from sstag.foundation.errors import NumericalError
from sstag.foundation.parallel import shards
from sstag.training.optimiser import line_search
from sstag.training.optimiser.lbfgs import EXHAUSTED, PRECISE, REQUESTED, maximised
from tests.compare import assert_close

SETTINGS = settings(max_examples=50, deadline=None)

exactly = partial(maximised, gradient_tolerance=1e-7, value_tolerance=-1.0, max_iterations=20_000)


def logistic(seed, rows=80, weights=20, l2=0.1):
    """Σ_i log σ(±x_iᵀθ) - l2/2 ‖θ‖²."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, weights)) * rng.exponential(size=weights)
    x *= np.where(x @ rng.normal(size=weights) + rng.logistic(size=rows) > 0, 1.0, -1.0)[:, None]

    def function(theta):
        margin = x @ theta
        value = -np.logaddexp(0.0, -margin).sum() - l2 / 2 * (theta @ theta)
        return value, x.T @ np.exp(-np.logaddexp(0.0, margin)) - l2 * theta

    return function, np.zeros(weights)


def quadratic(seed, condition, weights=30):
    """100 - ½ (θ - m)ᵀA(θ - m), with eigenvalues of A from 1 to `condition`."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(weights, weights)))[0]
    eigenvalues = np.geomspace(1.0, condition, weights)
    mean = rng.normal(size=weights)

    def function(theta):
        away = (theta - mean) @ rotation
        return 100 - eigenvalues @ away**2 / 2, -rotation @ (eigenvalues * away)

    return function, rng.normal(size=weights)


def valley(weights):
    """Rosenbrock's, upside down."""
    return lambda theta: (-rosen(theta), -rosen_der(theta)), np.tile([-1.2, 1.0], weights // 2)


def mixture(theta):
    """The likelihood of the means of two normal distributions: a saddle wherever they are the same."""
    data = np.array([-2.1, -1.9, -1.5, 1.4, 2.0, 2.2, 2.3])[:, None]
    logs = -((data - theta) ** 2) / 2
    total = np.logaddexp(logs[:, 0], logs[:, 1])
    return total.sum(), (np.exp(logs - total[:, None]) * (data - theta)).sum(axis=0)


def hills(theta):
    """Many local optima, and regions that curve upwards."""
    return np.cos(3 * theta).sum() - 0.05 * (theta @ theta), -3 * np.sin(3 * theta) - 0.1 * theta


PROBLEMS = {
    "logistic": logistic(0),
    "quadratic": quadratic(1, 1e2),
    "ill-conditioned quadratic": quadratic(2, 1e4),
    "valley in 2": valley(2),
    "valley in 100": valley(100),
    "mixture": (mixture, np.array([0.3, 0.31])),
    "hills": (hills, np.linspace(-4.0, 5.0, 13)),
}


def scipys(function, start, l1=0.0):
    """The highest value according to scipy; with l1, over θ = p - q with p, q ≥ 0."""
    size = len(start)

    def negated(both):
        value, gradient = function(both[:size] - both[size:])
        return l1 * both.sum() - value, l1 - np.concatenate([gradient, -gradient])

    def plain(theta):
        value, gradient = function(theta)
        return -value, -gradient

    options = {"maxiter": 100_000, "maxfun": 200_000, "ftol": 0.0, "gtol": 1e-9, "maxcor": 30}
    if not l1:
        return -minimize(plain, start, jac=True, method="L-BFGS-B", options=options).fun
    both = np.concatenate([np.maximum(start, 0.0), np.maximum(-start, 0.0)])
    bounds = [(0.0, None)] * (2 * size)
    return -minimize(negated, both, jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun


def assert_optimal(theta, gradient, l1, penalised=None, tolerance=1e-6):
    """0 ∈ ∂F: |g_i| ≤ l1 where a penalised weight is zero, g_i = l1·sign(θ_i) where it is not."""
    c = l1 * (np.ones(len(theta), bool) if penalised is None else penalised)
    excess = np.where(theta == 0.0, np.maximum(np.abs(gradient) - c, 0.0), gradient - c * np.sign(theta))
    assert np.abs(excess).max() <= tolerance * max(1.0, np.linalg.norm(theta)), excess


# ---------------------------------------------------------------------- the same optimum as scipy's


@pytest.mark.parametrize("seed", range(5))
def test_logistic_regression_as_scipy(seed):
    function, start = logistic(seed)
    best = exactly(function, start)
    assert best.converged
    assert best.value == pytest.approx(scipys(function, start), rel=1e-10)
    assert best.value == function(best.theta)[0]


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_quadratic_as_scipy(seed, condition):
    function, start = quadratic(seed, condition)
    best = exactly(function, start)
    assert best.converged
    assert best.value == pytest.approx(scipys(function, start), rel=1e-8)
    assert best.value == pytest.approx(100.0, rel=1e-10)


@pytest.mark.parametrize("l1", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_l1_as_scipy(seed, l1):
    for function, start in (logistic(seed), quadratic(seed, 1e2)):
        best = exactly(function, start, l1=l1)
        assert best.converged
        assert best.value == pytest.approx(scipys(function, start, l1), rel=1e-8)
        assert_optimal(best.theta, function(best.theta)[1], l1)


def test_l1_makes_exact_zeros():
    function, start = logistic(0)
    zeros = [np.count_nonzero(exactly(function, start, l1=l1).theta == 0.0) for l1 in (0.0, 1.0, 5.0, 1e3)]
    assert zeros == sorted(zeros)
    assert zeros[0] == 0 < zeros[1] < zeros[2] < zeros[3] == len(start)


@SETTINGS
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([0.0, 0.1, 3.0]))
def test_optimality_with_some_weights_penalised(seed, weights, l1):
    function, start = quadratic(seed, 50.0, weights)
    penalised = np.random.default_rng(seed).random(weights) < 0.5
    start = np.where(np.random.default_rng(seed + 1).random(weights) < 0.3, 0.0, start)
    best = exactly(function, start, l1=l1, penalised=penalised)
    assert best.converged
    assert_optimal(best.theta, function(best.theta)[1], l1, penalised)
    assert best.value == pytest.approx(function(best.theta)[0] - l1 * np.abs(best.theta[penalised]).sum(), rel=1e-12)


def test_a_penalty_on_nothing_is_no_penalty():
    function, start = logistic(0)
    nowhere = exactly(function, start, l1=3.0, penalised=np.zeros(len(start), bool))
    assert nowhere.value == pytest.approx(exactly(function, start).value, rel=1e-10)


def test_l1_does_not_stall_where_the_curvature_is_uneven():
    function, start = quadratic(1, 1e4)
    best = exactly(function, start, l1=0.3, gradient_tolerance=1e-6, max_iterations=4000)
    assert best.converged


def test_a_metric_finds_the_same_optimum_sooner():
    rng = np.random.default_rng(4)
    curvature, mean = np.geomspace(1.0, 1e4, 40), rng.normal(size=40)

    def function(theta):
        return -curvature @ (theta - mean) ** 2 / 2 - 0.1 * np.cosh(theta).sum(), (
            -curvature * (theta - mean) - 0.1 * np.sinh(theta)
        )

    asked = []

    def metric(theta):
        asked.append(theta.copy())
        return curvature

    plain = maximised(function, np.zeros(40), gradient_tolerance=1e-5, value_tolerance=0)
    helped = maximised(function, np.zeros(40), gradient_tolerance=1e-5, value_tolerance=0, metric=metric)
    assert plain.converged
    assert helped.converged
    assert_close(helped.theta, plain.theta, tolerance=1e-4)
    assert helped.evaluations < plain.evaluations / 3
    assert (asked[0] == 0).all()
    assert len(asked) == 1 + helped.iterations // 10


# ---------------------------------------------------------------------- the vectors of the core, as plain formulas


def two_loops(s, y, a, h, order):
    """H a, by L-BFGS as the book has it (algorithm 7.4); `order` begins with the newest pair."""
    d, taken = a.copy(), {}
    for k in order:
        taken[k] = s[k] @ d / (s[k] @ y[k])
        d -= taken[k] * y[k]
    d *= h
    for k in reversed(order):
        d += s[k] * (taken[k] - y[k] @ d / (s[k] @ y[k]))
    return d


def single(pairs):
    return pairs.astype(np.float32)


def rounded_pairs(rng, count, weights):
    """Pairs that single precision holds, with sᵀy ≥ 0.9."""
    s, y = rng.normal(size=(count, weights)), rng.normal(size=(count, weights))
    y += s * np.maximum(1.0 - (s * y).sum(axis=1), 0.0)[:, None] / (s * s).sum(axis=1)[:, None]
    return single(s).astype(np.float64), single(y).astype(np.float64)


def products_of(s, y, inverse, a, newest):
    found = np.zeros((len(s), 4))
    for begin, end in pairwise([0, len(a) // 3, len(a)]):
        _core.products_of_pairs(single(s), single(y), inverse, a, newest, begin, end, found)
    return found


@SETTINGS
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 7, 20, 3000]), st.integers(0, 10))
def test_the_direction_is_that_of_the_two_loops(seed, weights, count):
    rng = np.random.default_rng(seed)
    (s, y), a = rounded_pairs(rng, 10, weights), rng.normal(size=weights)
    newest, inverse = int(rng.integers(10)), rng.uniform(0.1, 2.0, weights)
    order = [(newest - back) % 10 for back in range(count)]

    s_y, y_y = np.full((2, 10, 10), np.nan)
    for k in reversed(order):
        found = products_of(s, y, inverse, a, k)
        assert_close(found.T, np.stack([s @ a, y @ (inverse * a), s @ y[k], y @ (inverse * y[k])]))
        s_y[:, k], y_y[:, k], y_y[k] = found[:, 2], found[:, 3], found[:, 3]
    squares = np.zeros((10, 10))
    for begin, end in pairwise([0, weights // 3, weights]):
        _core.weighed_squares(single(y), inverse, begin, end, squares)
    assert_close(squares, (y * inverse) @ y.T)
    assert_close(squares[np.ix_(order, order)], y_y[np.ix_(order, order)])

    taken, added = np.full((2, 10), np.nan)
    _core.coefficients(products_of(s, y, inverse, a, newest), s_y, y_y, 0.7, newest, count, taken, added)
    d, slope = np.empty(weights), 0.0
    for begin, end in pairwise([0, weights // 3, weights]):
        slope += _core.combined(single(s), single(y), inverse, a, 0.7, newest, count, taken, added, begin, end, d)
    expected = two_loops(s, y, a, 0.7 * inverse, order)
    magnitude = 100 * max(1.0, np.abs(expected).max(), np.abs(np.nan_to_num(added)).max())
    assert_close(d, expected, magnitude=magnitude)
    assert_close(slope, a @ expected, magnitude=magnitude * np.abs(a).sum())


@SETTINGS
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(0, 5))
def test_the_two_loops_are_the_matrix(seed, weights, count):
    """H ← (I - ρ s yᵀ) H (I - ρ y sᵀ) + ρ s sᵀ with ρ = 1 / sᵀy, from the oldest pair to the newest."""
    rng = np.random.default_rng(seed)
    (s, y), a = rounded_pairs(rng, 6, weights), rng.normal(size=weights)
    inverse = rng.uniform(0.1, 2.0, weights)
    h = 0.7 * np.diag(inverse)
    for k in reversed(range(count)):
        left = np.eye(weights) - np.outer(s[k], y[k]) / (s[k] @ y[k])
        h = left @ h @ left.T + np.outer(s[k], s[k]) / (s[k] @ y[k])
    assert_close(two_loops(s, y, a, 0.7 * inverse, range(count)), h @ a, magnitude=np.abs(h).max() * 100)


@pytest.mark.parametrize("zeros_only", [False, True])
@pytest.mark.parametrize("everywhere", [False, True])
def test_alignment_and_the_orthant(everywhere, zeros_only):
    rng = np.random.default_rng(0)
    theta = rng.normal(size=200) * (rng.random(200) < 0.5)
    d, a = rng.normal(size=200), rng.normal(size=200) * (rng.random(200) < 0.8)
    mask = np.ones(200, bool) if everywhere else rng.random(200) < 0.5
    given_mask = None if everywhere else mask

    aligned = d.copy()
    slope = _core.align(aligned, a, theta, given_mask, zeros_only)
    against = mask & (d * a <= 0) & ((theta == 0) | (not zeros_only))
    assert aligned.tobytes() == np.where(against, 0.0, d).tobytes()
    assert_close(slope, aligned @ a)

    out = np.empty(200)
    size, gain = _core.move_in_orthant(theta, d, 0.8, a, given_mask, out)
    orthant = np.where(theta != 0, np.sign(theta), np.sign(a))
    assert_close(out, np.where(mask & (np.sign(theta + 0.8 * d) != orthant), 0.0, theta + 0.8 * d))
    assert_close(size, np.abs(out[mask]).sum())
    assert_close(gain, a @ (out - theta))


# ---------------------------------------------------------------------- every step


def steps(function, start, **options):
    seen = []
    best = exactly(function, start, callback=seen.append, **options)
    assert [step.iteration for step in seen] == list(range(1, best.iterations + 1))
    return best, seen


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_step_meets_the_strong_wolfe_conditions(name):
    function, start = PROBLEMS[name]
    best, seen = steps(function, start, gradient_tolerance=1e-6)
    assert best.converged
    thetas = [start, *(step.theta for step in seen)]
    for before, after in pairwise(thetas):
        way = after - before
        (low, uphill), (high, there) = function(before), function(after)
        assert uphill @ way > 0
        assert high >= low + line_search.INCREASE * (uphill @ way) - 1e-15 * abs(low)
        assert abs(there @ way) <= line_search.CURVATURE * (uphill @ way) * (1 + 1e-6)


@pytest.mark.parametrize("l1", [0.0, 0.3])
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_value_never_goes_down_and_the_gradient_vanishes(name, l1):
    function, start = PROBLEMS[name]
    best, seen = steps(function, start, l1=l1, gradient_tolerance=1e-6)
    values = [function(start)[0] - l1 * np.abs(start).sum(), *(step.value for step in seen)]
    assert all(after >= before for before, after in pairwise(values))
    assert best.converged
    assert_optimal(best.theta, function(best.theta)[1], l1, tolerance=2e-6)
    assert (best.value, best.gradient_norm, best.theta.tobytes(), best.evaluations) == (
        seen[-1].value,
        seen[-1].gradient_norm,
        seen[-1].theta.tobytes(),
        seen[-1].evaluations,
    )


@SETTINGS
@given(st.integers(0, 2**32 - 1), st.floats(-6, 6), st.floats(-3, 3))
def test_a_step_of_any_first_trial_meets_the_conditions(seed, magnitude, width):
    """On a curve with many tops, stretched by 10^width and begun at 10^magnitude."""
    frequency, phase, height = np.random.default_rng(seed).exponential(size=(3, 4))
    phase = np.minimum(phase, 1.5)  # so that it begins uphill
    unit = 10.0**width
    uphill = height * frequency @ np.cos(phase) / unit

    trials = []

    def path(step):
        t = step / unit
        value = height @ np.sin(frequency * t + phase) - t * t / 10
        slope = (height * frequency @ np.cos(frequency * t + phase) - t / 5) / unit
        trials.append(line_search.Trial(step, value, slope, step * uphill, phase, phase))
        return trials[-1]

    origin = path(0.0)
    found = line_search.wolfe_step(path, origin, 10.0**magnitude)
    enough = [trial for trial in trials if trial.value >= origin.value + line_search.INCREASE * trial.promised]
    assert found in enough
    assert found.value == max(trial.value for trial in enough)
    assert abs(found.slope) <= line_search.CURVATURE * origin.slope


def test_an_increase_that_is_too_small_for_its_step_is_refused():
    def path(t):
        """A cubic that is level at t = 1, where it has gained half of what is asked for."""
        value, slope = np.polynomial.Polynomial([0.0, 1.0, -1.99985, 0.9999]), 1.0
        return line_search.Trial(t, float(value(t)), float(value.deriv()(t)), t * slope, np.zeros(1), np.zeros(1))

    assert path(1.0).value == pytest.approx(line_search.INCREASE / 2)
    assert path(1.0).slope == pytest.approx(0.0, abs=1e-12)
    found = line_search.wolfe_step(path, path(0.0), 1.0)
    assert found.step < 0.9
    assert found.value > 0.01


def test_the_valley_ends_at_ones():
    assert exactly(*valley(2)).theta == pytest.approx(np.ones(2), abs=1e-6)


def test_beside_a_saddle_the_top_is_found_and_on_it_the_saddle():
    beside = exactly(mixture, np.array([0.3, 0.3001]))
    assert sorted(beside.theta) == pytest.approx([-1.7, 1.9], abs=0.2)
    on_it = exactly(mixture, np.array([0.3, 0.3]))
    assert on_it.converged
    assert on_it.theta[0] == on_it.theta[1]
    assert on_it.value < beside.value - 1


def test_most_iterations_take_one_evaluation():
    best = exactly(*logistic(0, rows=500, weights=100), gradient_tolerance=1e-6)
    assert best.evaluations <= 1.2 * best.iterations + 5


def test_a_far_optimum_is_reached_by_longer_steps():
    best = exactly(lambda theta: (-((theta - 1e6) ** 2).sum() / 2, 1e6 - theta), np.zeros(3))
    assert best.theta == pytest.approx(np.full(3, 1e6))
    assert best.evaluations < 20


# ---------------------------------------------------------------------- why it stopped


def test_stops_where_the_gradient_vanishes():
    best = maximised(*logistic(0), gradient_tolerance=1e-3, value_tolerance=0.0)
    assert best.converged
    assert best.gradient_norm <= 1e-3 * max(1.0, np.linalg.norm(best.theta))
    assert best.reason.startswith("converged: the gradient is ")
    assert best.reason.endswith("e-04 of the weights' size")


def test_stops_where_the_value_grows_no_more():
    function, start = quadratic(0, 1e6)
    best = maximised(function, start, gradient_tolerance=0.0, value_tolerance=1e-3, period=4)
    values = [step.value for step in steps(function, start, max_iterations=best.iterations)[1]]
    gains = [(new - old) / abs(new) for old, new in zip(values, values[4:], strict=False)]
    assert best.converged
    assert gains[-1] <= 1e-3 < min(gains[:-1])
    assert best.reason == f"converged: the last 4 iterations added {gains[-1]:.1e} of itself to the value"


def test_stops_where_the_value_stands_still():
    best = maximised(lambda theta: (1.0, np.full(1, 1e-9)), np.zeros(1), gradient_tolerance=0.0, value_tolerance=0.0)
    assert best.reason == "converged: the last 10 iterations added nothing to the value"


@pytest.mark.parametrize("l1", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_stops_at_the_precision_of_the_value(seed, l1):
    function, start = logistic(seed)
    best = exactly(function, start, l1=l1, gradient_tolerance=0.0)
    assert best.converged
    assert best.reason == PRECISE
    assert best.gradient_norm < 1e-4


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_stops_at_the_limit_of_iterations(limit):
    best = exactly(*quadratic(0, 1e6), max_iterations=limit)
    assert (best.iterations, best.converged) == (limit, False)
    assert best.reason == f"stopped: the limit of {limit} iterations is reached"


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_stops_when_the_callback_asks_for_it(l1):
    function, start = quadratic(0, 1e6)
    seen = []
    best = exactly(function, start, l1=l1, callback=lambda step: seen.append(step) or step.iteration == 5)
    assert (best.iterations, best.converged, best.reason) == (5, False, REQUESTED)
    assert best.theta is seen[-1].theta


@pytest.mark.parametrize("patience", range(20))
def test_stops_on_request_with_the_best_so_far(patience):
    function, start = valley(2)
    values = []

    def counted(theta):
        values.append(function(theta)[0])
        return function(theta)

    best = exactly(counted, start, stop=lambda: len(values) > patience)
    assert (best.converged, best.reason) == (False, REQUESTED)
    assert len(values) == best.evaluations == patience + 1
    assert best.value == max(values)
    assert best.value == function(best.theta)[0]


def test_stops_when_no_step_leads_higher():
    function, start = logistic(0)
    wrong = exactly(lambda theta: (function(theta)[0], -function(theta)[1]), start)
    assert (wrong.iterations, wrong.converged, wrong.reason) == (0, False, EXHAUSTED)
    assert wrong.theta.tobytes() == start.tobytes()


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_after_a_search_that_failed_it_goes_on_from_steepest_ascent(l1):
    function, start = logistic(0)
    calls = []

    def interrupted(theta):
        calls.append(theta)
        return function(theta) if not 10 <= len(calls) < 10 + line_search.TRIALS else (math.nan, theta)

    best = exactly(interrupted, start, l1=l1)
    assert best.converged
    assert best.value == pytest.approx(exactly(function, start, l1=l1).value, rel=1e-10)


# ---------------------------------------------------------------------- where the function cannot be computed


def refuse(theta):
    raise NumericalError("too large")


OUTSIDE = {
    "-inf": lambda theta: (-math.inf, theta),
    "inf": lambda theta: (math.inf, theta),
    "nan": lambda theta: (math.nan, theta),
    "nan gradient": lambda theta: (1e6, np.full_like(theta, np.nan)),
    "inf gradient": lambda theta: (1e6, np.full_like(theta, np.inf)),
    "NumericalError": refuse,
}


@pytest.mark.parametrize("l1", [0.0, 1.0])
@pytest.mark.parametrize("outside", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_a_point_that_cannot_be_computed_shortens_the_step(outside, l1):
    def bounded(theta):
        """log(1 - θ) + 50 θ for θ < 1: its first step ends on the border."""
        return outside(theta) if theta[0] >= 1 else (math.log(1 - theta[0]) + 50 * theta[0], 50 - 1 / (1 - theta))

    best = exactly(bounded, np.zeros(1), l1=l1)
    assert best.converged
    assert best.theta == pytest.approx([1 - 1 / (50 - l1)])


def test_before_a_cliff_it_stops_as_high_as_it_came():
    best, seen = steps(lambda theta: (theta[0] if theta[0] < 1 else math.nan, np.ones(1)), np.full(1, 0.3))
    assert 1 - 1e-6 < best.theta[0] < 1
    assert best.reason == EXHAUSTED
    assert [step.value for step in seen] == sorted(step.value for step in seen)


def test_a_start_that_cannot_be_computed_is_an_error():
    start = np.zeros(2)
    with pytest.raises(NumericalError, match="weights to start from are not finite"):
        maximised(hills, np.array([0.0, np.nan]))
    for value in (math.nan, math.inf, -math.inf):
        with pytest.raises(NumericalError, match=f"objective is {value} at the weights to start from"):
            maximised(lambda theta, value=value: (value, theta), start)
    with pytest.raises(NumericalError, match="gradient is not finite at the weights to start from"):
        maximised(lambda theta: (1.0, np.array([0.0, np.inf])), start)
    with pytest.raises(NumericalError, match="at the weights to start from: too large"):
        maximised(refuse, start)


def test_other_errors_of_the_function_pass_through():
    with pytest.raises(ZeroDivisionError):
        maximised(lambda theta: (1 / 0, theta), np.zeros(2))


@pytest.mark.parametrize(
    "options", [{"memory": 0}, {"l1": -1.0}, {"l1": math.nan}, {"penalised": np.empty(0, bool)}, {"start": np.eye(2)}]
)
def test_arguments_that_make_no_sense(options):
    with pytest.raises(ValueError, match="memory"):
        maximised(hills, **{"start": np.zeros(2), **options})


def test_a_gradient_of_another_shape():
    with pytest.raises(ValueError, match=r"gradient of shape \(3,\) for weights of shape \(2,\)"):
        maximised(lambda theta: (0.0, np.zeros(3)), np.zeros(2))


# ---------------------------------------------------------------------- the caller's arrays, and the same bytes


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_no_weights_are_an_optimum(l1):
    best = maximised(lambda theta: (3.0, theta), np.empty(0), l1=l1)
    assert (best.value, best.converged, best.iterations, best.theta.shape) == (3.0, True, 0, (0,))


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_the_callers_arrays_are_its_own(l1):
    function, start = quadratic(0, 1e2)
    penalised = np.arange(len(start)) % 2 == 0
    copies = []
    expected, _ = steps(function, start, l1=l1, penalised=penalised)
    start.flags.writeable = penalised.flags.writeable = False
    seen = []
    best = exactly(
        function,
        start,
        l1=l1,
        penalised=penalised,
        callback=lambda step: seen.append(step.theta) or copies.append(step.theta.copy()),
    )
    assert best.theta.tobytes() == expected.theta.tobytes()
    assert [theta.tobytes() for theta in seen] == [copy.tobytes() for copy in copies]


def test_lists_integers_and_single_precision_will_do():
    best = exactly(lambda theta: (-(theta @ theta), (-2 * theta).astype(np.float32)), [3, -4])
    assert best.theta == pytest.approx([0.0, 0.0], abs=1e-8)


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_two_runs_give_the_same_bytes(l1):
    """Wherever in memory the arrays are. (BLAS, and so the other problems here, minds whether θ begins at 16 or 32.)"""
    scale = np.geomspace(1.0, 30.0, 1003)

    def function(theta):
        return math.fsum(np.cos(theta) - scale * (theta - 1) ** 2), -np.sin(theta) - 2 * scale * (theta - 1)

    runs = []
    for shift in range(4):
        start = np.zeros(1003 + shift)[shift:]
        kept = []
        best = exactly(function, start, l1=l1, callback=lambda step, kept=kept: kept.append(np.empty(7 * len(kept))))
        runs.append((best.value, best.evaluations, best.theta.tobytes()))
    assert best.iterations > 10
    assert len(set(runs)) == 1


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_any_number_of_threads_gives_the_same_bytes(l1):
    rng = np.random.default_rng(2)
    scale, mean = np.geomspace(1.0, 1e3, 20_003), rng.normal(size=20_003)

    def function(theta):
        return -math.fsum(scale * (theta - mean) ** 2) / 2, scale * (mean - theta)

    runs = set()
    for threads in (1, 2, 3):
        with shards(threads) as over:
            best = maximised(
                function, np.zeros(len(mean)), metric=lambda theta: 1 + theta**2, l1=l1, max_iterations=25, over=over
            )
        runs.add((best.iterations, best.value, best.theta.tobytes()))
    assert best.iterations > 15
    assert len(runs) == 1


def test_what_is_given_is_made_to_fit():
    """The core refuses arrays of another type or order, so floats or integers, contiguous or not, are converted."""
    function, start = quadratic(0, 1e2)
    for l1 in (0, 1, 0.5):
        maximised(function, np.repeat(start, 2)[::2], l1=l1, penalised=np.ones(60, np.int32)[::2])
