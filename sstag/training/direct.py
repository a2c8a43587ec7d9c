"""Objectives that the core finds from weights to weights in one call, where each is the only one of its text.

A lattice gives the same numbers with more memory and time: what the call needs of a few sentences stays in the cache.
"""

import numpy as np

from sstag.chain.labelled import Labelled
from sstag.foundation.arrays import Floats
from sstag.model import fused
from sstag.model.batches import Batch
from sstag.model.weight_map import Gradient, Weights
from sstag.training.objectives.contract import Objective
from sstag.training.objectives.entropy import Entropy
from sstag.training.objectives.expectation import Expectation, ListedSide
from sstag.training.objectives.likelihood import Likelihood, likelihood_of


def is_direct(objectives: tuple[Objective, ...]) -> bool:
    """Whether the core does all of these objectives of a text."""
    if len(objectives) != 1:
        return False
    (one,) = objectives
    return type(one) in (Likelihood, Expectation) or (type(one) is Entropy and one.algorithm == "covariance")


def gathered(
    objective: Objective,
    side: object,
    weights: Weights,
    batch: Batch,
    scale: float,
    gradient: Gradient,
    kept: Floats | None,
    before: Floats | None,
) -> Floats:
    """The statistics of a batch added to those before it.

    Where nothing has to be waited for, `scale` times the gradient is added to `gradient`; else `kept` is filled for
    the second look.
    """
    match objective, side:
        case Expectation(), ListedSide():
            q = np.zeros_like(objective.targets) if before is None else before
            fused.add_expected(weights, batch, side.omega, side.active, q, kept)
            return q
        case Entropy(), np.ndarray():
            found = objective.statistics(fused.entropies(weights, batch, scale * side, gradient), side)
        case Likelihood(), Labelled():
            found = likelihood_of(fused.likelihoods(weights, batch, side, scale, gradient), side)
        case _:
            raise TypeError(f"{objective} is found on lattices")
    return found if before is None else before + found


def push(
    side: ListedSide,
    weights: Weights,
    batch: Batch,
    slope: Floats,
    gradient: Gradient,
    kept: Floats | None,
) -> None:
    """Adds the gradient of expectations to `gradient`, when the slope of their shares is known."""
    fused.covariances(weights, batch, side.omega, side.active, slope, kept, gradient)
