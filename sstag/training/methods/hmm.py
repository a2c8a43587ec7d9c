"""A hidden Markov model made of counts (the supervised HMM of Mann & McCallum 2008, table 3; methods §4).

    p(x, y) = p(y_1|begin) · Π_{t≥2} p(y_t|y_{t−1}) · p(end|y_n) · Π_t Π_f p(x_{t,f}|y_t)

Its weights are the logarithms, so a score is log p(x, y), log Z is log p(x), and the best path is the textbook's. It
emits what the template says of each token by itself: of each column the first feature such as `word[0]`,
`lower(word[0])` or `word[0] | pos[0]`, several independent of one another given the label. With δ the smoothing and h_y
the tokens of label y whose value occurs once,

    p(v|y) = (c(v, y) + δ) / (c(y) + h_y + δ (V + 1))        of V known values
    p(unknown|y) = (h_y + δ) / (c(y) + h_y + δ (V + 1))      the default attribute: left out, those would be unknown

and so the steps, with the end as one more label to step to. Undecided tokens are not counted, nor are steps from or to
one; values that no decided token has share the probability of the unknown one. A sentence with the weight ω is counted
ω times, but what occurs once is told by the text. Sentences with rejected chunks are counted as likely as their
labellings are (`expected_counts.py`). Cost: one look at the data.
"""

from dataclasses import replace

import numpy as np

from sstag.features.template import Edges, Feature, Template, Text
from sstag.features.word_functions import WORD_FUNCTIONS
from sstag.foundation.errors import ConfigError, DataError, Interrupted, counted
from sstag.model.compiled import compiled_text
from sstag.model.dataset import Dataset
from sstag.model.model import HMM, About, Model, model
from sstag.training.inputs import Inputs, Run, labelled_text_of
from sstag.training.judge import scorer
from sstag.training.methods.expected_counts import fitted
from sstag.training.methods.hmm_counts import stepped
from sstag.training.methods.parameters import Smoothed
from sstag.training.parameter_specs import told


def train(inputs: Inputs, params: Smoothed, rng: np.random.Generator, run: Run) -> Model:
    """The model of what is decided."""
    text = labelled_text_of(inputs, "hmm")
    corpus, labels = text.corpus, text.single
    if (labels < 0).all():
        raise DataError("no label is decided, and hmm counts those that are", corpus.path)
    made = compiled_text(emitting(inputs.template), text, None, ())
    warn_of_features("hmm", inputs.template, made.template, run)
    if run.stop():
        raise Interrupted
    data = made.labelled
    assert isinstance(data, Dataset)
    fit = fitted(inputs, made, labels, params.smoothing, run)
    tokens, steps = int((labels >= 0).sum()), len(stepped(data.offsets, labels))
    of = f"{counted(tokens, 'token')} and {counted(steps, 'step')}"
    tagger = model(made, fit.probabilities.theta, kind=HMM)
    about: About = {
        "method": "hmm",
        "parameters": told(params),
        "emits": [feature.name for feature in made.template.features],
        "converged": True,
        "reason": f"counts {of}{fit.told}",
    }
    if inputs.development:
        about["development score"] = scorer(inputs, tagger, run)(tagger.theta)
    return tagger.saying(about)


def emitting(template: Template) -> Template:
    """The template with what an HMM emits: of each column the first feature that every token has by itself."""
    taken: set[int] = set()
    kept = []
    for index, feature in enumerate(template.features):
        columns = {term.source.column for term in feature.terms if isinstance(term, Text)}
        if _is_emitted(feature) and taken.isdisjoint(columns):
            kept.append(index)
            taken |= columns
    if template.has_priors:
        raise ConfigError("an HMM counts: its features have no prior")
    if template.dense:
        raise ConfigError(
            f"{template.dense[0].name}: an HMM counts values, and numbers have no counts; crf, partial, self-training "
            "and the others take them"
        )
    if not kept:
        raise ConfigError("hmm emits what stands at each token: the template needs a feature such as word[0]")
    features = tuple(template.features[index].with_default() for index in kept)
    return replace(template, features=features, kept=tuple(kept), edges=Edges(), pairs="all", edge_pairs="all")


def warn_of_features(who: str, given: Template, emitted: Template, run: Run) -> None:
    """Warns of the features of a template that an HMM leaves out, if there are any."""
    if left := len(given.features) - len(emitted.features):
        seen = " and ".join(feature.name for feature in emitted.features)
        run.warn(
            f"{who} looks at {seen} alone: {left} of the {len(given.features)} features of the template are left out, "
            "which costs much where they matter, as they do for names (crf has them all)"
        )


def _is_emitted(feature: Feature) -> bool:
    """Whether each token has a value of its own."""
    return bool(feature.terms) and all(
        isinstance(term, Text)
        and term.offset == 0
        and all(WORD_FUNCTIONS[name].total for name, _ in term.source.functions)
        for term in feature.terms
    )
