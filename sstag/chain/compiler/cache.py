"""A folder of compiled kernels, so that only the first run on a machine waits for the compiler.

The folder is the first writable one of: the user's NUMBA_CACHE_DIR, the package's own `__pycache__`, the user's cache
folder, and one for this user among temporary files; else one that lives as long as the process, with a warning. Its
name is a hash of everything the machine code depends on: every kernel's source and how it is compiled, the versions of
Python and numba, and the CPU, so a home folder shared by different machines is safe.

A file is an object file after a hash of it and its name, so what is damaged, or not what its name says, is compiled
again. Two processes may start at once: files are written under temporary names and renamed.
"""

import hashlib
import logging
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

from sstag.chain.compiler.machine_code import llvm
from sstag.foundation.errors import DataError
from sstag.foundation.files import output

PROBE = 2**16  # bytes, about those of a compiled kernel
SEAL = hashlib.sha256().digest_size
CHAIN = Path(__file__).parent.parent
SOURCES = ("compiler/compilation.py", "compiler/kernel.py", "compiler/vector_code.py", "kernels/*.py")


@cache
def cache_folder() -> str:
    """The first writable folder among `candidates`, or a temporary one that lives as long as this process."""
    name = f"kernels-{fingerprint()}"
    for parent in candidates():
        if is_writable(parent / name):
            return str(parent / name)
    folder = _temporary_folder().name
    logging.getLogger(__name__).warning(
        f"no writable folder for compiled kernels: every run compiles them again (set NUMBA_CACHE_DIR); using {folder}"
    )
    return folder


def kept(name: str) -> bytes | None:
    """The object file of this name, if there is one and it is whole."""
    try:
        found = (Path(cache_folder()) / f"{name}.o").read_bytes()
    except OSError:
        return None
    seal, object_file = found[:SEAL], found[SEAL:]
    return object_file if seal == _seal(name, object_file) else None


def keep(name: str, object_file: bytes) -> None:
    """Writes an object file where `kept` finds it."""
    try:
        with output(f"{cache_folder()}/{name}.o") as file:
            file.write(_seal(name, object_file) + object_file)
    except DataError as error:
        logging.getLogger(__name__).warning(f"{error}; what is compiled is not kept")


def _seal(name: str, object_file: bytes) -> bytes:
    return hashlib.sha256(name.encode() + object_file).digest()


def candidates() -> Iterator[Path]:
    """The folders that may hold the cache, best first."""
    values = os.environ
    if values.get("NUMBA_CACHE_DIR"):
        yield Path(values["NUMBA_CACHE_DIR"])
    yield CHAIN / "__pycache__"
    if sys.platform == "win32" and values.get("LOCALAPPDATA"):
        yield Path(values["LOCALAPPDATA"]) / "sstag"
    elif values.get("XDG_CACHE_HOME"):
        yield Path(values["XDG_CACHE_HOME"]) / "sstag"
    elif home := values.get("HOME", values.get("USERPROFILE")):
        yield Path(home) / ".cache" / "sstag"
    if sys.platform != "win32":
        shared = Path(tempfile.gettempdir()) / f"sstag-{os.geteuid()}"
        if is_private(shared):
            yield shared


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


def is_private(folder: Path) -> bool:
    """Whether `folder`, which is created for the purpose, is this user's and closed to everybody else.

    Among temporary files others may have planted a folder, or a link to one, with code in it. Nor may they be able to
    put another one in its place: its parent belongs to this user or the system, and is not writable by others unless
    its sticky bit keeps them from renaming what is not theirs.
    """
    me = os.geteuid()
    try:
        parent = folder.parent.stat()
        if parent.st_uid not in (0, me) or (parent.st_mode & 0o022 and not parent.st_mode & stat.S_ISVTX):
            return False
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == me and found.st_mode & 0o777 == 0o700


def fingerprint() -> str:
    """A short hash of the kernels' sources, the compiler's versions and the CPU."""
    digest, binding = hashlib.sha256(), llvm()
    for source in sorted(path for pattern in SOURCES for path in CHAIN.glob(pattern)):
        digest.update(source.read_bytes())
    features = binding.get_host_cpu_features().flatten()
    for part in (sys.version, version("numba"), version("llvmlite"), binding.get_host_cpu_name(), features):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="sstag-kernels-")
