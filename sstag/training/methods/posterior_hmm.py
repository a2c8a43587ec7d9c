"""Posterior regularisation of a hidden Markov model (Ganchev et al. 2010): EM under known shares of labels.

    q = argmin_q KL(q(y) ‖ p(y|x)) + Σ_m s_m d(E_q[φ_m])               of all raw text  (`objectives/posterior.py`)
    p ← the HMM of the labelled sentences and of λ times the counts that q expects;            and again

A round raises Σ log p(x, y) of what is decided + λ (Σ_raw log p(x) − D), D the least of what q minimises, but for
what smoothing and unknown words take. The first p is `hmm`, over the words of both texts. Limits: λ = 0 is `hmm`; s =
0 is EM without knowledge. Cost of a round: some ten forward and backward passes over the raw text.
"""

from dataclasses import replace

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError, DataError, Interrupted, counted
from sstag.knowledge.expectations import placed
from sstag.model.batches import Batch, in_batches
from sstag.model.compiled import compiled_text
from sstag.model.dataset import Dataset
from sstag.model.model import HMM, About, Model, model
from sstag.training.echoes import warn_of_echoes
from sstag.training.inputs import Inputs, Run, labelled_text_of, raw_text_of, with_named_labels
from sstag.training.judge import scorer
from sstag.training.methods.expected_counts import Expects, counts_of, fitted, in_rounds, sources_of
from sstag.training.methods.hmm import emitting, warn_of_features
from sstag.training.methods.parameters import PosteriorHmm
from sstag.training.objectives import PosteriorParameters
from sstag.training.objectives.contract import Ground
from sstag.training.objectives.posterior import Posterior, posterior
from sstag.training.optimiser.lbfgs import REQUESTED
from sstag.training.parameter_specs import narrowed, told

WHO = "posterior-hmm"


def train(inputs: Inputs, params: PosteriorHmm, rng: np.random.Generator, run: Run) -> Model:
    """The HMM of the labelled sentences, and of raw text in which features have known shares of labels."""
    text = labelled_text_of(inputs, WHO)
    corpus, known, raw = text.corpus, text.sets.labels, raw_text_of(inputs, WHO)
    if not params.expectations:
        raise ConfigError(f"{WHO} needs a list of features and their labels: expectations (--expectations FILE)")
    template = replace(emitting(inputs.template.named(corpus.columns)), vocabulary="all")
    warn_of_features(WHO, inputs.template, template, run)
    listed = placed(params.expectations, inputs.template.named(corpus.columns), raw)
    for warning in listed.odd(known):
        run.warn(warning)
    warn_of_echoes(listed.listed, listed.targets, inputs, run)
    inputs = with_named_labels(inputs, listed.labels, known, listed.path)
    text = labelled_text_of(inputs, WHO)
    if (text.single < 0).all():
        raise DataError(f"no label is decided, and {WHO} counts those that are", corpus.path)
    made = compiled_text(template, text, raw, inputs.known)
    if run.stop():
        raise Interrupted
    data = made.unlabelled
    assert isinstance(data, Dataset)
    start = fitted(inputs, made, text.single, params.smoothing, run).probabilities
    near = posterior(narrowed(PosteriorParameters, params), Ground(raw, data, made), listed)
    sources = sources_of(inputs, made, text.single, run)
    sources = replace(sources, expected=(*sources.expected, nearest(data, near, len(made.labels), run)))
    found, rounds, stopped = in_rounds(made, start, sources, params.smoothing, params.rounds, run)
    tagger = model(made, found.theta, kind=HMM)
    about: About = {
        "method": WHO,
        "parameters": told(params) | {"expectations": listed.digest},
        "emits": [feature.name for feature in made.template.features],
        "posterior": listed.about,
        "converged": not stopped,
        "reason": REQUESTED if stopped else counted(rounds, "round"),
    }
    if inputs.development:
        about["development score"] = scorer(inputs, tagger, run)(tagger.theta)
    return tagger.saying(about)


def nearest(data: Dataset, near: Posterior, labels: int, run: Run) -> Expects:
    """The counts of raw text under the q that is nearest to an HMM and has the shares."""
    sides = {batch.tokens.start: near.side(data, batch) for batch in in_batches(data, labels)}

    def gathered(batch: Batch, lattice: Lattice) -> Floats:
        return near.gather(lattice, sides[batch.tokens.start])

    def counts(tagger: Model) -> list[Potentials]:
        _, slope = near.close(np.sum(tagger.asked(data, run.over, gathered), axis=0))
        return tagger.asked(
            data, run.over, lambda batch, lattice: near.expected(lattice, sides[batch.tokens.start], slope)
        )

    return lambda tagger: counts_of(data, counts(tagger))
