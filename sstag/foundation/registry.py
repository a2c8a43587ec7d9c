"""Registries name functions and classes as `module:name`, and import them only when they are asked for."""

from importlib import import_module
from typing import Any


def registered(where: str) -> Any:
    """The object at `module:name`."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
