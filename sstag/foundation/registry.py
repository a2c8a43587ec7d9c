"""What the registries name: plain data say where something is, and it is imported when it is asked for."""

from importlib import import_module
from typing import Any


def registered(where: str) -> Any:
    """The object at `module:name`."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
