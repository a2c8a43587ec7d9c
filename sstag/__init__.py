"""sstag: sequence tagging in CoNLL format when labels are scarce.

From Python: `template`, `read`, `train`, `save`, `load`, `tag` and `evaluate` (`sstag.api`), imported when first used.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sstag.api import evaluate, load, read, save, tag, template, train

__all__ = ["evaluate", "load", "read", "save", "tag", "template", "train"]
__version__ = version("sstag")


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("sstag.api"), name)
    raise AttributeError(f"module 'sstag' has no attribute '{name}'")
