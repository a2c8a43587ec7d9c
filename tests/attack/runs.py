"""Runs of commands by a server that has everything imported, and what each came to."""

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEMORY = 3 * 2**30  # bytes of address space that a command may have
SECONDS = 30
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """The end of a command."""

    arguments: tuple[str, ...]
    code: int
    out: bytes
    err: str
    late: bool
    seconds: float
    memory: int

    @property
    def fault(self) -> str:
        """The fault that a command must not have, in words; empty if it has none."""
        if self.late:
            return "no end"
        if "Traceback" in self.err or self.code == 70:
            return "traceback"
        if self.code < 0:
            return f"ended by signal {-self.code}"
        if "Warning: " in self.err and "site-packages" in self.err:
            return "a warning with paths of sources"
        return "no message" if self.code and not self.err.strip() and not self.out.strip() else ""


class Server:
    """A process that runs commands."""

    def __init__(self, library: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="attack-"))
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        preload = {"LD_PRELOAD": str(library)} if library else {}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.attack.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **threads, **preload},
        )
        self._answer()

    def run(self, *arguments: str | Path, seconds: float = SECONDS, memory: int = MEMORY, **more: Any) -> Ran:
        """A command, and what it came to; `more` is asked of the server as it is."""
        said = [os.fspath(one) for one in arguments]
        out, err = self.folder / "out", self.folder / "err"
        out.write_bytes(b""), err.write_bytes(b"")  # of a command that is killed before it begins nothing stays
        asked = {"arguments": said, "seconds": seconds, "memory": memory, "out": str(out), "err": str(err), **more}
        assert self.process.stdin
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        came = self._answer()
        return Ran(tuple(said), out=out.read_bytes(), err=err.read_text("utf-8", "replace"), **came)

    def _answer(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        """Ends the process."""
        self.process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


def fault_library(folder: Path) -> Path | None:
    """The library that lets system calls fail, built in a folder; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        return None
    made = folder / "faults.so"
    line = [compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(Path(__file__).with_name("faults.c")), "-ldl"]
    subprocess.run(line, check=True, capture_output=True)
    return made


FAULTS = {"no room": errno.ENOSPC, "broken": errno.EIO, "no right": errno.EACCES}
