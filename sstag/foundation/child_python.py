"""Python in processes of its own, which never looks for modules in the working folder.

Somebody may stand in a folder that others have filled. `python -m` and `python -c`, and whatever a library starts by
them, would run a `json.py` that lies there, so every process is started by the functions of this module.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOME = str(Path(__file__).parents[2])  # the folder that sstag was imported from
SAFE_PATH = "PYTHONSAFEPATH"  # in the environment: the same as -P, for all that is started from there on


def module_command(module: str, *words: object) -> list[str]:
    """The command that runs a module by the Python that runs here."""
    return [sys.executable, "-P", "-m", module, *map(str, words)]


def child_environment() -> dict[str, str]:
    """The environment of a process that imports what is imported here, wherever that was found."""
    return {**os.environ, SAFE_PATH: "1", "PYTHONPATH": os.pathsep.join(_places())}


@contextmanager
def safe_children() -> Iterator[None]:
    """For processes that a library starts: none looks for modules in the working folder while this is open."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = before


def _places() -> Iterator[str]:
    """Where modules are looked for here, but for the working folder, unless PYTHONPATH names it or sstag lies in it."""
    named = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    kept = {os.path.realpath(place) for place in (*named, HOME)}
    try:
        here = os.path.realpath(os.curdir)
    except FileNotFoundError:  # it was removed, and nothing lies in it
        here = ""
    for place in filter(None, sys.path):
        whole = os.path.realpath(place) if os.path.isabs(place) or here else here
        if whole and (whole != here or whole in kept):
            yield place
