"""Ways to train a tagger: each takes inputs and parameters and returns a `Model`.

`METHODS` is plain data, so that listing methods and their parameters imports nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sstag.foundation.registry import Where
from sstag.training.methods.parameters import (
    Composed,
    ConstraintDriven,
    Distill,
    EntropyMethod,
    ExpectationMethod,
    ExpectedGradient,
    LabelRegularizationMethod,
    PosteriorHmm,
    Prototype,
    SelfTraining,
    Smoothed,
    Supervised,
)
from sstag.training.parameter_specs import Parameters

if TYPE_CHECKING:
    from sstag.training.methods.contract import Method


@dataclass(frozen=True)
class RegisteredMethod:
    """A method: where its `train` is, a line of help, what it can be set to, whether it learns from labels that are not
    decided, whether it learns from raw text, whether it needs weights of sentences, whether its optimum is the only
    one, whether it counts, and so starts from no earlier model, and which choices of a template are its own.

    Its parameters are also those of the `objectives` that it adds up: `entropy.gamma` is its `gamma`.
    """

    where: "Where[Method]"
    help: str
    parameters: type[Parameters]
    undecided: bool = False
    unlabelled: bool = False
    weights: bool = False
    concave: bool = False
    counts: bool = False
    fixed: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ()


METHODS = {
    "crf": RegisteredMethod(
        Where("sstag.training.methods.crf:train"),
        "conditional random field on fully labelled sentences",
        Supervised,
        concave=True,
    ),
    "partial": RegisteredMethod(
        Where("sstag.training.methods.partial:train"),
        "conditional random field on decided, ambiguous and open labels: what is left open is summed over",
        Supervised,
        undecided=True,
    ),
    "weighted": RegisteredMethod(
        Where("sstag.training.methods.weighted:train"),
        "partial, with a weight for every sentence (--sentence-weights): as probable as it is among all",
        Supervised,
        undecided=True,
        weights=True,
    ),
    "maxent": RegisteredMethod(
        Where("sstag.training.methods.maxent:train"),
        "maximum-entropy classifier: every token by itself, open labels left out",
        Supervised,
        undecided=True,
        fixed=("edge_pairs",),
    ),
    "hmm": RegisteredMethod(
        Where("sstag.training.methods.hmm:train"),
        "hidden Markov model: counts of what the template says of each token, of steps, and of unknown words",
        Smoothed,
        undecided=True,
        counts=True,
        fixed=("pairs", "edge_pairs", "vocabulary"),
    ),
    "self-training": RegisteredMethod(
        Where("sstag.training.methods.self_training:train"),
        "partial, then again on raw text with the labels it found, until next to none changes",
        SelfTraining,
        undecided=True,
        unlabelled=True,
    ),
    "entropy": RegisteredMethod(
        Where("sstag.training.methods.entropy:train"),
        "partial, and raw text of whose labels it should be sure (entropy regularisation)",
        EntropyMethod,
        undecided=True,
        unlabelled=True,
        objectives=("likelihood", "entropy"),
    ),
    "expectation": RegisteredMethod(
        Where("sstag.training.methods.expectation:train"),
        "raw text in which labels of features are known (--expectations), with labelled sentences or without",
        ExpectationMethod,
        undecided=True,
        unlabelled=True,
        objectives=("likelihood", "expectation"),
    ),
    "label-regularization": RegisteredMethod(
        Where("sstag.training.methods.label_regularization:train"),
        "partial, and raw text whose labels should have the shares of the labelled ones",
        LabelRegularizationMethod,
        undecided=True,
        unlabelled=True,
        objectives=("likelihood", "label-regularization"),
    ),
    "distill": RegisteredMethod(
        Where("sstag.training.methods.distill:train"),
        "raw text labelled as probably as a teacher says (--set teacher=MODEL): a fast tagger made of a slow one",
        Distill,
        undecided=True,
        unlabelled=True,
        objectives=("likelihood", "distill"),
    ),
    "expected-gradient": RegisteredMethod(
        Where("sstag.training.methods.expected_gradient:train"),
        "partial, and raw text whose tokens with a feature of a list (--expectations) have its most probable labels",
        ExpectedGradient,
        undecided=True,
        unlabelled=True,
    ),
    "constraint-driven": RegisteredMethod(
        Where("sstag.training.methods.constraint_driven:train"),
        "hmm, and raw text with the labels it finds under rules for whole labellings (--rules)",
        ConstraintDriven,
        undecided=True,
        unlabelled=True,
        counts=True,
        fixed=("pairs", "edge_pairs", "vocabulary"),
    ),
    "posterior-hmm": RegisteredMethod(
        Where("sstag.training.methods.posterior_hmm:train"),
        "hmm, and raw text in which features have given shares of labels (--expectations): posterior regularisation",
        PosteriorHmm,
        undecided=True,
        unlabelled=True,
        counts=True,
        fixed=("pairs", "edge_pairs", "vocabulary"),
    ),
    "prototype": RegisteredMethod(
        Where("sstag.training.methods.prototype:train"),
        "raw text in which words have known labels (--expectations), by the probability of its words",
        Prototype,
        undecided=True,
        unlabelled=True,
        fixed=("pairs", "vocabulary"),
    ),
    "composed": RegisteredMethod(
        Where("sstag.training.methods.composed:train"),
        "the sum of the objectives that a configuration lists (`objectives:`), of labelled and of raw text",
        Composed,
        undecided=True,
        unlabelled=True,
    ),
}
