"""Registries name functions and classes as `module:name`, and import them only when they are asked for."""

from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Where(Generic[T]):
    """The place of an object, `module:name`; its type is that of the object, which a test of all registries checks."""

    name: str


def registered(where: Where[T]) -> T:
    """The object at a place."""
    module, _, name = where.name.partition(":")
    found: T = getattr(import_module(module), name)
    return found
