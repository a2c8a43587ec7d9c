"""Passes of stochastic gradient over labelled sentences, in place of a climb to the optimum (Bottou 2010; Xu 2011).

    θ ← θ + η_t (ω_s ∂(log Z_Λ(s) − log Z(s))/∂θ − λ θ)          η_t = η / (1 + λη t),  λ = l2 / S

Sentences come in an order that the seed gives, in each pass another one. The weights are the mean of all θ of the
second half of the way. η is the best of a few, each tried with the same sentences: the one with which these are
likeliest as they come. Limit: with ever more passes it is the optimum of the climb. Cost: a pass takes about as long as
an evaluation of the climb, in one thread; it needs two numbers a weight, where the climb needs about thirteen.
"""

import time

import numpy as np

from sstag.chain import _core
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError, Interrupted, NumericalError
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import model
from sstag.model.moving_weights import MovingWeights
from sstag.model.weight_map import weight_map
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.judge import scorer
from sstag.training.methods.parameters import Supervised, Training
from sstag.training.objectives.likelihood import labels_of
from sstag.training.optimiser.lbfgs import REQUESTED
from sstag.training.outcome import Best, Outcome, out_of_patience

TRIED = 1000  # sentences with which η is chosen
FIRST = 0.1  # the η that is tried first, and then its doubles or halves
DOUBLINGS = 20  # or halvings, at most
PIECE = 1000  # visits between two looks at whether to stop


def epochs_of(params: Training) -> int:
    """The number of passes that take the place of a climb, or 0."""
    return params.epochs if isinstance(params, Supervised) else 0


def refuse_unfit(inputs: Inputs, params: Training) -> None:
    """Raises an error if only a climb can do what is asked for."""
    how, chunks = inputs.template, inputs.chunks
    reasons = {
        "an l2 above 0, by which their steps become shorter": not params.l2,
        "no l1": params.l1 > 0,
        "no features of numbers from vectors or encoders": bool(how.dense),
        "one prior for all features": how.has_priors,
        "labels of tokens, without rejected chunks": bool(chunks and chunks.beyond_sets.any()),
    }
    if wanted := next((reason for reason, is_so in reasons.items() if is_so), None):
        raise ConfigError(f"epochs: passes of stochastic gradient need {wanted} (epochs=0 climbs)")


def walked(inputs: Inputs, compiled: Compiled, data: Dataset, params: Training, run: Run, start: Floats) -> Outcome:
    """The weights after some passes over labelled sentences, or the best on development data after any of them.

    `Interrupted` if it was stopped in the first pass.
    """
    epochs, sentences, began = epochs_of(params), len(data.offsets) - 1, time.monotonic()
    rng = np.random.default_rng(inputs.seed)
    moving = MovingWeights(
        weight_map(compiled), data, labels_of(data, slice(0, sentences), slice(0, int(data.offsets[-1])))
    )
    judge = scorer(inputs, model(compiled, np.zeros(0)), run) if inputs.development else None
    shrinking = params.l2 / sentences
    rate = _rate(moving, start, shrinking, rng.permutation(sentences)[:TRIED])
    moving.begin(start, rate, shrinking * rate)
    done, best = 0, None
    reason = f"stopped: {epochs:,} {'pass' if epochs == 1 else 'passes'} of stochastic gradient were asked for"
    while done < epochs:
        gained = _pass(moving, rng.permutation(sentences), epochs * sentences // 2, run)
        if gained is None:
            reason = REQUESTED
            break
        done, score = done + 1, None
        if judge:
            theta = moving.weights()
            score = judge(theta)
            best = best.or_better(score, theta, done) if best else Best(score, theta, done)
        value = gained - 0.5 * params.l2 * _core.dot(moving.w, moving.w) / (1.0 + moving.decay * moving.visited) ** 2
        run.tell(Progress(done, value, None, time.monotonic() - began, score, run.phase))
        if best and best.is_old(done, params.patience):
            reason = out_of_patience(params.patience)
            break
    if not done:
        raise Interrupted
    theta = best.theta if best else moving.weights(out=moving.w)
    moving.begin(theta, 0.0, 0.0)
    value = _gain(moving, np.arange(sentences)) - 0.5 * params.l2 * _core.dot(theta, theta)
    scored = (best.score, best.iteration) if best else ()
    return Outcome(theta, done, False, reason, value, *scored)


def _pass(moving: MovingWeights, order: Longs, half: int, run: Run) -> float | None:
    """The likelihood of all sentences, each before it moves the weights; None if it was stopped."""
    gained = 0.0
    for begin in range(0, len(order), PIECE):
        if run.stop():
            return None
        if moving.since is None and moving.visited >= half:
            moving.begin_mean()
        gained += _gain(moving, order[begin : begin + PIECE])
    return gained


def _gain(moving: MovingWeights, order: Longs) -> float:
    return _core.dot(moving.labelled.omega[order], moving.visit(order))


def _rate(moving: MovingWeights, start: Floats, shrinking: float, order: Longs) -> float:
    """The η with which some sentences are likeliest as they come."""

    def gained(rate: float) -> float:
        moving.begin(start, rate, shrinking * rate)
        try:
            return _gain(moving, order)
        except NumericalError:  # so far that scores are no numbers
            return -np.inf

    rate, best = FIRST, gained(FIRST)
    for factor in (2.0, 0.5):
        for _ in range(DOUBLINGS):
            if not (found := gained(rate * factor)) > best:  # nor if it is no number
                break
            rate, best = rate * factor, found
        if rate != FIRST:
            break
    return rate
