"""Folders in which modules are planted that no program may run."""

import os
import sys
from pathlib import Path

OTHERS = (
    "anyio", "click", "dask", "distributed", "h11", "numpy", "scipy", "sitecustomize", "sstag", "starlette", "tornado",
    "usercustomize", "uvicorn", "yaml",
)  # fmt: skip
SCRIPT = """import sys
from sstag.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""


def planted(folder: Path) -> Path:
    """Plants a module for each that a program could import; the file that they write their names to when they run."""
    marks = folder.parent / f"{folder.name}-was-run"
    for name in {*sys.stdlib_module_names, *OTHERS}:
        (folder / f"{name}.py").write_text(f"open({os.fspath(marks)!r}, 'a').write({name!r} + '\\n')\n")
    return marks


def command_in(folder: Path) -> list[str]:
    """The command `sstag` as it is installed: a script in another folder than the one where the user stands."""
    folder.mkdir(exist_ok=True)
    (folder / "sstag").write_text(SCRIPT)
    return [sys.executable, str(folder / "sstag")]
