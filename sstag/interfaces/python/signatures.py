"""Signatures as `help` shows them: names and defaults, so that the first sentence is not far down.

Type checkers and editors read the types in the source.
"""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import TypeVar

WIDEST = 72  # characters of a signature that is shown whole

F = TypeVar("F", bound=Callable[..., object])


class Brief(Signature):
    """A signature that is shown in one line; its parameters are all there."""

    def __str__(self) -> str:
        text = super().__str__()
        return text if len(text) <= WIDEST else f"{text[: text.rindex(', ', 0, WIDEST)]}, …)"

    def format(self, *, max_width: int | None = None, quote_annotation_strings: bool = True) -> str:
        """The line, whatever `help` would make of it (Python 3.13 puts each parameter on a line of its own)."""
        return str(self)


def brief(function: F) -> F:
    """The function, with a signature without types."""
    parameters = [one.replace(annotation=Parameter.empty) for one in signature(function).parameters.values()]
    function.__signature__ = Brief(parameters)  # type: ignore[attr-defined]
    return function
