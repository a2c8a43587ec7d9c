"""A linear-chain conditional random field on fully labelled sentences (Lafferty et al. 2001).

    maximise  Σ_i (score(gold_i) − log Z_i) − l2/2 ‖θ‖² − l1 Σ|θ|

The criterion is concave, so the start changes how long it takes and nothing else.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sstag.criterion import Part
from sstag.dataset import Dataset, annotated, compiled
from sstag.errors import ConfigError, DataError
from sstag.methods import completed
from sstag.model import Model, model
from sstag.objectives import objective
from sstag.training import Inputs, Run, climbed, start_weights


def train(inputs: Inputs, params: Mapping[str, Any], rng: np.random.Generator, run: Run) -> Model:
    """The CRF of the labelled sentences; a label that is not decided is an error."""
    if inputs.labelled is None:
        raise ConfigError("crf needs labelled sentences")
    params = completed("crf", params)
    known = inputs.init.labels if inputs.init else ()
    _refuse_undecided(inputs, known)
    made = compiled(inputs.template, inputs.labelled, None, inputs.marks, known)
    data = made.labelled
    assert isinstance(data, Dataset)
    parts = [Part(data, (objective("likelihood"),))]
    theta, about = climbed(inputs, made, parts, params, run, start_weights(inputs, made))
    return model(made, theta, {"method": "crf", "parameters": dict(params), **about})


def _refuse_undecided(inputs: Inputs, known: tuple[str, ...]) -> None:
    corpus = inputs.labelled
    assert corpus is not None
    if inputs.template.label not in corpus.columns:
        raise DataError(f"no column '{inputs.template.label}': crf needs labels", corpus.path)
    sets, codes = annotated(corpus, inputs.template.label, inputs.marks, known)
    undecided = np.flatnonzero(sets.single[codes] < 0)
    if len(undecided):
        token = undecided[0]
        text = corpus.values[corpus.column(inputs.template.label)][codes[token]]
        raise DataError(
            f"'{text}' is not one label ({len(undecided)} such tokens; crf needs every label decided)",
            corpus.path,
            int(corpus.lines[token]),
        )
