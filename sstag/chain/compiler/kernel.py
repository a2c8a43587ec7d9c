"""Kernels: Python functions that run as machine code, compiled at their first call or read from the `cache`.

Numba is imported only to compile, once on a machine, because importing it takes longer than tagging most texts.
"""

import logging
from collections.abc import Callable
from functools import cache, update_wrapper
from threading import Lock
from typing import Any, Generic, TypeVar, TypeVarTuple, get_args

import numpy as np

from sstag.chain.compiler.cache import keep, kept
from sstag.chain.compiler.machine_code import Signature, called
from sstag.foundation.arrays import Bools, Floats, Ints, Longs

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

COMPILING = "compiling what this command needs, once on this machine: about 3 seconds to tag, 10 to 40 to train"

ARRAYS = {Floats: "float64", Ints: "int32", Longs: "int64", Bools: "bool_"}
NUMBERS = {float: "float64", int: "int64", bool: "bool_"}

_preparing = Lock()


class Kernel(Generic[*Ts, R]):
    """A function that runs as machine code, without the GIL.

    The types of its arguments are read from its annotations, and the dimensions of its arrays from its first call.
    """

    def __init__(self, function: Callable[[*Ts], R], exact: bool) -> None:
        self.function, self.exact = function, exact
        self.call: Callable[[*Ts], R] | None = None
        update_wrapper(self, function)

    def __call__(self, *arguments: *Ts) -> R:
        return (self.call or self._prepared(arguments))(*arguments)

    def _prepared(self, arguments: tuple[Any, ...]) -> Callable[[*Ts], R]:
        with _preparing:
            if not self.call:
                self.call = _machine_code(self.function, self.exact, _signature(self.function, arguments))
            return self.call


def kernel(function: Callable[[*Ts], R]) -> Kernel[*Ts, R]:
    """A kernel whose sums may be reordered, which is faster."""
    return Kernel(function, exact=False)


def exact_kernel(function: Callable[[*Ts], R]) -> Kernel[*Ts, R]:
    """A kernel whose results have the same bits as those of the Python function."""
    return Kernel(function, exact=True)


def _signature(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Signature:
    *parameters, returned = function.__annotations__.values()
    return Signature(
        tuple(
            (ARRAYS[kind], np.ndim(value)) if kind in ARRAYS else (NUMBERS[kind], 0)
            for kind, value in zip(parameters, arguments, strict=True)
        ),
        tuple(NUMBERS[kind] for kind in get_args(returned) or [returned] if kind),
    )


def _machine_code(function: Callable[..., Any], exact: bool, signature: Signature) -> Any:
    dimensions = "".join(str(dimensions) for _, dimensions in signature.takes)
    name = f"{function.__module__}.{function.__qualname__}.{dimensions}"
    object_file = kept(name)
    if object_file is None:
        # Imported here because importing numba takes longer than tagging most texts; kept kernels need none of it.
        from sstag.chain.compiler.compilation import code

        _say_compiling()
        object_file, is_complete = code(function, name, exact, signature)
        if is_complete:
            keep(name, object_file)
    return called(object_file, name, signature)


@cache
def _say_compiling() -> None:
    logging.getLogger(__name__).info(COMPILING)
