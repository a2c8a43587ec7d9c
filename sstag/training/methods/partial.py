"""A CRF on any mixture of decided, ambiguous and open labels: the marginalised likelihood (Tsuboi et al. 2008, eq. 3).

    maximise  Σ_i (log Z_Λ(i) − log Z_i) − l2/2 ‖θ‖² − l1 Σ|θ|

The criterion is not concave where a label is open, so the start matters: the weights of the fully labelled sentences
(T08 §5.2), zero if there are none, or an earlier model. Sentences whose labels are all open add 0 and are left out.
Cost: one pass over the sentences, and one more over those with an open label. Limits: if every label is decided it is
`crf`, to the last bit; sentences without any label change nothing.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sstag.foundation.errors import DataError, Interrupted
from sstag.model.batches import selected
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model, model
from sstag.training.answered import answered_parts
from sstag.training.climb import climbed, compiled_for, likeliest, start_weights
from sstag.training.inputs import Inputs, Run, labelled_text_of, with_labels_read
from sstag.training.looks import Part
from sstag.training.methods.parameters import Supervised, Training
from sstag.training.objectives.likelihood import Likelihood
from sstag.training.optimiser.lbfgs import REQUESTED
from sstag.training.outcome import EARLIER, ZERO, Outcome, Start
from sstag.training.parameter_specs import told


def train(inputs: Inputs, params: Supervised, rng: np.random.Generator, run: Run) -> Model:
    """The CRF of what the labels say, be they decided or not."""
    made, start, found = marginalised("partial", inputs, params, run)
    about = {"method": "partial", "parameters": told(params), **start.about, **found.about}
    return model(made, found.theta, about)


def marginalised(
    who: str, inputs: Inputs, params: Training, run: Run, cut: Callable[[Dataset], Dataset] = lambda data: data
) -> tuple[Compiled, Start, Outcome]:
    """The weights at which the allowed labels are most likely, and where the climb began. `cut` says what is a
    sentence.
    """
    inputs = with_labels_read(inputs)
    labelled_text_of(inputs, who)  # an error if there are none
    made = compiled_for(inputs, params, run)
    assert isinstance(made.labelled, Dataset)
    return made, *best(inputs, made, cut(made.labelled), params, run)


def best(inputs: Inputs, made: Compiled, data: Dataset, params: Training, run: Run) -> tuple[Start, Outcome]:
    """The weights at which the allowed labels of `data` are most likely, and where the climb began."""
    answered = answered_parts(inputs, made.labels, made.labelled)
    if data.free.all() and not answered:
        path = inputs.labelled.path if inputs.labelled else None
        advice = "label some; or read the file as raw text (--unlabeled FILE), beside labelled sentences"
        raise DataError(f"every label is open, so there is nothing to learn: {advice}", path)
    open_somewhere = ~data.full & ~data.free
    start, theta, before = EARLIER if inputs.init else ZERO, start_weights(inputs, made), None
    if data.full.any() and open_somewhere.any() and not inputs.init:
        full = selected(data, data.full)
        before = likeliest(inputs, made, full, params, replace(run, phase="start"), theta)
        start, theta = Start("what is fully labelled", before.iterations), before.theta
    try:
        supervised = [] if data.free.all() else [Part(selected(data, ~data.free), (Likelihood(),))]
        return start, climbed(inputs, made, [*supervised, *answered], params, run, theta)
    except Interrupted:
        if before is None:
            raise
        return start, replace(before, reason=REQUESTED, converged=False)  # better than nothing
