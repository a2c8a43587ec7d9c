"""Label regularisation (Mann & McCallum 2007, in M08 §2): raw text in which each label has its usual share.

    maximise  Σ_i (log Z_Λ(i) − log Z_i) − λ D(p̂ ‖ p̃) − l2/2 ‖θ‖² − l1 Σ|θ|

with p̂ the shares among the decided tokens, or given ones, p̃ those expected in the raw text, and λ the number of raw
tokens times `strength`. It is `expectation` with one expectation, of every token. Limit: λ = 0 is `partial`.
"""

import numpy as np

from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.composed import shorthand
from sstag.training.methods.parameters import LabelRegularizationMethod


def train(inputs: Inputs, params: LabelRegularizationMethod, rng: np.random.Generator, run: Run) -> Model:
    """The CRF of the labelled sentences that finds each label as often in the raw ones."""
    return shorthand("label-regularization", inputs, params, rng, run)
