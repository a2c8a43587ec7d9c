"""Expectations of raw text as lists of features have them, and as label regularisation does."""

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError
from sstag.knowledge.expectation_list import EVERYWHERE
from sstag.knowledge.expectations import Expectations
from sstag.knowledge.target_shares import counted_shares
from sstag.model.dataset import Dataset
from sstag.training.objectives import ExpectationParameters, LabelRegularizationParameters
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.expectation import Expectation
from sstag.training.objectives.feature_step_shares import ExpectationWithSteps, step_shares
from sstag.training.parameter_specs import certain
from sstag.training.shares_found import sentence_errors, worth_in_tokens


def expectation(
    parameters: ExpectationParameters, ground: Ground, opened: Expectations
) -> Expectation | ExpectationWithSteps:
    """An expectation for each line of a list."""
    strength = certain(parameters.strength)
    of_labels = _of_list(opened, ground, strength, parameters.distance)
    if opened.steps is None:
        return of_labels
    of_steps = step_shares(opened.steps, ground.compiled.labels, strength, parameters.distance)
    return ExpectationWithSteps(of_labels, of_steps)


def _of_list(listed: Expectations, ground: Ground, strength: float, distance: str) -> Expectation:
    labels = ground.compiled.labels
    return Expectation(
        targets=listed.distributions(labels),
        strengths=strength * listed.strengths,
        active=listed.active,
        names=listed.names,
        labels=labels,
        distance=distance,
        bounds=listed.bounds(labels),
        places=listed.places,
    )


def label_regularization(
    parameters: LabelRegularizationParameters, ground: Ground, opened: Expectations | None
) -> Expectation:
    """One expectation of all tokens: the shares of a list, or of the decided tokens (M07b) within their errors."""
    labels = ground.compiled.labels
    strength = parameters.strength * ground.tokens
    if opened:
        return _of_list(opened, ground, strength, parameters.distance)
    target = labelled_shares(ground.compiled.labelled, len(labels), parameters.smoothing)
    if parameters.counting == "error" and ground.compiled.labelled:
        strength = parameters.strength * worth_in_tokens(ground.compiled.labelled, int(target.argmax()))
    places = Everywhere()
    every = places.within(ground.corpus)
    name = f"the share of all tokens ({EVERYWHERE})"
    bounds = None
    if parameters.errors and ground.compiled.labelled:
        error = parameters.errors * sentence_errors(ground.compiled.labelled, len(labels))
        bounds = np.maximum(target - error, 0.0)[None], np.minimum(target + error, 1.0)[None]
    one = target[None], np.full(1, strength), every, (name,), labels, parameters.distance
    return Expectation(*one, bounds, places)


class Everywhere:
    """The places of an expectation of all tokens."""

    def within(self, corpus: Corpus) -> Incidence:
        """The one line at every token."""
        return Incidence(np.arange(corpus.tokens + 1), np.zeros(corpus.tokens, np.int32), None)


def labelled_shares(labelled: Dataset | None, count: int, smoothing: float) -> Floats:
    """The share of each label among the tokens that have one, each as often as its sentence counts."""  # (L,)
    shares = np.zeros(count)
    if labelled is not None:
        single, labels = labelled.decided
        shares += np.bincount(labels, np.repeat(labelled.omega, np.diff(labelled.offsets))[single], count)
    if not shares.sum() > 0:
        raise ConfigError(
            "label-regularization needs the shares of the labels: labelled sentences (--train FILE), or a list of "
            f"expectations with a line {EVERYWHERE}, a tab, A:0.7 B:0.3"
        )
    return counted_shares(shares, smoothing)
