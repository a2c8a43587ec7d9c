"""What methods and objectives can be set to: parameters as plain data, and the check of what is given for them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sstag.foundation.errors import ConfigError, nearest

Parameters: TypeAlias = Mapping[str, tuple[Any, str]]  # name → default, and a line of help


@dataclass(frozen=True)
class Depending:
    """A number that depends on whether there are labelled sentences."""

    beside: float
    alone: float

    def __str__(self) -> str:
        return f"{self.alone:g}; beside labelled sentences {self.beside:g}"


RANGES = {  # of what is not a number from 0 up
    "smoothing": (1e-9, math.inf),
    "confidence": (0, 1),
    "beam": (1, 1000),
    "mixing": (0, 1),
    "gamma": (-math.inf, math.inf),
    "steps": (1, math.inf),
}
TEXTS = {  # what a text can be
    "algorithm": ("covariance", "constrained", "nested"),
    "data": ("labeled", "unlabeled"),
    "distance": ("kl", "squared"),
    "per": ("sentence", "token"),
    "start": ("supervised", "zero"),
}


def checked(who: str, known: Parameters, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that are known, defaults for those not given; what is no number in its range is an error."""
    for name, value in given.items():
        if name not in known:
            raise ConfigError(f"{who} has no parameter '{name}'{nearest(name, known)}")
        default, _ = known[name]
        if isinstance(default, int | float | Depending) and not isinstance(value, Depending):
            _check_number(name, value, isinstance(default, int))
        elif name in TEXTS and value not in TEXTS[name]:
            hint = nearest(value, TEXTS[name]) if isinstance(value, str) else ""
            raise ConfigError(f"'{name}' is {' or '.join(TEXTS[name])}, not {value!r}{hint}")
        elif isinstance(default, str) and not isinstance(value, str):
            raise ConfigError(f"'{name}' must be text, not {value!r}")
    made = {name: given.get(name, default) for name, (default, _) in known.items()}
    return {name: float(value) if isinstance(known[name][0], float) else value for name, value in made.items()}


def settled(parameters: Mapping[str, Any], beside: bool) -> dict[str, Any]:
    """Parameters as they are with labelled sentences, or without."""
    return {
        name: (value.beside if beside else value.alone) if isinstance(value, Depending) else value
        for name, value in parameters.items()
    }


def _check_number(name: str, value: Any, whole: bool) -> None:
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise ConfigError(f"'{name}' must be a {'whole ' if whole else ''}number, not {value!r}")
    least, most = RANGES.get(name, (0, math.inf))
    if not (math.isfinite(value) and least <= value <= most):
        span = f" from {least:g} {'up' if most == math.inf else f'to {most:g}'}" if math.isfinite(least) else ""
        raise ConfigError(f"'{name}' must be a {'' if span else 'finite '}number{span}, not {value!r}")
