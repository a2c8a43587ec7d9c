"""Ways to train a tagger: each takes inputs and parameters and returns a `Model`.

`METHODS` is plain data, so that listing methods and their parameters imports nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sstag.errors import ConfigError, nearest

PARAMETERS_OF_TRAINING: dict[str, tuple[Any, str]] = {
    "l2": (1.0, "strength of the prior l2/2·‖θ‖²"),
    "l1": (0.0, "strength of the penalty l1·Σ|θ|: weights become exactly 0"),
    "max_iterations": (1000, "the most iterations of the optimiser"),
    "tolerance": (1e-5, "stop when the objective improved by less than this share in ten iterations"),
    "patience": (10, "with development data: stop after so many iterations without a better score (0: never)"),
}
RANGES = {"smoothing": (1e-9, math.inf), "confidence": (0, 1)}  # of what is not a number from 0 up


@dataclass(frozen=True)
class Entry:
    """A registered method: where its `train` is, a line of help, its parameters with defaults and help, whether it
    learns from labels that are not decided, whether it learns from raw text, and whether its optimum is the only one.
    """

    where: str
    help: str
    parameters: dict[str, tuple[Any, str]] = field(default_factory=dict)
    undecided: bool = False
    unlabelled: bool = False
    concave: bool = False


METHODS = {
    "crf": Entry(
        "sstag.methods.crf:train",
        "conditional random field on fully labelled sentences",
        PARAMETERS_OF_TRAINING,
        concave=True,
    ),
    "partial": Entry(
        "sstag.methods.partial:train",
        "conditional random field on decided, ambiguous and open labels: what is left open is summed over",
        PARAMETERS_OF_TRAINING,
        undecided=True,
    ),
    "maxent": Entry(
        "sstag.methods.maxent:train",
        "maximum-entropy classifier: every token by itself, open labels left out",
        PARAMETERS_OF_TRAINING,
        undecided=True,
    ),
    "hmm": Entry(
        "sstag.methods.hmm:train",
        "hidden Markov model: counts of what the template says of each token, of steps, and of unknown words",
        {"smoothing": (0.1, "hmm: what is added to every count")},
        undecided=True,
    ),
    "self-training": Entry(
        "sstag.methods.self_training:train",
        "partial, then again on raw text with the labels it found, until no label changes",
        PARAMETERS_OF_TRAINING
        | {
            "rounds": (20, "self-training: the most rounds"),
            "confidence": (0.0, "self-training: found labels less probable than this stay open"),
        },
        undecided=True,
        unlabelled=True,
    ),
}


def completed(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a method, defaults for those not given; all are numbers in a range."""
    known = METHODS[method].parameters
    for name, value in given.items():
        if name not in known:
            raise ConfigError(f"{method} has no parameter '{name}'{nearest(name, known)}")
        whole = isinstance(known[name][0], int)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise ConfigError(f"'{name}' must be a {'whole ' if whole else ''}number, not {value!r}")
        least, most = RANGES.get(name, (0, math.inf))
        if not (math.isfinite(value) and least <= value <= most):
            upper = "up" if most == math.inf else f"to {most:g}"
            raise ConfigError(f"'{name}' must be a number from {least:g} {upper}, not {value!r}")
    return {name: type(default)(given.get(name, default)) for name, (default, _) in known.items()}
