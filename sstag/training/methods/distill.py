"""Distilling: a fast tagger that labels raw text as a slow one does, say one with an encoder (Hinton et al. 2015).

    maximise  Σ_i (log Z_Λ(i) − log Z_i) − λ Σ_raw KL(q ‖ p) − l2/2 ‖θ‖² − l1 Σ|θ|

with q the teacher's distribution over the labellings of a raw sentence. The student's template is its own, and without
labelled sentences the first sum is empty. It is `composed` of likelihood and distillation. Limit: λ = 0 is `partial`.
"""

import numpy as np

from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.composed import shorthand
from sstag.training.methods.parameters import Distill


def train(inputs: Inputs, params: Distill, rng: np.random.Generator, run: Run) -> Model:
    """The CRF that says of raw text what its teacher says."""
    return shorthand("distill", inputs, params, rng, run)
