"""sstag: sequence tagging in CoNLL format when labels are scarce.

From Python: `load_template`, `read`, `train`, `save`, `load`, `tag` and `evaluate`, imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from sstag.interfaces.python import SstagError, evaluate, load, load_template, read, save, tag, train

__all__ = ["SstagError", "evaluate", "load", "load_template", "read", "save", "tag", "train"]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("sstag.interfaces.python"), name)
    if name == "__version__":
        from importlib.metadata import version  # by itself a fifth of what `sstag --help` takes

        return version("sstag")
    raise AttributeError(f"module 'sstag' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
