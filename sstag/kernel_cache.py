"""Where compiled kernels are kept, so that only the first run on a machine waits for the compiler.

The folder is the first writable one of: the user's NUMBA_CACHE_DIR, the package's own `__pycache__`, the user's cache
folder; else a temporary folder with a warning. Its name is a hash of everything the machine code depends on: every
kernel's source (numba alone would miss a change in a function called from another file), the versions of Python and
numba, and the CPU, so a home folder shared by different machines is safe.

Two processes may start at once: numba writes under temporary names and renames, and each kernel has exactly one
signature, so both write the same code to the same place. (With two signatures, two writers could mix up their files;
hence `part` for what kernels share, which is compiled into them and never kept by itself.)
"""

import hashlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

import llvmlite
import numba
from llvmlite import binding
from numba.core import config

P = ParamSpec("P")
R = TypeVar("R")

PROBE = 2**16  # bytes, about those of a compiled kernel
PACKAGE = Path(__file__).parent

# Sums may be reordered and fused. Never `fast`: it would assume that there is neither NaN nor an infinity.
FASTMATH = {"reassoc", "contract", "nsz"}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """`function` compiled on first use, without the GIL, kept in `cache_folder`."""
    before = config.CACHE_DIR
    config.CACHE_DIR = cache_folder()  # numba reads it while it decorates, and has no argument for it
    try:
        return cast(Callable[P, R], numba.njit(nogil=True, cache=True, fastmath=FASTMATH)(function))
    finally:
        config.CACHE_DIR = before


def part(function: Callable[P, R]) -> Callable[P, R]:
    """`function` for use inside kernels, compiled into each of them, as often as their argument types differ."""
    return cast(Callable[P, R], numba.njit(nogil=True, fastmath=FASTMATH)(function))


@cache
def cache_folder() -> str:
    """The first writable folder among `candidates`, or a temporary one that lives as long as this process."""
    name = f"kernels-{fingerprint()}"
    for parent in candidates():
        if is_writable(parent / name):
            return str(parent / name)
    folder = _temporary_folder().name
    warnings.warn(
        f"no writable folder for compiled kernels: every run compiles them again (set NUMBA_CACHE_DIR); using {folder}",
        RuntimeWarning,
        stacklevel=2,
    )
    return folder


def candidates() -> Iterator[Path]:
    """Where the folder may be, best first."""
    values = os.environ
    if values.get("NUMBA_CACHE_DIR"):
        yield Path(values["NUMBA_CACHE_DIR"])
    yield PACKAGE / "__pycache__"
    if sys.platform == "win32" and values.get("LOCALAPPDATA"):
        yield Path(values["LOCALAPPDATA"]) / "sstag"
    elif values.get("XDG_CACHE_HOME"):
        yield Path(values["XDG_CACHE_HOME"]) / "sstag"
    elif home := values.get("HOME", values.get("USERPROFILE")):
        yield Path(home) / ".cache" / "sstag"


def is_writable(folder: Path) -> bool:
    """Whether a file can be written into `folder`, which is created for the purpose."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE))  # a full disk takes the name of a file, but not its contents
            file.flush()
            return True
    except OSError:
        return False


def fingerprint() -> str:
    """A short hash of the kernels' sources, the compiler's versions and the CPU."""
    digest = hashlib.sha256()
    for source in [Path(__file__), *sorted((PACKAGE / "kernels").glob("*.py"))]:
        digest.update(source.read_bytes())
    features = binding.get_host_cpu_features().flatten()
    for part in (sys.version, numba.__version__, llvmlite.__version__, binding.get_host_cpu_name(), features):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    # Private to this process: a folder with a name that others can guess would let them plant code in it.
    return tempfile.TemporaryDirectory(prefix="sstag-kernels-")
