"""Whether what a registry names keeps the contract of its registry: the checker, which has tests of its own."""

import inspect
import typing
from collections.abc import Callable, Iterator
from functools import cached_property
from types import NoneType, SimpleNamespace, UnionType

ABSENT = inspect.Parameter.empty


def broken(found: Callable[..., object], contract: type) -> Iterator[str]:
    """A line for each fault of a function or of the class that it returns; `contract` is a Protocol with `__call__`."""
    ours, theirs = _signature(found, contract), _signature(contract.__call__, found)
    yield from _parameters(found.__name__, ours[0], theirs[0][1:])
    yield from _result(found.__name__, ours[1], theirs[1])


def lacking(kind: type, contract: type) -> Iterator[str]:
    """A line for each member of a Protocol that a class does not have, or has with other parameters or types."""
    for name, member in vars(contract).items():
        if name.startswith("_"):
            continue
        who, ours = f"{kind.__name__}.{name}", inspect.getattr_static(kind, name, None)
        if name not in dir(kind) and name not in _fields(kind):
            yield f"{kind.__name__} has no {name}"
        elif not inspect.isfunction(member):
            if inspect.isfunction(ours):
                yield f"{who} is a method, no property"
            else:
                yield from _result(who, _value(kind, name, member.fget), _signature(member.fget, kind)[1])
        elif not inspect.isfunction(ours):
            yield f"{who} is no method"
        else:
            mine, wanted = _signature(ours, member), _signature(member, ours)
            yield from _parameters(who, mine[0], wanted[0])
            yield from _result(who, mine[1], wanted[1])


def hint(found: Callable[..., object], place: int) -> object:
    """The annotation of a parameter."""
    return _signature(found, object)[0][place].annotation


def result(found: Callable[..., object]) -> object:
    """The annotation of what a function returns; a class returns its instances."""
    return _signature(found, object)[1]


def _fields(kind: type) -> dict[str, type]:
    """The annotated names of a class, with the class that annotates them."""
    return {name: one for one in reversed(kind.__mro__) for name in vars(one).get("__annotations__", {})}


def _value(kind: type, name: str, other: Callable[..., object]) -> object:
    """The type of a property, a field or an attribute of a class."""
    found = inspect.getattr_static(kind, name, None)
    if isinstance(found, property | cached_property):
        return _signature(found.fget if isinstance(found, property) else found.func, other)[1]
    if name in (fields := _fields(kind)):
        told = SimpleNamespace(__annotations__={name: vars(fields[name])["__annotations__"][name]})
        hint = typing.get_type_hints(told, _names(fields[name], other))[name]
        if hint is not typing.ClassVar and typing.get_origin(hint) is not typing.ClassVar:
            return hint
        if typing.get_args(hint):
            return typing.get_args(hint)[0]
    return type(found)


def _signature(found: Callable[..., object], other: object) -> tuple[list[inspect.Parameter], object]:
    """The parameters with their types, and the type of the result; names may be those of the other's module."""
    function = found.__init__ if isinstance(found, type) else found
    hints = typing.get_type_hints(inspect.unwrap(function), _names(found, other))
    parameters = list(inspect.signature(found).parameters.values())
    named = [one.replace(annotation=hints.get(one.name, ABSENT)) for one in parameters]
    return named, found if isinstance(found, type) else hints.get("return", ABSENT)


def _names(found: object, other: object) -> dict[str, object]:
    """The names of the modules of two things; where both have one, that of the first counts."""
    there = inspect.getmodule(other), inspect.getmodule(found)
    return {name: value for module in there if module for name, value in vars(module).items()}


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


def _result(who: str, ours: object, theirs: object) -> Iterator[str]:
    """The faults of a result of one type where another is wanted; each option of ours must be one of theirs."""
    for one in _options(ours):
        others = [other for other in _options(theirs) if other is not NoneType or one is NoneType] or [theirs]
        faults = [list(_fault(who, one, other)) for other in others]
        if all(faults):
            yield from faults[0] if len(faults) == 1 else [f"{who} returns {_said(ours)}, not {_said(theirs)}"]


def _fault(who: str, ours: object, theirs: object) -> Iterator[str]:
    if ours is theirs or str(ours) == str(theirs) or {ours, theirs} & {typing.Any, ABSENT}:
        return
    mine, wanted = (typing.get_origin(one) or one for one in (ours, theirs))
    if isinstance(mine, type) and isinstance(wanted, type):
        if getattr(wanted, "_is_protocol", False) and wanted.__module__.startswith("sstag."):
            yield from lacking(mine, wanted)
            return
        if issubclass(mine, wanted) and (mine is not wanted or not (typing.get_args(ours) and typing.get_args(theirs))):
            return
    yield f"{who} returns {_said(ours)}, not {_said(theirs)}"


def _said(kind: object) -> str:
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(kind)


def _options(kind: object) -> tuple[object, ...]:
    """The types of a union, or the one that there is."""
    return typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, UnionType) else (kind,)
