"""Expectations of raw text as lists of features have them, and as label regularisation does."""

import numpy as np

from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError
from sstag.knowledge.expectation_list import EVERYWHERE
from sstag.knowledge.expectations import Expectations
from sstag.model.dataset import Dataset
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.expectation import Expectation


def expectation(ground: Ground, *, expectations: Expectations, strength: float, distance: str) -> Expectation:
    """An expectation for each line of a list."""
    labels = ground.compiled.labels
    return Expectation(
        targets=expectations.distributions(labels),
        strengths=strength * expectations.strengths,
        active=expectations.active,
        names=expectations.names,
        labels=labels,
        distance=distance,
    )


def label_regularization(
    ground: Ground, *, expectations: Expectations | None, strength: float, distance: str
) -> Expectation:
    """One expectation of all tokens: the shares of a list, or those of the decided tokens (M07b)."""
    labels, tokens = ground.compiled.labels, ground.corpus.tokens
    counting = float(np.diff(ground.data.offsets) @ ground.data.omega)
    if expectations:
        return expectation(ground, expectations=expectations, strength=strength * counting, distance=distance)
    target = _shares(ground.compiled.labelled, len(labels))
    every = Incidence(np.arange(tokens + 1), np.zeros(tokens, np.int32), None)
    name = f"the share of all tokens ({EVERYWHERE})"
    return Expectation(target[None], np.full(1, strength * counting), every, (name,), labels, distance)


def _shares(labelled: Dataset | None, count: int) -> Floats:
    """The share of each label among the tokens that have one, each as often as its sentence counts."""  # (L,)
    shares = np.zeros(count)
    if labelled is not None:
        single, labels = labelled.decided
        shares += np.bincount(labels, np.repeat(labelled.omega, np.diff(labelled.offsets))[single], count)
    if not shares.sum() > 0:
        raise ConfigError(
            "label-regularization needs the shares of the labels: labelled sentences, or a list of expectations with a "
            f"line {EVERYWHERE}, a tab, A:0.7 B:0.3"
        )
    target: Floats = shares / shares.sum()
    return target
