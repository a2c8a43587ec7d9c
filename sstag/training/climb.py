"""The climb to the best weights: objectives and prior, tied weights, the optimiser, early stopping by a judge.

Where passes of stochastic gradient are asked for, they take its place (`stochastic.py`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import Interrupted
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import carried_over, model
from sstag.model.weight_map import WeightMap, weight_map
from sstag.training.checkpoint import NEW
from sstag.training.criterion import Criterion, LargePart
from sstag.training.inputs import Inputs, Progress, Run, compiled_texts
from sstag.training.judge import scorer
from sstag.training.looks import Part
from sstag.training.methods.parameters import Climbing, Training
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.optimiser.lbfgs import REQUESTED, Function, Step, maximised
from sstag.training.outcome import Best, Outcome, out_of_patience
from sstag.training.priors import priors
from sstag.training.stochastic import epochs_of, refuse_unfit, walked
from sstag.training.tied_weights import tied


def likeliest(inputs: Inputs, compiled: Compiled, data: Dataset, params: Training, run: Run, start: Floats) -> Outcome:
    """The weights at which the labels of `data` are most likely, under the prior."""
    return climbed(inputs, compiled, [Part(data, (Likelihood(),))], params, run, start)


def climbed(
    inputs: Inputs,
    compiled: Compiled,
    parts: Sequence[Part],
    params: Training,
    run: Run,
    start: Floats,
    large: LargePart | None = None,
) -> Outcome:
    """The weights at which the objectives are highest, or best on development data."""
    found = _climbed(inputs, compiled, parts, params, run, start, large)
    run.ended(Climb(inputs, compiled, parts, params, found.theta))
    return found


@dataclass(frozen=True, eq=False)
class Climb:
    """A climb that has ended: what it looked at, and where it ended."""

    inputs: Inputs
    compiled: Compiled
    parts: Sequence[Part]
    params: Training
    theta: Floats


def _climbed(
    inputs: Inputs,
    compiled: Compiled,
    parts: Sequence[Part],
    params: Training,
    run: Run,
    start: Floats,
    large: LargePart | None,
) -> Outcome:
    if epochs_of(params):
        (part,) = parts
        return walked(inputs, compiled, part.data, params, run, start)
    every = weight_map(compiled)
    own = priors(compiled)
    ties = tied(every, [part.data for part in parts], start, own, large.volumes if large else None)
    single = 1.0 if own is None else 1.0 / own
    criterion = Criterion(ties.weight_map, parts, params.l2, run.over, ties.shares, large)
    sticky = params.sticky if isinstance(params, Climbing) else 0.0

    def value(theta: Floats) -> float:
        whole = Criterion(every, parts, params.l2, run.over, single, large)
        found, _ = _around(whole, every, params.l2, sticky)(theta)
        return found - float(params.l1 * np.abs(theta).sum())

    function = _around(criterion, ties.weight_map, params.l2, sticky)
    hill = Hill(function, ties.sums, ties.spread, value, criterion.curvature)
    return highest(inputs, compiled, hill, params, run, start)


def _around(function: Function, of: WeightMap, l2: float, sticky: float) -> Function:
    """A criterion whose prior −l2/2 ‖θ‖² becomes −l2/2 ‖θ − c‖²: c is `sticky` where a step keeps its label, else 0.

    Such weights are not tied, so the two differ by l2 (c·θ − ‖c‖²/2).
    """
    if not sticky:
        return function
    center = np.zeros(of.size)
    of.parts(center)["steps"][:] = np.where(np.equal(*np.nonzero(of.steps)), sticky, 0.0)
    constant = 0.5 * _core.dot(center, center)

    def around(theta: Floats) -> tuple[float, Floats]:
        value, gradient = function(theta)
        return value + l2 * (_core.dot(center, theta) - constant), gradient + l2 * center

    return around


@dataclass(frozen=True)
class Hill:
    """An objective in reduced coordinates, in which weights that are tied share one number."""

    function: Callable[[Floats], tuple[float, Floats]]  # its value and gradient, without l1
    standing_for: Callable[[Floats], Floats]  # weights → numbers
    weights: Callable[[Floats], Floats]  # numbers → weights
    value: Callable[[Floats], float]  # of weights, with l1
    metric: Callable[[Floats], Floats] | None = None


def highest(inputs: Inputs, compiled: Compiled, hill: Hill, params: Training, run: Run, start: Floats) -> Outcome:
    """The weights at which a function is highest, or best on development data.

    A start counts among the best only if it has weights at all. `Interrupted` if it was stopped before an iteration.
    """
    numbers = hill.standing_for(start)
    known = run.checkpoint.next_climb(len(start), len(numbers)) if run.checkpoint else NEW
    if known.outcome:
        return known.outcome
    judge = scorer(inputs, model(compiled, np.zeros(0)), run) if inputs.development else None
    began = time.monotonic()
    best = known.best
    if judge and start.any() and known.state is None:
        best = Best(judge(start), start, 0)
    lost_patience = False

    def told(step: Step) -> bool:
        nonlocal best, lost_patience
        score, theta = None, start
        if judge:
            theta = hill.weights(step.theta)
            score = judge(theta)
        seconds = time.monotonic() - began
        run.tell(Progress(step.iteration, step.value, step.gradient_norm, seconds, score, run.phase))
        if score is not None:
            best = best.or_better(score, theta, step.iteration) if best else Best(score, theta, step.iteration)
            lost_patience = best.is_old(step.iteration, params.patience)
        if run.checkpoint and not lost_patience:
            run.checkpoint.keep(step.iteration, step.state, best)
        return lost_patience

    optimum = maximised(
        hill.function,
        numbers,
        metric=hill.metric,
        l1=params.l1,
        value_tolerance=params.tolerance,
        max_iterations=params.max_iterations,
        callback=told,
        stop=run.stop,
        over=run.over,
        state=known.state,
    )
    if optimum.reason == REQUESTED and not optimum.iterations:
        raise Interrupted
    stopped, reason = optimum.reason == REQUESTED and not lost_patience, optimum.reason
    if lost_patience:
        reason = out_of_patience(params.patience)
    if best is None and optimum.iterations:
        theta, value = hill.weights(optimum.theta), optimum.value
    else:
        theta = best.theta if best else start  # which need not have equal shares
        value = hill.value(theta)
    scored = (best.score, best.iteration) if best else ()
    outcome = Outcome(theta, optimum.iterations, optimum.converged, reason, value, *scored)
    if run.checkpoint and not stopped:
        run.checkpoint.end(outcome)
    return outcome


def compiled_for(inputs: Inputs, params: Training, run: Run) -> Compiled:
    """The template applied to the labelled sentences, for a climb or for passes of stochastic gradient."""
    if epochs_of(params):
        refuse_unfit(inputs, params)
    return compiled_texts(inputs, run, bundled=not epochs_of(params))


def start_weights(inputs: Inputs, compiled: Compiled) -> Floats:
    """The weights of the earlier model where the two have weights in common, else 0."""
    zero = np.zeros(weight_map(compiled).size)
    return carried_over(inputs.init, model(compiled, zero)) if inputs.init else zero
