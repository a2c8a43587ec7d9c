"""Entropy regularisation (Jiao et al. 2006; Mann & McCallum 2007): a CRF that should be sure of raw text too.

    maximise  Σ_i (log Z_Λ(i) − log Z_i) − γ Σ_raw H(Y|x) − l2/2 ‖θ‖² − l1 Σ|θ|

from the weights at which the first and the last terms are highest. It is `composed` of likelihood and entropy, so
undecided labels are welcome. Limit: γ = 0 is `partial`, with the attributes and pairs that raw text adds.
"""

import numpy as np

from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.composed import shorthand
from sstag.training.methods.parameters import EntropyMethod


def train(inputs: Inputs, params: EntropyMethod, rng: np.random.Generator, run: Run) -> Model:
    """The CRF of the labelled sentences that is sure of the raw ones."""
    return shorthand("entropy", inputs, params, rng, run)
