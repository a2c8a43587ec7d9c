"""A CRF on any mixture of decided, ambiguous and open labels: the marginalised likelihood (Tsuboi et al. 2008, eq. 3).

    maximise  Σ_i (log Z_Λ(i) − log Z_i) − l2/2 ‖θ‖² − l1 Σ|θ|

The criterion is not concave where a label is open, so the start matters: the weights of the fully labelled sentences
(T08 §5.2), zero if there are none, or an earlier model. Sentences whose labels are all open add 0 and are left out.
Cost: one pass over the sentences, and one more over those with an open label. Limits: if every label is decided it is
`crf`, to the last bit; sentences without any label change nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sstag.foundation.arrays import Floats
from sstag.foundation.errors import DataError, Interrupted
from sstag.model.batches import selected
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import Model, model
from sstag.training.climb import likeliest, start_weights
from sstag.training.inputs import Inputs, Run, compiled_texts, label_sets_of
from sstag.training.methods import completed
from sstag.training.optimiser.lbfgs import REQUESTED


def train(inputs: Inputs, params: Mapping[str, Any], rng: np.random.Generator, run: Run) -> Model:
    """The CRF of what the labels say, be they decided or not."""
    params = completed("partial", params)
    made, theta, about = marginalised("partial", inputs, params, run)
    return model(made, theta, {"method": "partial", "parameters": dict(params), **about})


def marginalised(
    who: str, inputs: Inputs, params: Mapping[str, Any], run: Run, cut: Callable[[Dataset], Dataset] = lambda data: data
) -> tuple[Compiled, Floats, dict[str, Any]]:
    """The weights at which what the labels allow is most likely; and how it went. `cut` says what is a sentence."""
    label_sets_of(inputs, who)  # an error if there are none
    made = compiled_texts(inputs, run)
    assert isinstance(made.labelled, Dataset)
    return made, *best(inputs, made, cut(made.labelled), params, run)


def best(
    inputs: Inputs, made: Compiled, data: Dataset, params: Mapping[str, Any], run: Run
) -> tuple[Floats, dict[str, Any]]:
    """The same for what is compiled: of the labelled sentences `data`."""
    if data.free.all():
        path = inputs.labelled.path if inputs.labelled else None
        raise DataError("every label is open, so there is nothing to learn (label some, or take it as raw text)", path)
    open_somewhere = ~data.full & ~data.free
    about: dict[str, Any] = {"start": "earlier model" if inputs.init else "zero"}
    theta, end = start_weights(inputs, made), dict[str, Any]()
    if inputs.init:
        about["carried over"] = int((theta != 0).sum())
    if data.full.any() and open_somewhere.any() and not inputs.init:
        full = selected(data, data.full)
        theta, end = likeliest(inputs, made, full, params, replace(run, phase="start"), theta)
        about = {"start": "what is fully labelled", "iterations of the start": end["iterations"]}
    try:
        theta, end = likeliest(inputs, made, selected(data, ~data.free), params, run, theta)
    except Interrupted:
        if "iterations of the start" not in about:
            raise
        end |= {"reason": REQUESTED, "converged": False}  # what the start has found is better than nothing
    return theta, {**about, **end}
