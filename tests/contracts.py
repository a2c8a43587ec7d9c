"""Whether what a registry names keeps the contract of its registry: the checker, which has tests of its own."""

import inspect
import typing
from collections.abc import Callable, Iterator
from types import NoneType

ABSENT = inspect.Parameter.empty


def broken(found: Callable[..., object], contract: type) -> Iterator[str]:
    """What is wrong with a function, or with the class that it returns; `contract` is a Protocol with `__call__`."""
    ours, theirs = _signature(found, contract), _signature(contract.__call__, found)
    yield from _parameters(found.__name__, ours[0], theirs[0][1:])
    if isinstance(theirs[1], type) and theirs[1] is not NoneType:
        yield from _result(found.__name__, ours[1], theirs[1])
    elif str(ours[1]) != str(theirs[1]):
        for one in _options(theirs[1]):
            if one is not NoneType:
                yield from _result(found.__name__, next(iter(_options(ours[1]))), one)


def lacking(kind: type, contract: type) -> Iterator[str]:
    """What a class lacks of the members of a Protocol."""
    for name, member in vars(contract).items():
        if name.startswith("_"):
            continue
        ours = getattr(kind, name, None)
        if name not in dir(kind) and name not in _fields(kind):
            yield f"{kind.__name__} has no {name}"
        elif inspect.isfunction(member):
            if not inspect.isfunction(ours):
                yield f"{kind.__name__}.{name} is no method"
                continue
            yield from _parameters(f"{kind.__name__}.{name}", _signature(ours, member)[0], _signature(member, ours)[0])


def hint(found: Callable[..., object], place: int) -> object:
    """The annotation of a parameter."""
    return _signature(found, object)[0][place].annotation


def result(found: Callable[..., object]) -> object:
    """The annotation of what a function returns; a class returns its instances."""
    return _signature(found, object)[1]


def _fields(kind: type) -> set[str]:
    return {name for one in kind.__mro__ for name in getattr(one, "__annotations__", {})}


def _signature(found: Callable[..., object], other: object) -> tuple[list[inspect.Parameter], object]:
    """The parameters with their types, and the type of the result; names may be those of the other's module."""
    function = found.__init__ if isinstance(found, type) else found
    there = inspect.getmodule(other), inspect.getmodule(found)
    names = {name: value for module in there if module for name, value in vars(module).items()}
    hints = typing.get_type_hints(inspect.unwrap(function), names)
    parameters = list(inspect.signature(found).parameters.values())
    named = [one.replace(annotation=hints.get(one.name, ABSENT)) for one in parameters]
    return named, found if isinstance(found, type) else hints.get("return", ABSENT)


def _parameters(who: str, ours: list[inspect.Parameter], theirs: list[inspect.Parameter]) -> Iterator[str]:
    needed = [one for one in ours if one.default is ABSENT and one.kind is not one.VAR_KEYWORD]
    if len(needed) > len(theirs) or len(ours) < len(theirs):
        yield f"{who} takes {len(needed)} arguments, not {len(theirs)}"
    for one, other in zip(ours, theirs, strict=False):
        both = one.annotation, other.annotation
        if ABSENT in both or typing.Any in both:
            continue
        if not _takes(*both):
            yield f"{who} takes for {one.name} {both[0]}, not {both[1]}"


def _takes(ours: object, theirs: object) -> bool:
    """Whether a parameter of one type takes all values of another."""
    if ours is theirs:
        return True
    if isinstance(ours, type) and isinstance(theirs, type):
        return issubclass(theirs, ours)
    return str(ours) == str(theirs)


def _result(who: str, ours: object, theirs: type) -> Iterator[str]:
    origin = typing.get_origin(theirs) or theirs
    if not isinstance(ours, type):
        if str(ours) != str(theirs):
            yield f"{who} returns {ours}, not {theirs}"
    elif getattr(origin, "_is_protocol", False) and ours is not theirs:
        yield from lacking(ours, theirs)
    elif not issubclass(ours, origin):
        yield f"{who} returns {ours}, not {theirs}"


def _options(kind: object) -> tuple[object, ...]:
    """The types of a union, or the one that there is."""
    return typing.get_args(kind) or (kind,)
