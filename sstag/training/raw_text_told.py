"""A report of raw text after a training: how the labels found there have changed, and the shares that were given."""

from collections.abc import Mapping
from dataclasses import asdict, replace

import numpy as np

from sstag.foundation.arrays import Floats
from sstag.knowledge.expectations import Expectations
from sstag.model.compiled import Compiled
from sstag.model.model import About, Model
from sstag.training.inputs import Inputs, Run, labelled_text_of
from sstag.training.label_drift import drift, found_shares, labelled_shares_of
from sstag.training.label_drift import shares as found
from sstag.training.objectives import LabelRegularizationParameters
from sstag.training.objectives.contract import Opened
from sstag.training.objectives.expected_shares import labelled_shares
from sstag.training.parameter_specs import Parameters
from sstag.training.shares_found import sentence_errors, shares_found

WEAKER_ENTROPY = "gamma is too large (lower it, or keep the shares: --method label-regularization)"
WEAKER = "what is asked of it outweighs what is labelled (lower the strength, or label more sentences)"


def told_of_raw_text(
    made: Compiled,
    looking: Mapping[str, Parameters],
    shares: Opened | None,
    start: Floats,
    end: Floats,
    run: Run,
) -> About:
    """A report, with warnings of a drift to one label and of shares that tell nothing new.

    `looking` are the objectives that look at raw text; `shares` is the list of label regularisation, if it has one.
    """
    raw = made.unlabelled or made.volumes
    if raw is None or not looking:
        return {}
    before, after = (found_shares(made, raw, theta, run.over) for theta in (start, end))
    drifted = drift(made.labels, after, before if start.any() else None, labelled_shares_of(made))
    about: About = {"raw text": asdict(drifted)}
    parameters, given = looking.get("label-regularization"), None
    if isinstance(parameters, LabelRegularizationParameters):
        given, error = _given_shares(made, parameters, shares)
    asked = None if given is None else float(given[made.labels.index(drifted.label)])
    if warning := drifted.warning(WEAKER_ENTROPY if "entropy" in looking else WEAKER, asked):
        run.warn(warning)
    if given is not None and start.any():
        beside = shares_found(made.labels, given, before, error)
        if beside.warning:
            run.warn(beside.warning)
        about["shares"] = beside.about
    return about


def with_drift(tagger: Model, inputs: Inputs, run: Run) -> Model:
    """A model that also tells how its labels of raw text compare with those of labelled sentences, if there are any."""
    raw, labelled = inputs.unlabelled, inputs.labelled
    if raw is None or "raw text" in tagger.about:
        return tagger
    count = len(tagger.labels)
    end = found(tagger.tagged(tagger.dataset(raw), run.over), count)
    decided = np.zeros(0, np.int64)
    if labelled is not None and inputs.template.label in labelled.columns:
        text = labelled_text_of(inputs, "training")
        place = np.array([tagger.labels.index(label) for label in text.sets.labels])
        decided = place[text.single[text.single >= 0]]
    drifted = drift(tagger.labels, end, None, found(decided, count) if len(decided) else None)
    if warning := drifted.warning(WEAKER):
        run.warn(warning)
    return replace(tagger, about={**tagger.about, "raw text": asdict(drifted)})


def _given_shares(
    made: Compiled, parameters: LabelRegularizationParameters, listed: Opened | None
) -> tuple[Floats, float | None]:
    """The shares of label regularisation, and the standard error of those that were counted."""
    if isinstance(listed, Expectations):
        return listed.distributions(made.labels)[0], None
    assert made.labelled
    given = labelled_shares(made.labelled, len(made.labels), parameters.smoothing)
    return given, float(sentence_errors(made.labelled, len(given))[given.argmax()])
