"""Criteria on lattices. All are maximised; they add up (`criterion.py`).

`OBJECTIVES` is plain data, so that listing objectives and their parameters imports nothing. A list of objectives is
written as a configuration writes it: `[{likelihood: {}}, {entropy: {gamma: 0.1, data: unlabeled}}]`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.registry import registered
from sstag.training.parameter_specs import Depending, Parameters, checked

if TYPE_CHECKING:
    from sstag.training.objectives.contract import Ground, Objective

LABELED, UNLABELED = "labeled", "unlabeled"  # texts, as `data` names them


@dataclass(frozen=True)
class Entry:
    """A registered objective: where its class is, a line of help, its parameters with defaults and help, and the texts
    it can look at, the first of them unless `data` says another.

    A `grounded` one depends on the text: it is made by a function of a `Ground` and its parameters. Parameters that
    are paths are `files`, each with what reads it (`contract.Opened`): a configuration's are relative to its folder,
    and a model tells their digests. One that has `everything` learns of attributes that only raw text has, and has
    weights for all pairs, unless the template says otherwise.
    """

    where: str
    help: str
    parameters: Parameters = field(default_factory=dict)
    texts: tuple[str, ...] = (UNLABELED, LABELED)
    grounded: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    everything: bool = False

    @property
    def settable(self) -> Parameters:
        """Its parameters, and the text it looks at."""
        return {**self.parameters, "data": (self.texts[0], f"the text: {' or '.join(self.texts)}")}


OBJECTIVES = {
    "likelihood": Entry(
        "sstag.training.objectives.likelihood:Likelihood",
        "log-likelihood of the labels, over the labels that each token may have",
        texts=(LABELED,),
    ),
    "entropy": Entry(
        "sstag.training.objectives.entropy:Entropy",
        "−γ times the entropy of the labels of each sentence: γ > 0 makes them surer",
        {
            "gamma": (0.001, "entropy: γ, how much it counts; below 0 labels become less sure"),
            "per": ("sentence", "entropy: the sum over sentences, or each divided by its tokens: sentence or token"),
            "algorithm": (
                "covariance",
                "entropy: how its gradient is found, which changes the time alone: covariance, constrained or nested",
            ),
        },
    ),
    "expectation": Entry(
        "sstag.training.objectives.expected_shares:expectation",
        "features of the text, whose labels should have given shares (generalized expectation)",
        {
            "expectations": ("", "expectation: the features and their labels, a list; or --expectations"),
            "strength": (
                Depending(beside=3.0, alone=100.0),
                "expectation: λ, how much each feature counts, unless the list says more",
            ),
            "distance": ("kl", "expectation: how far shares are from those of the list: kl or squared"),
        },
        grounded=True,
        files={"expectations": "sstag.knowledge.expectations:placed"},
        everything=True,
    ),
    "label-regularization": Entry(
        "sstag.training.objectives.expected_shares:label_regularization",
        "all tokens, whose labels should have the shares of the labelled ones",
        {
            "expectations": ("", "label-regularization: other shares, a list with a line for *; or --expectations"),
            "strength": (1.0, "label-regularization: λ, how much each raw token counts"),
            "distance": ("kl", "label-regularization: how far shares are from those: kl or squared"),
        },
        grounded=True,
        files={"expectations": "sstag.knowledge.expectations:placed_everywhere"},
    ),
}


def objective(name: str, **parameters: Any) -> "Objective":
    """An objective by name, if it does not depend on the text; parameters not given are the default ones."""
    entry = OBJECTIVES[name]
    made: Objective = registered(entry.where)(**checked(name, entry.parameters, parameters))
    return made


def grounded(name: str, parameters: Mapping[str, Any], ground: "Ground") -> "Objective":
    """An objective as a list has it, for a text."""
    own = {key: value for key, value in parameters.items() if key != "data"}
    if not OBJECTIVES[name].grounded:
        return objective(name, **own)
    made: Objective = registered(OBJECTIVES[name].where)(ground, **own)
    return made


def listed(given: Any) -> list[dict[str, dict[str, Any]]]:
    """A list of objectives with all their parameters; what is none is an error."""
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise ConfigError("'objectives' must be a list such as [{likelihood: {}}, {entropy: {gamma: 0.1}}]")
    return [_completed(one) for one in given]


def _completed(given: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(given, Mapping) or len(given) != 1:
        raise ConfigError(
            f"an objective is its name and its parameters, such as entropy: {{gamma: 0.1}}, not {given!r}"
        )
    ((name, parameters),) = given.items()
    if name not in OBJECTIVES:
        raise ConfigError(f"there is no objective '{name}'{nearest(str(name), OBJECTIVES)}")
    if not isinstance(parameters, Mapping | None):
        raise ConfigError(f"{name}: its parameters are names and values, such as {{data: unlabeled}}")
    entry = OBJECTIVES[name]
    made = checked(name, entry.settable, parameters or {})
    if made["data"] not in entry.texts:
        raise ConfigError(f"{name} looks at {' or '.join(entry.texts)} text, not at {made['data']}")
    return {name: made}


def changed(given: Sequence[Any], changes: Mapping[str, Any]) -> list[Any]:
    """A list in which `entropy.gamma` and the like are something else."""
    result = [dict(one) if isinstance(one, Mapping) else one for one in given]
    for text, value in changes.items():
        name, _, parameter = text.partition(".")
        places = [one for one in result if isinstance(one, dict) and name in one]
        if len(places) != 1:
            why = f"stands {len(places)} times in" if places else "is not in"
            raise ConfigError(f"{text}: {name} {why} the list of objectives")
        places[0][name] = {**(places[0][name] or {}), parameter: value}
    return result


def with_paths(given: Any, folder: str) -> Any:
    """A list whose files are looked for in a folder; what is no list of objectives is left to `listed`."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return given
    return [
        {name: _with_paths(name, parameters, folder) for name, parameters in one.items()}
        if isinstance(one, Mapping)
        else one
        for one in given
    ]


def _with_paths(name: str, parameters: Any, folder: str) -> Any:
    files = OBJECTIVES[name].files if name in OBJECTIVES else ()
    if not isinstance(parameters, Mapping):
        return parameters
    return {
        key: os.path.join(folder, value) if key in files and isinstance(value, str) and value else value
        for key, value in parameters.items()
    }
