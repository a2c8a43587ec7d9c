"""A linear-chain conditional random field on fully labelled sentences (Lafferty et al. 2001).

    maximise  Σ_i (score(gold_i) − log Z_i) − l2/2 ‖θ‖² − l1 Σ|θ|

The criterion is concave, so the start changes how long it takes and nothing else. Sentences of raw text of which a list
of spans says something (`answered.py`) are summed over, as `partial` does; with these it is not concave.
"""

import numpy as np

from sstag.foundation.errors import DataError, counted
from sstag.model.model import Model, model
from sstag.training.disambiguation import option
from sstag.training.inputs import Inputs, Run, labelled_text_of
from sstag.training.methods import METHODS
from sstag.training.methods.parameters import Supervised
from sstag.training.methods.partial import marginalised
from sstag.training.parameter_specs import told


def train(inputs: Inputs, params: Supervised, rng: np.random.Generator, run: Run) -> Model:
    """The CRF of the labelled sentences; a label that is not decided is an error, but in answered sentences."""
    _refuse_undecided(inputs)
    made, start, found = marginalised("crf", inputs, params, run)
    began = start.about if inputs.answered else {}
    return model(made, found.theta, {"method": "crf", "parameters": told(params), **began, **found.about})


def _refuse_undecided(inputs: Inputs) -> None:
    labelled = labelled_text_of(inputs, "crf")
    corpus = labelled.corpus
    undecided = np.flatnonzero(labelled.single[: corpus.offsets[corpus.sentences - inputs.answered]] < 0)
    if len(undecided):
        token = undecided[0]
        text = corpus.values[corpus.column(inputs.template.label)][labelled.codes[token]]
        tokens = counted(len(undecided), "such token")
        takers = [
            name for name, entry in METHODS.items() if entry.undecided and not (entry.unlabelled or entry.weights)
        ]
        methods = "|".join(takers)
        plain = "" if text == inputs.marks.unknown else "; --no-marks, if it is one"
        raise DataError(
            f"'{text}' is not one label "
            f"({tokens}; crf needs every label decided: --method {methods}, or {option()}{plain})",
            *corpus.place(token),
        )
