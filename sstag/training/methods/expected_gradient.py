"""Expected gradient (Salakhutdinov et al. 2003, as Mann & McCallum 2008, §5.1 compare it): labels where a feature is.

    maximise  Σ_i (log Z_Λ(i) − log Z_i) − l2/2 ‖θ‖² − l1 Σ|θ|      Λ_t = the labels of the features of t, else all

The list is that of `expectation`; of a feature's labels only those with the largest share count, and of several
features at a token any of theirs. So it is `partial` on raw text labelled by the list, behind the labelled sentences if
there are any. Limit: without occurrences of a feature it is `partial` on the labelled sentences, with weights for all
pairs.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.corpus.corpus import together
from sstag.foundation.errors import ConfigError, DataError
from sstag.knowledge.expectation_list import EVERYWHERE, ignored_strengths, read_list, target_in
from sstag.knowledge.feature_steps import refuse_steps
from sstag.knowledge.labelled_features import FeatureList, labelled
from sstag.model.model import Model, model
from sstag.training.echoes import warn_of_echoes
from sstag.training.inputs import Inputs, Run, labelled_text_of, raw_text_of, with_labels_read
from sstag.training.methods.parameters import ExpectedGradient
from sstag.training.methods.partial import marginalised
from sstag.training.parameter_specs import told

WHO = "expected-gradient"


def train(inputs: Inputs, params: ExpectedGradient, rng: np.random.Generator, run: Run) -> Model:
    """The CRF of the labelled sentences, and of raw text whose tokens with a feature have its labels."""
    if inputs.labelled:
        labelled_text_of(inputs, WHO)  # an error if there are none
    raw = raw_text_of(inputs, WHO)
    if not params.expectations:
        raise ConfigError(f"{WHO} needs a list of features and their labels: expectations (--expectations FILE)")
    first = inputs.labelled or raw
    listed = read_list(params.expectations, inputs.template.named(first.columns), raw)
    refuse_steps(listed.lines, listed.path)
    targets = []
    for line in listed.lines:
        if line.attribute == EVERYWHERE:
            message = f"{EVERYWHERE} is every token, and {WHO} labels those with a feature: leave this line out"
            raise DataError(message, listed.path, line.line)
        targets.append(target_in(listed, line))
    for warning in ignored_strengths(listed.path, targets):
        run.warn(warning)
    warn_of_echoes(listed, targets, inputs, run)
    inputs = with_raw_text_labelled(inputs, listed, [target.likeliest for target in targets], run)
    made, start, found = marginalised(WHO, inputs, params, run)
    about = {"method": WHO, "parameters": told(params) | {"expectations": listed.digest}, **start.about, **found.about}
    return model(made, found.theta, about)


def with_raw_text_labelled(inputs: Inputs, listed: FeatureList, labels: Sequence[tuple[str, ...]], run: Run) -> Inputs:
    """The labelled sentences, if there are any, and after them raw text with the labels of listed features.

    The text's other features can learn labels only if they have weights for them: all, if none are chosen.
    """
    raw, marks = inputs.unlabelled, inputs.marks.completed()
    assert raw is not None
    known = labelled_text_of(inputs, "training").sets.labels if inputs.labelled else inputs.known
    made = labelled(listed, labels, raw, marks, known)
    for text in made.warnings:
        run.warn(text)
    # The column of both texts is a new one, and is read: its values are also sets of labels.
    both = together(inputs.labelled, made.corpus) if inputs.labelled else made.corpus
    how = replace(inputs.template, pairs=inputs.template.pairs or "all")
    return with_labels_read(replace(inputs, template=how, labelled=both, unlabelled=None, marks=marks))
