"""Ways to train a tagger: each takes inputs and parameters and returns a `Model`.

`METHODS` is plain data, so that listing methods and their parameters imports nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sstag.foundation.errors import ConfigError
from sstag.training.objectives import LABELED, OBJECTIVES, changed, listed
from sstag.training.parameter_specs import Parameters, checked

PARAMETERS_OF_TRAINING: Parameters = {
    "l2": (1.0, "strength of the prior l2/2·‖θ‖²"),
    "l1": (0.0, "strength of the penalty l1·Σ|θ|: weights become exactly 0"),
    "max_iterations": (1000, "the most iterations of the optimiser"),
    "tolerance": (1e-5, "stop when the objective improved by less than this share in ten iterations"),
    "patience": (10, "with development data: stop after so many iterations without a better score (0: never)"),
}
PARAMETERS_OF_CLIMBS: Parameters = {
    **PARAMETERS_OF_TRAINING,
    "start": ("supervised", "raw text: from the best weights for the labelled sentences alone (supervised), or zero"),
    "steps": (1, "raw text: what looks at it comes to its full strength in so many steps, a climb each"),
    "sample": (0, "raw text: only so many of its sentences, drawn by the seed (0: all)"),
}


@dataclass(frozen=True)
class Entry:
    """A registered method: where its `train` is, a line of help, its parameters with defaults and help, whether it
    learns from labels that are not decided, whether it learns from raw text, whether it needs weights of sentences,
    whether its optimum is the only one, whether it counts, and so starts from no earlier model, and which choices of
    a template are its own.

    Its parameters are also those of the `objectives` that it adds up: `entropy.gamma` is its `gamma`.
    """

    where: str
    help: str
    parameters: Parameters = field(default_factory=dict)
    undecided: bool = False
    unlabelled: bool = False
    weights: bool = False
    concave: bool = False
    counts: bool = False
    fixed: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ()


METHODS = {
    "crf": Entry(
        "sstag.training.methods.crf:train",
        "conditional random field on fully labelled sentences",
        PARAMETERS_OF_TRAINING,
        concave=True,
    ),
    "partial": Entry(
        "sstag.training.methods.partial:train",
        "conditional random field on decided, ambiguous and open labels: what is left open is summed over",
        PARAMETERS_OF_TRAINING,
        undecided=True,
    ),
    "weighted": Entry(
        "sstag.training.methods.weighted:train",
        "partial, with a weight for every sentence (--sentence-weights): as probable as it is among all",
        PARAMETERS_OF_TRAINING,
        undecided=True,
        weights=True,
    ),
    "maxent": Entry(
        "sstag.training.methods.maxent:train",
        "maximum-entropy classifier: every token by itself, open labels left out",
        PARAMETERS_OF_TRAINING,
        undecided=True,
        fixed=("edge_pairs",),
    ),
    "hmm": Entry(
        "sstag.training.methods.hmm:train",
        "hidden Markov model: counts of what the template says of each token, of steps, and of unknown words",
        {"smoothing": (0.1, "hmm, constraint-driven: what is added to every count")},
        undecided=True,
        counts=True,
        fixed=("pairs", "edge_pairs", "vocabulary"),
    ),
    "self-training": Entry(
        "sstag.training.methods.self_training:train",
        "partial, then again on raw text with the labels it found, until no label changes",
        {
            **PARAMETERS_OF_TRAINING,
            "rounds": (20, "self-training: the most rounds"),
            "confidence": (0.0, "self-training: found labels less probable than this stay open"),
        },
        undecided=True,
        unlabelled=True,
    ),
    "entropy": Entry(
        "sstag.training.methods.entropy:train",
        "partial, and raw text of whose labels it should be sure (entropy regularisation)",
        {**PARAMETERS_OF_CLIMBS, **OBJECTIVES["entropy"].parameters},
        undecided=True,
        unlabelled=True,
        objectives=("likelihood", "entropy"),
    ),
    "expectation": Entry(
        "sstag.training.methods.expectation:train",
        "raw text in which labels of features are known (--expectations), with labelled sentences or without",
        {**PARAMETERS_OF_CLIMBS, **OBJECTIVES["expectation"].parameters},
        undecided=True,
        unlabelled=True,
        objectives=("likelihood", "expectation"),
    ),
    "label-regularization": Entry(
        "sstag.training.methods.label_regularization:train",
        "partial, and raw text whose labels should have the shares of the labelled ones",
        {**PARAMETERS_OF_CLIMBS, **OBJECTIVES["label-regularization"].parameters},
        undecided=True,
        unlabelled=True,
        objectives=("likelihood", "label-regularization"),
    ),
    "expected-gradient": Entry(
        "sstag.training.methods.expected_gradient:train",
        "partial, and raw text whose tokens with a feature of a list (--expectations) have its most probable labels",
        {
            **PARAMETERS_OF_TRAINING,
            "expectations": ("", "expected-gradient: the features and their labels, a list; or --expectations"),
        },
        undecided=True,
        unlabelled=True,
    ),
    "constraint-driven": Entry(
        "sstag.training.methods.constraint_driven:train",
        "hmm, and raw text with the labels it finds under rules for whole labellings (--rules)",
        {
            "rules": ("", "constraint-driven: the rules, YAML; or --rules"),
            "smoothing": (0.1, "hmm, constraint-driven: what is added to every count"),
            "rounds": (5, "constraint-driven: how often the raw text is labelled"),
            "beam": (50, "constraint-driven: how many labellings of a sentence are looked at, and learned from"),
            "mixing": (0.9, "constraint-driven: the share of what the labelled sentences say, beside the raw text"),
        },
        undecided=True,
        unlabelled=True,
        counts=True,
        fixed=("pairs", "edge_pairs", "vocabulary"),
    ),
    "prototype": Entry(
        "sstag.training.methods.prototype:train",
        "raw text in which words have known labels (--expectations), by the probability of its words",
        {
            **PARAMETERS_OF_TRAINING,
            "expectations": ("", "prototype: the words and their labels, a list; or --expectations"),
            "noise": (0.01, "prototype: the standard deviation of the weights that the climb begins at"),
        },
        undecided=True,
        unlabelled=True,
        fixed=("pairs", "vocabulary"),
    ),
    "composed": Entry(
        "sstag.training.methods.composed:train",
        "the sum of the objectives that a configuration lists (`objectives:`), of labelled and of raw text",
        {
            **PARAMETERS_OF_CLIMBS,
            "objectives": ([{"likelihood": {"data": LABELED}}], "composed: what is added up"),
            "expectations": ("", "composed: the list of expectations of objectives that have none of their own"),
        },
        undecided=True,
        unlabelled=True,
    ),
}

LISTS = {"expectations": "--expectations", "rules": "--rules"}  # parameters that have an option of their own


def usual_method(objectives: bool, expectations: bool, rules: bool) -> str:
    """The method when none is named: the one that learns from what is given."""
    return "composed" if objectives else "expectation" if expectations else "constraint-driven" if rules else "crf"


def refuse_fixed(method: str, choices: Iterable[str]) -> None:
    """An error if one of these choices of a template is the method's own."""
    for name in choices:
        if method in METHODS and name in METHODS[method].fixed:
            raise ConfigError(f"{method} makes the choice of '{name}' itself")


def completed(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a method, defaults for those not given; all are numbers in a range, or one of a few texts.

    `entropy.gamma` is the parameter of an objective: of the method's own, or of one in its list of objectives.
    """
    entry, own, changes = METHODS[method], dict[str, Any](), dict[str, Any]()
    for name, value in given.items():
        objective, dot, parameter = name.partition(".")
        if dot and "objectives" in entry.parameters:
            changes[name] = value
        else:
            own[parameter if dot and objective in entry.objectives else name] = value
    for name in LISTS:
        if name in own and name not in entry.parameters:
            raise ConfigError(_no_list(method, name))
    made = checked(method, entry.parameters, own)
    if "objectives" in made:
        made["objectives"] = listed(changed(listed(made["objectives"]), changes))
    return made


def _no_list(method: str, name: str) -> str:
    """Why a method does not take expectations, or rules, and what to say instead."""
    if other := next((one for one in LISTS if one in METHODS[method].parameters), None):
        return f"{method} takes no {name}: it takes {other} ({LISTS[other]} FILE)"
    takes = ", ".join(one for one, entry in METHODS.items() if name in entry.parameters)
    return f"{method} takes no {name}: they are for {takes}"
