"""Self-training (Jiao et al. 2006, §5.1): a tagger learns from raw text with the labels that it found there itself.

    θ₀ = the CRF of the labelled sentences
    ŷ⁽ᵐ⁾ = argmax p(y|x; θₘ) for each raw sentence;    θₘ₊₁ = the CRF of the labelled and of these sentences, from θₘ
    until at most a share of the raw labels changes, `settled`, as a few may go to and fro forever; 0 is the paper's

Each round is `partial` on a corpus like any other, with the attributes and pairs that it has, so undecided labels are
welcome. With `confidence` c, a raw token whose p_t(ŷ_t|x) is below c stays open in that round and is summed over; 0 is
the paper's. Limit: without raw text it is `partial`. Cost: a training a round, each from the weights of the one before.
"""

from dataclasses import asdict, replace

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus, together, with_column
from sstag.foundation.arrays import Ints
from sstag.foundation.errors import Interrupted, counted
from sstag.model.batches import Batch
from sstag.model.model import About, Model, model
from sstag.training.inputs import Inputs, Run, labelled_text_of, raw_text_of
from sstag.training.label_drift import Drift, drift, shares
from sstag.training.methods.parameters import SelfTraining
from sstag.training.methods.partial import marginalised
from sstag.training.optimiser.lbfgs import REQUESTED
from sstag.training.outcome import Outcome
from sstag.training.parameter_specs import told

OPEN = -1
UNCHANGED = "no label changes"
ADVICE = "what it found itself outweighs what is labelled (--set confidence=0.9, or no raw text)"
BELIEVED = (
    "self-training takes every label that it finds for true: where that was measured it gained a point at most, and "
    "cost up to three (--set confidence=0.9 leaves open what is less sure)"
)
REPORTED = ("iterations", "objective", "development score")


def train(inputs: Inputs, params: SelfTraining, rng: np.random.Generator, run: Run) -> Model:
    """The CRF of the labelled sentences and of the labels it found in the raw ones."""
    labelled = labelled_text_of(inputs, "self-training").corpus
    raw = raw_text_of(inputs, "self-training")
    inputs = replace(inputs, marks=inputs.marks.completed())
    if not params.confidence:
        run.warn(BELIEVED)
    tagger, outcome = _round(inputs, params, run)
    rounds, found, end = [_reported(outcome)], np.full(raw.tokens, OPEN, np.int32), ""
    iterations, settled = outcome.iterations, False
    first = last = found
    while not end:
        if run.stop():
            end = REQUESTED
            continue
        before, (last, found) = found, _labels_found(tagger, raw, params.confidence, run)
        first = last if (first == OPEN).all() else first
        changed = int((found != before).sum())
        if changed <= params.settled * raw.tokens:
            settled = True
            end = f"{counted(changed, 'label')} of {raw.tokens:,} would change" if changed else UNCHANGED
        elif len(rounds) > params.rounds:
            limit = counted(params.rounds, "round")
            end = f"the limit of {limit} is reached ({counted(changed, 'label')} would change)"
        else:
            phase = f"round {len(rounds)}, {counted(changed, 'label')} changed"
            try:
                onward = _with_labels(inputs, labelled, raw, tagger, found)
                tagger, outcome = _round(onward, params, replace(run, phase=phase))
            except Interrupted:
                end = REQUESTED  # what there is already is better than nothing
            else:
                iterations += outcome.iterations
                left_open = int((found == OPEN).sum())
                rounds.append({"labels changed": changed, "open": left_open, **_reported(outcome)})
    drifted = _drift(tagger, first, last)
    if drifted and (warning := drifted.warning(ADVICE)):
        run.warn(warning)
    about = {
        "method": "self-training",
        "parameters": told(params),
        "rounds": rounds,
        **({"raw text": asdict(drifted)} if drifted else {}),
        **_reported(outcome),
        "iterations": iterations,
        "converged": settled,
        "reason": end,
    }
    return tagger.saying(about)


def _drift(tagger: Model, first: Ints, last: Ints) -> Drift | None:
    """How the labels found in the raw text have changed since the first round; all of them, as the sure ones would
    seem to have drifted from the beginning.
    """
    if (last == OPEN).all():
        return None
    end, start = (shares(found, len(tagger.labels)) for found in (last, first))
    return drift(tagger.labels, end, start, None)


def _reported(outcome: Outcome) -> About:
    """A report of a round."""
    return {name: value for name, value in outcome.about.items() if name in REPORTED}


def _round(inputs: Inputs, params: SelfTraining, run: Run) -> tuple[Model, Outcome]:
    made, _, outcome = marginalised("self-training", inputs, params, run)
    return model(made, outcome.theta), outcome


def _labels_found(tagger: Model, raw: Corpus, confidence: float, run: Run) -> tuple[Ints, Ints]:
    """The label of each token on the best path; and again, with OPEN where it is not probable enough."""  # (T,) each

    def sure(batch: Batch, lattice: Lattice) -> tuple[Ints, Ints]:
        labels, _ = lattice.viterbi()
        kept = labels.copy()
        if confidence:
            kept[lattice.nodes[np.arange(len(labels)), labels] < confidence] = OPEN
        return labels.copy(), kept

    every, kept = zip(*tagger.asked(tagger.dataset(raw), run.over, sure), strict=True)
    return np.concatenate(every), np.concatenate(kept)


def _with_labels(inputs: Inputs, labelled: Corpus, raw: Corpus, tagger: Model, found: Ints) -> Inputs:
    """The labelled sentences and the raw ones with labels, to go on from a tagger."""
    open_mark = inputs.marks.unknown
    assert open_mark is not None
    texts = (*tagger.labels, open_mark)
    codes = np.where(found == OPEN, len(tagger.labels), found)
    # The column is another one in every round, and is read anew: its values are those of the labelled sentences, among
    # which are sets of labels, and the labels found.
    return replace(
        inputs, labelled=together(labelled, with_column(raw, inputs.template.label, texts, codes)), init=tagger
    )
