"""A package imports only packages above it in this list (ARCHITECTURE.md), in functions too; habits of code."""

import ast
import re
from pathlib import Path

import pytest

import sstag

ROOMS = (
    "foundation", "chain", "corpus", "labels", "evaluation", "features",
    "knowledge", "model", "training", "selection", "experiments", "interfaces",
)  # fmt: skip
PACKAGE = Path(sstag.__file__).parent
ROOT = Path(__file__).parent.parent


def imported(source: str, module: str) -> set[str]:
    """The modules of sstag, and their names, that a module imports or names in a registry."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            # `module` has its file name at the end, also for a package (`__init__`): one dot is the folder of the file
            above = module.split(".")[: -node.level] if node.level else []
            found |= {".".join(filter(None, [*above, node.module, alias.name])) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return {name for name in found if name.startswith("sstag.")}


def edges_down(source: str, module: str) -> list[str]:
    """A line with the two names for each import from a package below that of the module."""
    room = ROOMS.index(module.split(".")[1])
    below = ((name, name.split(".")[1].partition(":")[0]) for name in sorted(imported(source, module)))
    return [f"{module} imports {name}" for name, there in below if there in ROOMS and ROOMS.index(there) > room]


def test_no_package_imports_one_below_it():
    files = [path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")]
    assert len(files) > 200
    for path in files:
        module = ".".join(("sstag", *path.relative_to(PACKAGE).with_suffix("").parts))
        assert edges_down(path.read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("foundation.rows", "from sstag import model", "model"),
        ("foundation.rows", "import sstag.model", "model"),
        ("foundation.rows", "from ..model import dataset", "model.dataset"),
        ("foundation.rows", "def late():\n    from ..model.dataset import Dataset", "model.dataset.Dataset"),
        ("foundation.rows", "WHERE = 'sstag.model.dataset:Dataset'", "model.dataset:Dataset"),
        ("corpus.__init__", "from ..model import dataset", "model.dataset"),
        ("corpus.formats.__init__", "from ... import labels", "labels"),
        ("corpus.formats.columns", "from ...labels.marks import Marks", "labels.marks.Marks"),
        ("model.dataset", "from ..foundation import errors", None),
        ("model.dataset", "from . import training", None),
        ("model.dataset", "from sstag import __version__", None),
    ],
)
def test_planted_imports_are_found(module, source, found):
    expected = [f"sstag.{module} imports sstag.{found}"] if found else []
    assert edges_down(source, f"sstag.{module}") == expected


def test_every_module_is_in_a_package():
    beside = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert beside == {*ROOMS, "__init__.py", "__main__.py", "sklearn.py", "py.typed"}


def test_no_test_imports_from_another_test_module():
    """Helpers of several tests have modules of their own, so that a test can be read, changed and removed alone."""
    for path in Path(__file__).parent.glob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        names = [
            f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
        ]
        assert not [name for name in names if name.startswith("tests.test_")], path


def test_no_docstring_begins_with_what_or_the_same():
    """A docstring says first what comes back: "What is asked" names nothing, and "The same" refers to elsewhere."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    folders = (ROOT / name for name in ("sstag", "bench", "tests", "docs/tools"))
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, kinds) else None
            assert not re.match(r"(what|the same)\b", text or "", re.IGNORECASE), f"{path}: {text}"


def test_values_of_any_type_are_few():
    """`Any` hides from the type checker what a value is."""
    assert sum(len(re.findall(r"\bAny\b", path.read_text(encoding="utf-8"))) for path in PACKAGE.rglob("*.py")) < 40
