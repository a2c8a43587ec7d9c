"""A maximum-entropy classifier of single tokens (Berger et al. 1996); "pointwise" in Tsuboi et al. (2008, §5.1).

    maximise  Σ_t log Σ_{y ∈ Λ_t} p(y|x, t) − l2/2 ‖θ‖² − l1 Σ|θ|,      p(y|x, t) ∝ exp u_t(y)

It is `partial` with every token a sentence of its own and no score for steps or for the ends of a sentence: the same
attributes, open tokens left out, ambiguous ones by what they allow, from the weights of the decided ones. Without edges
log Z_Λ − log Z is a sum over tokens, so this is also the CRF of a template that says `edges: []`.
"""

from dataclasses import replace

import numpy as np

from sstag.features.template import NO_EDGES
from sstag.model.dataset import Dataset
from sstag.model.model import MAXENT, Model, model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.parameters import Supervised
from sstag.training.methods.partial import marginalised
from sstag.training.parameter_specs import told


def train(inputs: Inputs, params: Supervised, rng: np.random.Generator, run: Run) -> Model:
    """The classifier of what the labels say of each token."""
    inputs = replace(inputs, template=replace(inputs.template, edges=NO_EDGES))
    made, start, found = marginalised("maxent", inputs, params, run, _tokens_alone)
    about = {"method": "maxent", "parameters": told(params), **start.about, **found.about}
    return model(made, found.theta, about, kind=MAXENT)


def _tokens_alone(data: Dataset) -> Dataset:
    weights = None if data.weights is None else np.repeat(data.weights, np.diff(data.offsets))
    return replace(data, offsets=np.arange(data.offsets[-1] + 1), weights=weights)
