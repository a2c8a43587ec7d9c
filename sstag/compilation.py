"""When kernels are compiled: at their first call, and not at all for a little work.

A kernel is a Python function. Numba takes longer to load than a sentence takes to tag without it, so it is loaded when
the first kernel has to be compiled, or fetched from `kernel_cache`. What kernels share are plain functions beside them:
they are compiled into each kernel that calls them, and never kept by themselves.

An *exact* kernel is compiled operation by operation, so it finds the same bits as the function it is made of, which
runs as it is within `little`.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property, update_wrapper
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

from sstag.kernel_cache import cache_folder

P = ParamSpec("P")
R = TypeVar("R")

KERNELS = "sstag.kernels."
COMPILING = "compiling what this needs, once on this machine: a few seconds"

MOST_STEPS = 1_000_000  # of inner loops; without the compiler these take about half as long as loading it

# Sums may be reordered and fused. Never `fast`: it would assume that there is neither NaN nor an infinity.
FASTMATH = {"reassoc", "contract", "nsz"}


@dataclass
class _Little:
    """How many steps this process has taken without the compiler. It decides how long things take, and nothing else."""

    steps: int = 0


_little = _Little()
_as_written: ContextVar[bool] = ContextVar("as_written", default=False)
_decorating = Lock()


class Kernel(Generic[P, R]):
    """A function that is compiled at its first call, without the GIL."""

    def __init__(self, function: Callable[P, R], exact: bool) -> None:
        self.function, self.exact = function, exact
        update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        if self.exact and _as_written.get():
            with np.errstate(all="ignore"):  # as if compiled
                return self.function(*arguments, **named)
        result: R = self.compiled(*arguments, **named)
        return result

    @cached_property
    def compiled(self) -> Any:
        """Numba's dispatcher: it compiles when it is called, or takes what was compiled before."""
        with _decorating:
            config = _numba().core.config  # it says where to keep what is compiled, while numba decorates
            before, config.CACHE_DIR = config.CACHE_DIR, cache_folder()
            try:
                return _jitted(self.function, self.exact, cache=True)
            finally:
                config.CACHE_DIR = before


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """A kernel whose sums may be reordered, which is faster."""
    return Kernel(function, exact=False)


def exact_kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """A kernel that finds the same bits whether it is compiled or not."""
    return Kernel(function, exact=True)


@contextmanager
def little(steps: int) -> Iterator[None]:
    """Within it, and in this thread, exact kernels run as they are written: as long as numba has not been loaded, and
    the steps of this and all earlier times are few."""
    few = "numba" not in sys.modules and _little.steps + steps <= MOST_STEPS
    _little.steps += steps * few
    before = _as_written.set(few)
    try:
        yield
    finally:
        _as_written.reset(before)


def _jitted(function: Callable[..., Any], exact: bool, **options: bool) -> Any:
    """A function of a kernels file with numba's functions in the place of those that it calls."""
    python = cast(FunctionType, function)
    beside = {name: python.__globals__.get(name) for name in python.__code__.co_names}
    parts = {name: _part(value, exact) for name, value in beside.items() if isinstance(value, FunctionType)}
    copy = FunctionType(python.__code__, python.__globals__ | parts, None, python.__defaults__)
    return _numba().njit(nogil=True, fastmath=False if exact else FASTMATH, **options)(copy)


@cache
def _part(function: FunctionType, exact: bool) -> Any:
    return _jitted(function, exact)


@cache
def _numba() -> ModuleType:
    """Numba, which says from now on when it compiles a kernel."""
    import numba
    from numba.core import event

    @cache
    def say() -> None:
        logging.getLogger(__name__).info(COMPILING)

    class Teller(event.Listener):  # type: ignore[misc]
        def on_start(self, compilation: Any) -> None:
            if compilation.data["dispatcher"].__module__.startswith(KERNELS):
                say()

        def on_end(self, compilation: Any) -> None:
            pass

    event.register("numba:compile", Teller())
    return cast(ModuleType, numba)
