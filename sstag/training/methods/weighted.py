"""A CRF whose sentences have weights (Sokolovska 2011, eq. 17): `partial`, if there are weights.

    maximise  Σ_i ω_i (log Z_Λ(i) − log Z_i) − l2/2 ‖θ‖² − l1 Σ|θ|          ω_i = q(x_i) / N_i    (`weights.py`)

Every other method takes weights too: this is the paper's, which is nothing without them. Limit: equal weights on the
scale mean1 are `partial`. Cost: the same.
"""

import numpy as np

from sstag.foundation.errors import ConfigError
from sstag.model.model import Model, model
from sstag.training.inputs import Inputs, Run, labelled_text_of
from sstag.training.methods.parameters import Supervised
from sstag.training.methods.partial import marginalised
from sstag.training.parameter_specs import told


def train(inputs: Inputs, params: Supervised, rng: np.random.Generator, run: Run) -> Model:
    """The CRF of weighted sentences."""
    corpus = labelled_text_of(inputs, "weighted").corpus
    if corpus.weights is None:
        raise ConfigError("weighted needs sentence_weights (--sentence-weights FILE): a density, or a number a line")
    made, start, found = marginalised("weighted", inputs, params, run)
    about = {"method": "weighted", "parameters": told(params), **start.about, **found.about}
    return model(made, found.theta, about)
