"""Generalized expectation (Mann & McCallum 2008): a CRF of raw text in which the labels of some features are known.

    maximise  Σ_i (log Z_Λ(i) − log Z_i) − Σ_m λ_m D(p̂_m ‖ p̃_m) − l2/2 ‖θ‖² − l1 Σ|θ|

Without labelled sentences the first sum is empty and the climb begins at zero; with them it begins at their optimum.
It is `composed` of likelihood and expectation, so undecided labels are welcome. With `stay` the steps that keep their
label have that share, too (`steps`). Limit: λ = 0 is `partial`.
"""

import numpy as np

from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.composed import shorthand
from sstag.training.methods.parameters import ExpectationMethod
from sstag.training.objectives import StepParameters
from sstag.training.objectives.listing import usual


def train(inputs: Inputs, params: ExpectationMethod, rng: np.random.Generator, run: Run) -> Model:
    """The CRF in which the features of the raw text have about the labels that the list says."""
    of_steps = (usual("steps", StepParameters(stay=params.stay)),) if params.stay else ()
    return shorthand("expectation", inputs, params, rng, run, of_steps)
