"""From what is said of a method to its parameters: names are known, values checked, and what is not said usual."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sstag.features.reading import CHOICES
from sstag.foundation.errors import ConfigError, nearest
from sstag.foundation.json_values import Json
from sstag.training.methods import METHODS
from sstag.training.methods.parameters import Composed, ExpectationMethod
from sstag.training.objectives import OBJECTIVES
from sstag.training.objectives.listing import DATA, changed
from sstag.training.parameter_specs import ParameterError, Parameters, specs

LISTS = {"expectations": "--expectations", "rules": "--rules"}  # parameters that have an option of their own
RULES = "rules"
OBJECTIVES_KEY = "objectives"  # the parameter that is a list of objectives


def usual_method(objectives: bool, expectations: bool, rules: bool, spans: bool) -> str:
    """The method when none is named: the one that learns from what is given; `rules` are those for raw text."""
    if objectives:
        return "composed"
    return "expectation" if expectations else "constraint-driven" if rules else "partial" if spans else "crf"


def keeps_rules(method: str) -> bool:
    """Whether rules are not a parameter of a method, so that its model only labels under them."""
    return method in METHODS and RULES not in specs(METHODS[method].parameters)


def refuse_fixed(method: str, choices: Iterable[str]) -> None:
    """An error if one of these choices of a template is the method's own."""
    for name in choices:
        if method in METHODS and name in METHODS[method].fixed:
            raise ConfigError(f"{method} makes the choice of '{name}' itself")


def completed(method: str, given: Mapping[str, Json]) -> Parameters:
    """The parameters of a method: those that are given, checked, and defaults for the others.

    `entropy.gamma` is the parameter of an objective: of the method's own, or of one in its list of objectives.
    """
    if method not in METHODS:
        raise ConfigError(f"there is no method '{method}'{nearest(method, METHODS)}")
    made = METHODS[method].parameters()
    for name in sorted(given, key=lambda name: name != OBJECTIVES_KEY):  # of a list parameters can be set
        try:
            made = _with(method, made, name, given[name])
        except ParameterError as error:
            place = error.place if error.place[:1] == (OBJECTIVES_KEY,) else (name,)
            raise ParameterError(error.message, *place) from error
    if isinstance(made, Composed) and "l2" not in given and any(one.name == "expectation" for one in made.objectives):
        return replace(made, l2=ExpectationMethod().l2)
    return made


def _with(method: str, parameters: Parameters, name: str, value: Json) -> Parameters:
    """The parameters with another value of one."""
    objective, dot, own = name.partition(".")
    if dot and isinstance(parameters, Composed):
        return replace(parameters, objectives=changed(parameters.objectives, name, value))
    name = own if dot and objective in METHODS[method].objectives else name
    known = specs(type(parameters))
    if name not in known:
        raise ParameterError(_unknown(method, name), name)
    return replace(parameters, **{name: known[name].checked(name, value)})


def _unknown(method: str, name: str) -> str:
    """Why a method has no such parameter, and what to say instead."""
    known = specs(METHODS[method].parameters)
    if name in LISTS:
        if other := next((one for one in LISTS if one in known), None):
            return f"{method} takes no {name}: it takes {other} ({LISTS[other]} FILE)"
        takes = ", ".join(one for one, entry in METHODS.items() if name in specs(entry.parameters))
        return f"{method} takes no {name}: they are for {takes}"
    if name == OBJECTIVES_KEY:
        return f"a list of objectives is for the method composed, not {method}"
    having = [one for one, entry in OBJECTIVES.items() if name in (*specs(entry.parameters), DATA)]
    if OBJECTIVES_KEY in known and having:
        return f"'{name}' is of an objective: say {' or '.join(f'{one}.{name}' for one in having)}"
    return f"{method} has no parameter '{name}'{nearest(name, (*known, *CHOICES))}"
