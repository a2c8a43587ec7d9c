"""The templates that come with sstag, by name: `ner` is configs/templates/ner.yaml."""

import os
import re
from pathlib import Path

from sstag.foundation.errors import ConfigError, nearest

FOLDER = Path(__file__).parent / "templates"
AUTO = "auto"  # in place of a name: the template that is chosen for a text
NAME = re.compile(r"[\w-]+")  # a file's name has a dot or a slash, unless there is such a file


def shipped_names() -> dict[str, str]:
    """The names of the templates, each with the first line of its file, which says what it is for."""
    return {path.stem: _first_line(path) for path in sorted(FOLDER.glob("*.yaml"))}


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")


def is_name(given: str, folder: str = "") -> bool:
    """Whether a text names a template of sstag, and not a file in a folder."""
    beside = os.path.join(folder, given)
    return bool(NAME.fullmatch(given)) and (os.path.isdir(beside) or not os.path.exists(beside))


def template_path(given: str) -> str:
    """The path of a template that is given by its path or by its name."""
    if not is_name(given):
        return given
    path = shipped_path(given)
    if not os.path.isfile(path):
        raise ConfigError(f"there is no template '{given}', and no such file{nearest(given, shipped_names())}")
    return path


def shipped_path(name: str) -> str:
    """The path of the template that comes with sstag under a name, whatever file is called so."""
    return str(FOLDER / f"{name}.yaml")
