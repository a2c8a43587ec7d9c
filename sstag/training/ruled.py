"""Rules for whole labellings that a trained tagger keeps and labels under, whatever its method.

    ŷ = argmax  score(y) − Σ_c ρ_c · violations_c(y)          ρ_c as the file says, or −log of how often c is violated

The scores are those of the tagger, and its probabilities know nothing of the rules. What a rule costs is learned from
the labelled sentences that are decided throughout, as in constraint-driven learning (`methods/constraint_driven.py`).
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sstag.foundation.ranges import offsets_of
from sstag.knowledge.rule_costs import estimated, refuse_many
from sstag.knowledge.rules import Rules, read_rules
from sstag.model.model import Model
from sstag.training.inputs import Inputs, Run, labelled_text_of

BEAM = 50  # labellings of a sentence that are looked at together


def ruled(model: Model, inputs: Inputs, path: str, run: Run) -> Model:
    """The model with the rules in a file, and a report of what each costs."""
    rules = _read(model, path, run.warn)
    if inputs.labelled is None:
        return _with_given(model, rules)
    text = labelled_text_of(inputs, "training")
    corpus = text.corpus
    place = np.array([model.labels.index(label) for label in text.sets.labels])
    labels = np.where(text.single < 0, -1, place[text.single])
    full = np.minimum.reduceat(labels, corpus.offsets[:-1]) >= 0
    lengths = np.diff(corpus.offsets)
    if not full.any():
        return _with_given(model, rules)
    whole, cues = np.repeat(full, lengths), rules.cues(corpus)
    for warning in rules.never(cues):
        run.warn(warning)
    omega = np.ones(corpus.sentences) if corpus.weights is None else corpus.weights
    offsets = offsets_of(lengths[full])
    rules, counts = estimated(rules, model.labels, cues[whole], offsets, labels[whole], omega[full])
    costs = [
        {"rule": rule.text, "penalty": rule.penalty, "violations": violations, "places": places}
        for rule, (violations, places) in zip(rules.rules, counts.tolist(), strict=True)
    ]
    return replace(model, rules=rules, beam=BEAM, about={**model.about, "rules": costs, "rules' file": rules.digest})


def under_rules(model: Model, path: str, warn: Callable[[str], None]) -> Model:
    """The model with the rules in a file instead of its own; each must say what it costs."""
    return _with_given(model, _read(model, path, warn))


def _read(model: Model, path: str, warn: Callable[[str], None]) -> Rules:
    """The rules in a file; labels that the model lacks are warned of, and never found."""
    rules = read_rules(path, model.template)
    for text in rules.odd(model.labels):
        warn(text)
    refuse_many(rules, model.labels)
    return rules


def _with_given(model: Model, rules: Rules) -> Model:
    """The model with rules whose costs are given."""
    for rule in rules.rules:
        if rule.penalty is None:
            raise rules.error(
                rule,
                f"'{rule.text}' has no penalty: say one, or train --rules with labelled sentences, which learns it",
            )
    return replace(model, rules=rules, beam=BEAM)
