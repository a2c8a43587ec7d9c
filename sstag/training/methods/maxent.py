"""A maximum-entropy classifier of single tokens (Berger et al. 1996); "pointwise" in Tsuboi et al. (2008, §5.1).

    maximise  Σ_t log Σ_{y ∈ Λ_t} p(y|x, t) − l2/2 ‖θ‖² − l1 Σ|θ|,      p(y|x, t) ∝ exp u_t(y)

It is `partial` with every token a sentence of its own and no score for steps or for the ends of a sentence: the same
attributes, open tokens left out, ambiguous ones by what they allow, from the weights of the decided ones. Without edges
log Z_Λ − log Z is a sum over tokens, so this is also the CRF of a template that says `edges: []`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sstag.features.template import NO_EDGES
from sstag.model.dataset import Dataset
from sstag.model.model import Model, model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods import completed
from sstag.training.methods.partial import marginalised


def train(inputs: Inputs, params: Mapping[str, Any], rng: np.random.Generator, run: Run) -> Model:
    """The classifier of what the labels say of each token."""
    params = completed("maxent", params)
    inputs = replace(inputs, template=replace(inputs.template, edges=NO_EDGES))
    made, theta, about = marginalised("maxent", inputs, params, run, _tokens_alone)
    return model(made, theta, {"method": "maxent", "parameters": dict(params), **about})


def _tokens_alone(data: Dataset) -> Dataset:
    weights = None if data.weights is None else np.repeat(data.weights, np.diff(data.offsets))
    return replace(data, offsets=np.arange(data.offsets[-1] + 1), weights=weights)
