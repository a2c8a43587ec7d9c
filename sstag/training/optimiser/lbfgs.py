"""L-BFGS, and OWL-QN when there is an l1 penalty: everything is MAXIMISED.

    F(θ) = f(θ) - l1 Σ_{i penalised} |θ_i|         f(θ) and ∂f/∂θ are given by the caller, in a new array

L-BFGS (Nocedal & Wright 2006, algorithm 7.4) goes from θ along d = H a, where a is the gradient and H ≈ (-∇²f)⁻¹ comes
from the last few pairs s = θ' - θ, y = g - g'. What they do not tell comes from H_0 = c·diag(1/h), with h how much f
curves along each single weight, as the caller says (`metric`): many passes are saved where some weights matter at every
token and most at one. The two loops run on numbers, the products of all pairs, so that the vectors are passed over only
twice, in pieces that threads share (Chen, Wang & Zhou 2014). With l1 = 0 a step meets the strong Wolfe conditions
(`line_search`), so that sᵀy > 0. OWL-QN (Andrew & Gao 2007) differs in three places: a is the pseudo-gradient of F;
components of d that point against it are zero; weights that would change their sign along the path stop at zero. Its
pairs are those of f.

Differs: after a step that had to be shortened, the next d may point against a at weights that are not zero. Always to
forbid it, as the paper does, is quicker on the way but can stall for thousands of steps where f is ill-conditioned.

F never goes down from one iterate to the next, be it concave or not. Where f is not concave the end is a point with
a ≈ 0, and a start with a = 0, though it be a saddle, is an end. A pair with (nearly) no curvature is not used; if no
step along d leads higher, all pairs are forgotten and d = H_0 a; if none does along that either, it is the end.

Cost: one evaluation of f in most iterations, O(memory · n) time, and 8 (memory + 8) bytes per weight. Its own sums are
in a fixed order, so that whoever gives the same f gets the same bytes. Pairs are rounded to single precision before
anything is made of them: they tell curvature, of which seven digits are more than enough, and reading them is most of
the time between two evaluations. θ, f and gradients are not rounded.
"""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Array, Bools, Floats
from sstag.foundation.errors import NumericalError
from sstag.foundation.parallel import Over, even_slices, one_by_one
from sstag.foundation.sums import in_order
from sstag.training.optimiser.line_search import Trial, wolfe_step

Function: TypeAlias = Callable[[Floats], tuple[float, Floats]]
State: TypeAlias = Mapping[str, Array]  # everything that later iterates depend on

REQUESTED = "stopped: as requested"
PRECISE = "converged: what is left to gain is less than the value's precision"
EXHAUSTED = "stopped: no step leads any higher (the limit of numerical precision, or a wrong gradient)"

# What F can be wrong by, relative to itself, after sums over many sentences.
PRECISION = 1e-10

# The iterations before which the metric is asked for: in the beginning it changes much.
ASKED = (0, 10, 20, 30, 40)

MEMORY = 10  # pairs
PERIOD = 10  # iterations whose gain says whether it has converged
KEPT = ("s", "y", "s_y", "y_y", "inverse")  # the arrays of a search that its state has

# A pair counts if the cosine of s and y is above this: 2e-3 is what a condition number of 10⁶ can lead to.
LEAST_COSINE = 1e-10


@dataclass(frozen=True)
class Step:
    """An iterate, as the callback sees it. `theta` is never written to again, so that it can be kept."""

    iteration: int
    value: float  # F(θ)
    gradient_norm: float  # of the pseudo-gradient
    step: float  # of the line search: 1 is the full step of L-BFGS
    evaluations: int  # of f, since the start
    theta: Floats  # (n,)
    state: Callable[[], State]  # for a climb that goes on from here; its arrays hold until the callback returns


@dataclass(frozen=True)
class Optimum:
    """The best iterate, which is the last one, and why it is the last one."""

    theta: Floats  # (n,)
    value: float
    gradient_norm: float
    iterations: int
    evaluations: int
    reason: str  # begins with "converged" or "stopped"

    @property
    def converged(self) -> bool:
        """Whether it is an optimum as far as was asked for."""
        return self.reason.startswith("converged")


def maximised(
    function: Function,
    start: Floats,
    *,
    metric: Callable[[Floats], Floats] | None = None,
    l1: float = 0.0,
    penalised: Bools | None = None,
    memory: int = MEMORY,
    gradient_tolerance: float = 1e-5,
    value_tolerance: float = 1e-5,
    period: int = PERIOD,
    max_iterations: int = 1000,
    callback: Callable[[Step], bool | None] | None = None,
    stop: Callable[[], bool] | None = None,
    over: Over = one_by_one,
    state: State | None = None,
) -> Optimum:
    """The weights (n,) at which F is highest, as seen from `start`, or from the `state` of an earlier climb.

    A climb that goes on from a state finds what the earlier one would have found, to the last bit.

    It has converged when ‖a‖ ≤ gradient_tolerance · max(1, ‖θ‖), or when the last `period` iterations together added no
    more than value_tolerance · |F|. `callback` is called after each iteration and ends the run by returning true;
    `stop`, for an Event its `is_set`, is asked before each evaluation. A trial point at which `function` raises
    NumericalError, or gives a number that is not finite, only shortens the step. `over` shares the work on the pairs.
    """
    search = _Search(function, l1, penalised, memory, np.shape(start), stop, over)
    values: deque[float] = deque(maxlen=period + 1)
    iteration, end = 0, ""
    if state is None:
        here = search.start(np.array(start, dtype=np.float64))
        values.append(here.value)
    else:
        values.extend(state["values"].tolist())
        iteration, here = search.restore(state, values[-1])
    while True:
        reason = _convergence(here, values, period, gradient_tolerance, value_tolerance) or end
        if not reason and iteration >= max_iterations:
            reason = f"stopped: the limit of {max_iterations} iterations is reached"
        if reason:
            return Optimum(here.theta, here.value, here.norm, iteration, search.evaluations, reason)
        if metric and iteration in ASKED and not end:
            search.measure(metric(here.theta))
        try:
            step, here = search.next(here)
        except _End as known:
            end = str(known)
            continue
        iteration += 1
        values.append(here.value)
        told = partial(search.state, here, values, iteration)
        if callback and callback(Step(iteration, here.value, here.norm, step, search.evaluations, here.theta, told)):
            end = REQUESTED


def fits(state: State, numbers: int) -> bool:
    """Whether a state is one of a climb of so many numbers, with the usual memory and period."""
    pairs, square = (MEMORY, numbers), (MEMORY, MEMORY)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("theta", "gradient", "inverse"), (numbers,))
    shapes |= {"s": pairs, "y": pairs, "s_y": square, "y_y": square, "counts": (5,)}
    if any(state[name].shape != shape for name, shape in shapes.items()):
        return False
    iteration, evaluations, newest, count, _ = state["counts"].tolist()
    return (
        0 <= iteration <= evaluations
        and 0 <= newest < MEMORY
        and 0 <= count <= MEMORY
        and 0 < len(state["values"]) <= PERIOD + 1
    )


def _convergence(
    here: "_Point", values: deque[float], period: int, gradient_tolerance: float, value_tolerance: float
) -> str:
    """In which sense this is the optimum; "" if in none."""
    norm, gain = here.norm / max(1.0, here.size), values[-1] - values[0]
    if norm <= gradient_tolerance:
        return f"converged: the gradient is {norm:.1e} of the weights' size"
    if len(values) > period and gain <= value_tolerance * abs(here.value):
        part = f"{gain / abs(here.value):.1e} of itself" if gain else "nothing"
        return f"converged: the last {period} iterations added {part} to the value"
    return ""


class _End(Exception):
    """There is no next iterate, for the reason given."""


@dataclass(frozen=True, slots=True)
class _Point:
    """An iterate and what its successor is found from."""

    theta: Floats  # (n,)
    value: float  # F(θ)
    gradient: Floats  # ∂f/∂θ, (n,)
    ascent: Floats  # the pseudo-gradient a, (n,); with l1 = 0 it is the gradient
    norm: float  # ‖a‖
    size: float  # ‖θ‖


class _Search:
    """f with its penalty, and the pairs that stand for its curvature."""

    def __init__(
        self, function: Function, l1: float, penalised: Bools | None, memory: int, shape: tuple[int, ...],
        stop: Callable[[], bool] | None, over: Over,
    ) -> None:  # fmt: skip
        mask = None if penalised is None else np.require(penalised, np.bool_, ["C", "A"])
        if memory < 1 or not l1 >= 0 or len(shape) != 1 or not (mask is None or mask.shape == shape):
            of_mask = None if mask is None else mask.shape
            raise ValueError(f"memory {memory}, l1 {l1}, weights of shape {shape}, penalised of shape {of_mask}")
        self.function, self.l1, self.penalised, self.stop = function, float(l1), mask, stop
        self.evaluations = 0
        self.over, self.pieces = over, even_slices(shape[0])
        self.s, self.y = (np.zeros((memory, *shape), np.float32) for _ in range(2))  # rings
        self.s_y, self.y_y = np.zeros((2, memory, memory))  # s_kᵀy_j of no older y, and y_kᵀHy_j
        self.newest, self.count = 0, 0
        self.inverse = np.ones(shape)  # of the metric
        self.shortened = False  # the last step, to less than the first that was tried
        self.d = np.empty(shape)

    def start(self, theta: Floats) -> _Point:
        """The first point, which has to be one that can be computed."""
        if not np.isfinite(theta).all():
            raise NumericalError("the weights to start from are not finite")
        try:
            value, gradient = self.evaluate(theta)
        except NumericalError as error:
            raise NumericalError(f"at the weights to start from: {error}") from error
        if not math.isfinite(value):
            raise NumericalError(f"the objective is {value} at the weights to start from")
        here = self.point(theta, value - self.l1 * _core.penalised_size(theta, self.penalised), gradient)
        if not math.isfinite(here.norm):
            raise NumericalError("the gradient is not finite at the weights to start from")
        return here

    def state(self, here: _Point, values: deque[float], iteration: int) -> State:
        """Everything that the next iterate depends on, and those after it."""
        counts = [iteration, self.evaluations, self.newest, self.count, self.shortened]
        return {
            "theta": here.theta,
            "gradient": here.gradient,
            "values": np.array(values),
            "counts": np.array(counts, np.int64),
            **{name: getattr(self, name) for name in KEPT},
        }

    def restore(self, state: State, value: float) -> tuple[int, _Point]:
        """The iteration of a state, and its point, of this value, from which the search goes on."""
        iteration, self.evaluations, self.newest, self.count, shortened = state["counts"].tolist()
        self.shortened = bool(shortened)
        for name in KEPT:
            getattr(self, name)[:] = state[name]
        return iteration, self.point(np.array(state["theta"]), value, np.array(state["gradient"]))

    def next(self, here: _Point) -> tuple[float, _Point]:
        """The step taken, and the iterate it led to."""
        promised = math.inf  # by the pairs, before they were forgotten
        while True:
            slope = self.direction(here.ascent)
            if self.l1:
                slope = _core.align(self.d, here.ascent, here.theta, self.penalised, self.shortened)
            if 0.0 < slope < math.inf:
                first = 1.0 if self.count else 1.0 / math.sqrt(slope)
                origin = Trial(0.0, here.value, slope, 0.0, here.theta, here.gradient)
                found = wolfe_step(partial(self.trial, here, slope), origin, first)
                if found:
                    there = self.point(found.theta, found.value, found.gradient)
                    self.remember(here, there)
                    self.shortened = found.step < first
                    return found.step, there
            if not self.count:
                raise _End(PRECISE if promised <= PRECISION * abs(here.value) else EXHAUSTED)
            promised = slope if slope > 0.0 else math.inf
            self.count = 0

    def measure(self, metric: Floats) -> None:
        """Takes another metric."""
        np.divide(1.0, metric, out=self.inverse)
        self.y_y = self.summed(self.y_y.shape, lambda *some: _core.weighed_squares(self.y, self.inverse, *some))

    def direction(self, a: Floats) -> float:
        """d = H a; returns the slope aᵀd. Two passes over the pairs: all products, and the sum that these tell."""
        newest, scale = self.newest, 1.0
        taken, added = np.zeros((2, len(self.s)))
        if self.count:
            found = self.summed(
                (len(self.s), 4), lambda *some: _core.products_of_pairs(self.s, self.y, self.inverse, a, newest, *some)
            )
            self.s_y[:, newest] = found[:, 2]
            self.y_y[:, newest] = self.y_y[newest] = found[:, 3]
            scale = float(self.s_y[newest, newest] / self.y_y[newest, newest])
            _core.coefficients(found, self.s_y, self.y_y, scale, newest, self.count, taken, added)

        def combine(some: slice) -> float:
            return _core.combined(
                self.s, self.y, self.inverse, a, scale, newest, self.count, taken, added, some.start, some.stop, self.d
            )

        return in_order(self.over(combine, self.pieces))

    def summed(self, shape: tuple[int, ...], add: Callable[[int, int, Floats], None]) -> Floats:
        """The sum of what is added for each piece, in their order."""

        def part(some: slice) -> Floats:
            out = np.zeros(shape)
            add(some.start, some.stop, out)
            return out

        return sum(self.over(part, self.pieces), start=np.zeros(shape))

    def trial(self, here: _Point, slope: float, step: float) -> Trial:
        """F at a point of the path from `here` along d."""
        if self.stop and self.stop():
            raise _End(REQUESTED)
        theta = np.empty_like(here.theta)
        size, promised = 0.0, step * slope
        if self.l1:
            size, promised = _core.move_in_orthant(here.theta, self.d, step, here.ascent, self.penalised, theta)
        else:
            _core.move(here.theta, self.d, step, theta)
        try:
            value, gradient = self.evaluate(theta)
        except NumericalError:
            value, gradient = -math.inf, here.gradient
        value -= self.l1 * size
        slope_there = _core.dot(gradient, self.d)
        if not math.isfinite(value) or not math.isfinite(slope_there):
            value, slope_there = -math.inf, math.nan
        return Trial(step, value, math.nan if self.l1 else slope_there, promised, theta, gradient)

    def evaluate(self, theta: Floats) -> tuple[float, Floats]:
        """f and its gradient."""
        self.evaluations += 1
        value, gradient = self.function(theta)
        if np.shape(gradient) != theta.shape:
            raise ValueError(f"a gradient of shape {np.shape(gradient)} for weights of shape {theta.shape}")
        return float(value), np.require(gradient, np.float64, ["C", "W", "A"])

    def point(self, theta: Floats, value: float, gradient: Floats) -> _Point:
        """A point with its pseudo-gradient."""
        ascent = gradient
        if self.l1:
            ascent = np.empty_like(gradient)
            _core.pseudo_gradient(theta, gradient, self.penalised, self.l1, ascent)
        norm, size = (math.sqrt(_core.dot(a, a)) for a in (ascent, theta))
        return _Point(theta, value, gradient, ascent, norm, size)

    def remember(self, before: _Point, after: _Point) -> None:
        """The pair of two iterates, if f curves downwards between them."""
        rows = len(self.s)
        row = (self.newest + 1) % rows

        def difference(some: slice) -> tuple[float, float, float]:
            return _core.add_pair(
                self.s, self.y, before.theta, after.theta, before.gradient, after.gradient, row, some.start, some.stop
            )

        s_y, s_s, y_y = map(sum, zip(*self.over(difference, self.pieces), strict=True))
        if s_y > LEAST_COSINE * math.sqrt(s_s) * math.sqrt(y_y):
            self.newest, self.count = row, min(self.count + 1, rows)
        else:
            self.count = min(self.count, rows - 1)  # it stands where the oldest was
