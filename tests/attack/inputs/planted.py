"""Modules and settings of other programs in the folder where the user stands: nothing may run or obey them."""

import random
import sys

from tests.attack.inputs import Good, Input, any_use
from tests.planted import OTHERS

MODULES = sorted({*sys.stdlib_module_names, *OTHERS})
SETTINGS = (
    "matplotlibrc", "setup.cfg", "pyproject.toml", "sitecustomize.py", ".pythonrc", "pip.conf", ".netrc", "dask.yaml",
    ".env", "tox.ini", "python311._pth", "pyvenv.cfg",
)  # fmt: skip
ENDS = "import os\nos._exit(99)\n"  # an exit code that no command has


def made(chance: random.Random, good: Good) -> Input:
    """Any good command, in a folder with planted modules."""
    names = chance.sample(MODULES, 40)
    files = {f"{name}.py": ENDS.encode() for name in names}
    return Input(any_use(chance), {**files, chance.choice(SETTINGS): b"text.usetex: True\n"})
