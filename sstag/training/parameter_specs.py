"""Parameters of methods and objectives: frozen dataclasses whose fields know their range and a line of help.

    @dataclass(frozen=True)
    class Smoothed(Parameters):
        smoothing: float = number(0.1, "what is added to every count", least=1e-9)

`methods.completion.completed` makes such an object of what a configuration says, and `described` lists the parameters
for help and reference pages. Nothing here needs arrays, so methods are listed without them.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Generic, Protocol, TypeVar

from sstag.foundation.errors import ConfigError, not_among
from sstag.foundation.json_values import Json

T = TypeVar("T")
P = TypeVar("P", bound="Parameters")

SPEC = "spec"  # the key of a field's metadata
LARGEST = 1e15  # of any number: products of larger ones leave the range of numbers, and nothing comes of infinities


@dataclass(frozen=True)
class Parameters:
    """Base of all parameters: each field is made by `number`, `whole`, `choice`, `path`, `depending` or `parsed`."""


@dataclass(frozen=True)
class Depending:
    """A number that depends on whether there are labelled sentences."""

    beside: float
    alone: float

    def __str__(self) -> str:
        return f"{self.alone:g}; beside labelled sentences {self.beside:g}"


class ParameterError(ConfigError):
    """A parameter that there is not, or a value that it cannot have; `place` leads to it in what was given."""

    def __init__(self, message: str, *place: str | int) -> None:
        self.place = place
        super().__init__(message)


@dataclass(frozen=True)
class Described:
    """A parameter as a reference page shows it; without a default to show it is empty."""

    name: str
    default: str
    range: str
    help: str
    is_choice: bool


class Spec(Protocol):
    """The help of a parameter, and the values that it can have."""

    @property
    def help(self) -> str: ...

    @property
    def range(self) -> str:
        """The values that it can have, for a reader."""

    def checked(self, name: str, value: Json) -> object:
        """The value as the field holds it; an error if it cannot be one."""


@dataclass(frozen=True)
class NumberSpec:
    """A number from `least` to `most`."""

    help: str
    least: float
    most: float
    whole: bool = False

    @property
    def range(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if not math.isfinite(self.least):
            return kind
        return f"{kind} from {self.least:g} {'up' if self.most == math.inf else f'to {self.most:g}'}"

    def checked(self, name: str, value: Json) -> float:
        """The number, which is a float unless it is a whole one."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            raise ParameterError(f"'{name}' must be a {'whole ' if self.whole else ''}number, not {value!r}", name)
        if (isinstance(value, int) or math.isfinite(value)) and abs(value) > LARGEST:
            raise ParameterError(f"'{name}' must be a number of at most {LARGEST:g}, not {value!r}", name)
        if not (math.isfinite(value) and self.least <= value <= self.most):
            span = self.range.partition("number")[2]
            raise ParameterError(f"'{name}' must be a {'' if span else 'finite '}number{span}, not {value!r}", name)
        return value if self.whole else float(value)


@dataclass(frozen=True)
class ChoiceSpec:
    """One of a few texts."""

    help: str
    choices: tuple[str, ...]

    @property
    def range(self) -> str:
        return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"

    def checked(self, name: str, value: Json) -> str:
        """The text."""
        if isinstance(value, str) and value in self.choices:
            return value
        raise ParameterError(not_among(name, value, self.choices), name)


@dataclass(frozen=True)
class PathSpec:
    """The path of a file; empty if there is none."""

    help: str
    range: str = "a path"

    def checked(self, name: str, value: Json) -> str:
        """The path."""
        if not isinstance(value, str):
            raise ParameterError(f"'{name}' must be text, not {value!r}", name)
        return value


@dataclass(frozen=True)
class ParsedSpec(Generic[T]):
    """Whatever a function makes of a value."""

    help: str
    range: str
    parse: Callable[[Json], T]

    def checked(self, name: str, value: Json) -> T:
        """The value that the function makes."""
        return self.parse(value)


def number(default: float, help: str, least: float = 0.0, most: float = math.inf) -> float:
    """A field for a number."""
    return field(default=default, metadata={SPEC: NumberSpec(help, least, most)})


def depending(beside: float, alone: float, help: str) -> float | Depending:
    """A field for a number from 0 up whose default depends on whether there are labelled sentences."""
    default: float | Depending = Depending(beside, alone)
    return field(default=default, metadata={SPEC: NumberSpec(help, 0.0, math.inf)})


def whole(default: int, help: str, least: int = 0, most: float = math.inf) -> int:
    """A field for a whole number."""
    return field(default=default, metadata={SPEC: NumberSpec(help, least, most, whole=True)})


def choice(help: str, *choices: str) -> str:
    """A field for one of a few texts, the first unless another is chosen."""
    return field(default=choices[0], metadata={SPEC: ChoiceSpec(help, choices)})


def path(help: str) -> str:
    """A field for the path of a file, empty if there is none."""
    return field(default="", metadata={SPEC: PathSpec(help)})


def parsed(default: T, help: str, range: str, parse: Callable[[Json], T]) -> T:
    """A field for what a function makes of a value; `range` says for a reader what it takes."""
    return field(default=default, metadata={SPEC: ParsedSpec(help, range, parse)})


def specs(kind: type[Parameters]) -> dict[str, Spec]:
    """The help and range of each parameter, by its name."""
    return {one.name: one.metadata[SPEC] for one in fields(kind)}


def told(parameters: Parameters) -> dict[str, Json]:
    """The parameters by name, as a model tells of them; those that are no JSON values are left out."""
    values = {one.name: getattr(parameters, one.name) for one in fields(parameters)}
    return {name: value for name, value in values.items() if isinstance(value, bool | int | float | str)}


def settled(parameters: P, beside: bool) -> P:
    """The parameters as they are with labelled sentences, or without."""
    values = {one.name: getattr(parameters, one.name) for one in fields(parameters)}
    return replace(
        parameters,
        **{
            name: value.beside if beside else value.alone
            for name, value in values.items()
            if isinstance(value, Depending)
        },
    )


def certain(value: float | Depending) -> float:
    """A number of parameters that are settled."""
    assert not isinstance(value, Depending)
    return value


def narrowed(kind: type[P], parameters: Parameters) -> P:
    """Those of the parameters that are also another kind's, as that kind."""
    make: Callable[..., P] = kind
    return make(**{one.name: getattr(parameters, one.name) for one in fields(kind)})


def paths(kind: type[Parameters]) -> list[str]:
    """The names of the parameters that are paths."""
    return [name for name, spec in specs(kind).items() if isinstance(spec, PathSpec)]


def described(kind: type[Parameters]) -> Iterator[Described]:
    """Each parameter with its default, its range and a line of help."""
    for one in fields(kind):
        spec, default = specs(kind)[one.name], one.default
        shown = f"{default:g}" if isinstance(default, int | float) else default
        text = str(shown) if isinstance(shown, str | Depending) else ""
        yield Described(one.name, text, spec.range, spec.help, isinstance(spec, ChoiceSpec))
