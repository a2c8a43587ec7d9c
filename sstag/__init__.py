"""sstag: sequence tagging in CoNLL format when labels are scarce.

From Python: `load_template`, `read`, `train`, `tune`, `save`, `load`, `tag` and `evaluate`, imported when they are
first used, and the types of what they return.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "Corpus", "Evaluation", "FoundChunk", "FoundSpan", "Marks", "Model", "Progress", "SstagError", "Tagged", "Template",
    "Tried", "Tuned", "evaluate", "load", "load_template", "read", "save", "tag", "train", "tune",
]  # fmt: skip

if TYPE_CHECKING:  # where a type checker learns the names, and finds those that there are not
    __version__: str
    from sstag.interfaces.python import (
        Corpus,
        Evaluation,
        FoundChunk,
        FoundSpan,
        Marks,
        Model,
        Progress,
        SstagError,
        Tagged,
        Template,
        Tried,
        Tuned,
        evaluate,
        load,
        load_template,
        read,
        save,
        tag,
        train,
        tune,
    )
else:

    def __getattr__(name: str) -> object:
        if name in __all__:
            return getattr(import_module("sstag.interfaces.python"), name)
        if name == "__version__":
            from importlib.metadata import version  # by itself a fifth of what `sstag --help` takes

            return version("sstag")
        raise AttributeError(f"module 'sstag' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
