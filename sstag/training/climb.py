"""The climb to the best weights: objectives and prior, tied weights, the optimiser, early stopping by a judge."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sstag.foundation.arrays import Floats
from sstag.foundation.errors import Interrupted
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import carried_over, model
from sstag.model.weight_map import parameters
from sstag.training.criterion import Criterion, Part
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.judge import scorer
from sstag.training.objectives import objective
from sstag.training.optimiser.lbfgs import REQUESTED, Step, maximised
from sstag.training.tied_weights import tied


@dataclass(frozen=True)
class _Best:
    """The weights with the best score on development data so far."""

    score: float
    theta: Floats
    iteration: int


def likeliest(
    inputs: Inputs, compiled: Compiled, data: Dataset, params: Mapping[str, Any], run: Run, start: Floats
) -> tuple[Floats, dict[str, Any]]:
    """The weights at which the labels of `data` are most likely, under the prior; and how it went."""
    return climbed(inputs, compiled, [Part(data, (objective("likelihood"),))], params, run, start)


def climbed(
    inputs: Inputs, compiled: Compiled, parts: Sequence[Part], params: Mapping[str, Any], run: Run, start: Floats
) -> tuple[Floats, dict[str, Any]]:
    """The weights at which the objectives are highest, or best on development data; and how it went."""
    every = parameters(compiled)
    ties = tied(every, [part.data for part in parts])
    criterion = Criterion(ties.parameters, parts, params["l2"], run.over, ties.shares)

    def value(theta: Floats) -> float:
        found, _ = Criterion(every, parts, params["l2"], run.over)(theta)
        return found - float(params["l1"] * np.abs(theta).sum())

    hill = Hill(criterion, ties.sums, ties.spread, value, criterion.curvature)
    return highest(inputs, compiled, hill, params, run, start)


@dataclass(frozen=True)
class Hill:
    """What is climbed: a function of numbers that stand for the weights, and what these have to do with each other."""

    function: Callable[[Floats], tuple[float, Floats]]  # its value and gradient, without l1
    standing_for: Callable[[Floats], Floats]  # weights → numbers
    weights: Callable[[Floats], Floats]  # numbers → weights
    value: Callable[[Floats], float]  # of weights, with l1
    metric: Callable[[Floats], Floats] | None = None


def highest(
    inputs: Inputs, compiled: Compiled, hill: Hill, params: Mapping[str, Any], run: Run, start: Floats
) -> tuple[Floats, dict[str, Any]]:
    """The weights at which a function is highest, or best on development data; and how it went.

    A start counts among the best only if it has weights at all. `Interrupted` if it was stopped before an iteration.
    """
    judge = scorer(inputs, model(compiled, np.zeros(0), {}), run) if inputs.development else None
    began = time.monotonic()
    best = _Best(judge(start), start, 0) if judge and start.any() else None
    patience: int = params["patience"]
    lost_patience = False

    def told(step: Step) -> bool:
        nonlocal best, lost_patience
        score, theta = None, start
        if judge:
            theta = hill.weights(step.theta)
            score = judge(theta)
        seconds = time.monotonic() - began
        run.tell(Progress(step.iteration, step.value, step.gradient_norm, seconds, score, run.phase))
        if score is None:
            return False
        if best is None or score > best.score or score == best.score == 0:  # where nothing is right, the last is best
            best = _Best(score, theta, step.iteration)
        lost_patience = 0 < patience <= step.iteration - best.iteration
        return lost_patience

    optimum = maximised(
        hill.function,
        hill.standing_for(start),
        metric=hill.metric,
        l1=params["l1"],
        value_tolerance=params["tolerance"],
        max_iterations=params["max_iterations"],
        callback=told,
        stop=run.stop,
        over=run.over,
    )
    if optimum.reason == REQUESTED and not optimum.iterations:
        raise Interrupted
    about = {"iterations": optimum.iterations, "converged": optimum.converged, "reason": optimum.reason}
    if lost_patience:
        about["reason"] = f"stopped: no better score on the development data in {patience} iterations"
    if best is None and optimum.iterations:
        return hill.weights(optimum.theta), about | {"objective": optimum.value}
    theta = best.theta if best else start  # which need not have equal shares
    about["objective"] = hill.value(theta)
    if best:
        about |= {"development score": best.score, "best iteration": best.iteration}
    return theta, about


def start_weights(inputs: Inputs, compiled: Compiled) -> Floats:
    """Those of the earlier model where the two have weights in common, else 0."""
    zero = np.zeros(parameters(compiled).size)
    return carried_over(inputs.init, model(compiled, zero, {})) if inputs.init else zero
