"""Constraint-driven learning (Chang, Ratinov & Roth 2007): an HMM learns from raw text under rules for labellings.

    λ₀ = the HMM of the labelled sentences
    Y(x) = the K labellings of x with the largest  log p(x, y; λ) − Σ_c ρ_c · violations_c(y)     for each raw sentence
    λ = γ λ₀ + (1 − γ) · the HMM of all Y(x), each labelling counted 1/K times;                      and again

λ are probabilities, so every round's model is an HMM: that of the labelled sentences, over the words of both texts. The
rules are those of a file (`rules.py`), ρ_c given or from the labelled sentences that are decided throughout
(`penalties.py`). The model keeps them, and labels with them. Cost of a round: O(T K L) and the insertions into the
beam; 8 L bytes for every token, 8 K for each of the longest sentence, 4 K for each of a batch. Limits: γ = 1 is `hmm`
that knows the words of the raw text, and labels under rules; rules that cost nothing and K = 1 are hard EM.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.errors import DataError, Interrupted, counted
from sstag.foundation.json_values import Json
from sstag.foundation.ranges import offsets_of
from sstag.knowledge.rule_costs import estimated, penalties, refuse_many
from sstag.knowledge.rules import Rules, read_rules
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled, compiled_text
from sstag.model.dataset import Dataset
from sstag.model.model import RULED_HMM, About, Model, model
from sstag.training.inputs import Inputs, Run, labelled_text_of, raw_text_of, with_named_labels
from sstag.training.judge import scorer
from sstag.training.methods.expected_counts import fitted
from sstag.training.methods.hmm import emitting, warn_of_features
from sstag.training.methods.hmm_counts import Counts, probabilities, step_counts
from sstag.training.methods.parameters import ConstraintDriven
from sstag.training.optimiser.lbfgs import REQUESTED
from sstag.training.parameter_specs import told

WHO = "constraint-driven"


def train(inputs: Inputs, params: ConstraintDriven, rng: np.random.Generator, run: Run) -> Model:
    """The HMM of the labelled sentences and of the raw ones with the labels found there under the rules."""
    text = labelled_text_of(inputs, WHO)
    corpus, known = text.corpus, text.sets.labels
    raw = raw_text_of(inputs, WHO)
    template = replace(emitting(inputs.template.named(corpus.columns)), vocabulary="all")
    warn_of_features(WHO, inputs.template, template, run)
    rules = read_rules(params.rules, template)
    for warning in rules.odd(known):
        run.warn(warning)
    inputs = with_named_labels(inputs, rules.labels, known, rules.path)
    text = labelled_text_of(inputs, WHO)
    labels = text.single
    if (labels < 0).all():
        raise DataError(f"no label is decided, and {WHO} counts those that are", corpus.path)
    refuse_many(rules, text.sets.labels)
    made = compiled_text(template, text, raw, inputs.known)
    if run.stop():
        raise Interrupted
    data, unlabelled = made.labelled, made.unlabelled
    assert isinstance(data, Dataset)
    assert isinstance(unlabelled, Dataset)
    cues, cues_of_raw = rules.cues(corpus), rules.cues(raw)
    for warning in rules.never(np.vstack([cues, cues_of_raw])):
        run.warn(warning)
    unlabelled = replace(unlabelled, cues=cues_of_raw)
    rules, costs = _with_penalties(rules, made, data, cues, labels)
    start = fitted(inputs, made, labels, params.smoothing, run).probabilities
    now = start
    rounds, before, end = list[dict[str, int]](), np.full(raw.tokens, -1, np.int32), ""
    while not end:
        if len(rounds) == params.rounds:
            end = counted(len(rounds), "round")
        elif run.stop():
            end = REQUESTED
        else:
            found, counts = _labelled(model(made, now.theta, kind=RULED_HMM), unlabelled, rules, params.beam, run)
            now = start.mixed(probabilities(made, [counts], params.smoothing), params.mixing)
            rounds.append({"labels changed": int((found != before).sum())})
            before = found
    about: About = {
        "method": WHO,
        "parameters": told(params) | {"rules": rules.digest},
        "emits": [feature.name for feature in made.template.features],
        "rules": costs,
        "rounds": rounds,
        "converged": end != REQUESTED,
        "reason": end,
    }
    tagger = replace(model(made, now.theta, kind=RULED_HMM), rules=rules, beam=params.beam)
    if inputs.development:
        about["development score"] = scorer(inputs, tagger, run)(tagger.theta)
    return tagger.saying(about)


def _with_penalties(
    rules: Rules, made: Compiled, data: Dataset, cues: Bools, labels: Longs
) -> tuple[Rules, list[dict[str, Json]]]:
    """The rules with what each costs, by the sentences that are decided throughout; and a report of them."""
    lengths = np.diff(data.offsets)
    whole = np.repeat(data.full, lengths)
    offsets = offsets_of(lengths[data.full])
    rules, counts = estimated(rules, made.labels, cues[whole], offsets, labels[whole], data.omega[data.full])
    costs: list[dict[str, Json]] = [
        {"rule": rule.text, "penalty": rule.penalty, "violations": violations, "places": places}
        for rule, (violations, places) in zip(rules.rules, counts.tolist(), strict=True)
    ]
    return rules, costs


def _labelled(tagger: Model, text: Dataset, rules: Rules, beam: int, run: Run) -> tuple[Ints, Counts]:
    """The best labels of raw text under the rules, and the counts of the best labellings, a sentence in all."""
    assert text.cues is not None
    cues, count = text.cues, len(tagger.labels)

    def learned(batch: Batch, lattice: Lattice) -> tuple[Ints, Floats, Floats, Floats, Floats]:
        costs = penalties(rules, tagger.labels, cues[batch.tokens], batch.offsets)
        y, _, found = lattice.penalised(costs, beam)
        lengths, each = np.diff(batch.offsets), np.arange(len(y[0])) * count
        nodes = np.zeros(len(each) * count)
        begin, steps, end = np.zeros(count), np.zeros((count, count)), np.zeros(count)
        for rank in range(int(found.max())):
            shares = np.repeat(np.where(rank < found, 1 / found, 0.0), lengths)
            nodes += np.bincount(each + y[rank], shares, len(nodes))
            for total, one in zip(
                (begin, steps, end), step_counts(batch.offsets, y[rank].astype(np.int64), shares, count), strict=True
            ):
                total += one
        return y[0].copy(), nodes.reshape(-1, count), begin, steps, end

    answers = tagger.asked(text, run.over, learned)
    best, nodes, *rest = (list(parts) for parts in zip(*answers, strict=True))
    shares = np.concatenate(nodes)
    tokens, labels = np.nonzero(shares)
    return np.concatenate(best), Counts(text, tokens, labels, shares[tokens, labels], *map(_summed, rest))


def _summed(parts: Sequence[Floats]) -> Floats:
    total: Floats = np.sum(parts, axis=0)
    return total
