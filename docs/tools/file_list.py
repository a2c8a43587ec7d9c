"""The packages and the files in ARCHITECTURE.md: each module with the first sentence of its docstring."""

import ast
import re
from pathlib import Path

import sstag

PACKAGE = Path(sstag.__file__).parent
# The order is that of the import rule, which `tests/test_rooms.py` checks.
ROOMS = (
    "foundation", "chain", "corpus", "labels", "evaluation", "features",
    "knowledge", "model", "training", "selection", "experiments", "interfaces",
)  # fmt: skip
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z`])")


def text() -> str:
    """A heading, a sentence and a block of files for each package, and one block for `bench/`."""
    root = PACKAGE.parent
    parts = [_part(f"sstag/{room}", root) for room in ROOMS]
    return "\n\n".join([*parts, _part("bench", root)])


def packages() -> str:
    """A table of the packages, in the order of the import rule."""
    rows = [
        f"| [{room}](sstag/{room}/__init__.py) | {first_sentence(PACKAGE / room / '__init__.py')} |" for room in ROOMS
    ]
    return "\n".join(["| package | what is in it |", "| --- | --- |", *rows])


def first_sentence(path: Path) -> str:
    """The first sentence of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(SENTENCE.split(docstring.partition("\n\n")[0])[0].split()).rstrip(":")


def _part(folder: str, root: Path) -> str:
    head = first_sentence(root / folder / "__init__.py")
    files = sorted((root / folder).rglob("*.py"), key=lambda path: (len(path.parts) > 0, path.parts[:-1], path.name))
    lines = [_line(path, root / folder) for path in files if path != root / folder / "__init__.py"]
    return f"### {folder}\n\n{head}\n\n```\n" + "\n".join(lines) + "\n```"


def _line(path: Path, folder: Path) -> str:
    inside = path.relative_to(folder).as_posix()
    return f"{inside.removesuffix('__init__.py'):<34} {first_sentence(path)}"
