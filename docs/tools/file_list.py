"""The packages and the files in ARCHITECTURE.md: each module with the first sentence of its docstring."""

import ast
import re
from itertools import takewhile
from pathlib import Path

import sstag

PACKAGE = Path(sstag.__file__).parent
# The order is that of the import rule, which `tests/test_rooms.py` checks.
ROOMS = (
    "foundation", "chain", "corpus", "labels", "evaluation", "features",
    "knowledge", "model", "training", "selection", "experiments", "interfaces",
)  # fmt: skip
CPP = (".h", ".cpp")
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
    """The first sentence of what a file says of itself, on one line."""
    source = path.read_text(encoding="utf-8")
    said = _first_comment(source) if path.suffix in CPP else ast.get_docstring(ast.parse(source)) or ""
    return " ".join(SENTENCE.split(said.partition("\n\n")[0])[0].split()).rstrip(":")


def _first_comment(source: str) -> str:
    """The lines of C++ comment with which a file begins, without their marks."""
    lines = takewhile(lambda line: line.startswith("//"), source.splitlines())
    return "\n".join(line.removeprefix("//").strip() for line in lines)


def _part(folder: str, root: Path) -> str:
    head = first_sentence(root / folder / "__init__.py")
    found = (path for path in (root / folder).rglob("*.*") if path.suffix in (".py", ".pyi", *CPP))
    files = sorted(found, key=lambda path: (path.parts[:-1], path.name))
    lines = [_line(path, root / folder) for path in files if path != root / folder / "__init__.py"]
    return f"### {folder}\n\n{head}\n\n```\n" + "\n".join(lines) + "\n```"


def _line(path: Path, folder: Path) -> str:
    inside = path.relative_to(folder).as_posix()
    return f"{inside.removesuffix('__init__.py'):<34} {first_sentence(path)}"
