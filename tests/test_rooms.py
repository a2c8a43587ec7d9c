"""A package imports only packages above it in this list (ARCHITECTURE.md), also inside functions."""

import ast
from pathlib import Path

import sstag

ROOMS = (
    "foundation", "chain", "corpus", "labels", "evaluation", "features",
    "knowledge", "model", "training", "selection", "experiments", "interfaces",
)  # fmt: skip
PACKAGE = Path(sstag.__file__).parent


def imported(path: Path) -> set[str]:
    """The modules of sstag that a file imports or names in a registry."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    found = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    found |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {name for name in found if name.startswith("sstag.")}


def test_no_package_imports_one_below_it():
    files = [path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")]
    assert len(files) > 200
    for path in files:
        room = path.relative_to(PACKAGE).parts[0]
        for name in imported(path):
            below = name.split(".")[1].partition(":")[0]
            assert below not in ROOMS or ROOMS.index(below) <= ROOMS.index(room), f"{path}: {room} imports {name}"


def test_every_module_is_in_a_package():
    beside = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert beside == {*ROOMS, "__init__.py", "__main__.py", "py.typed"}


def test_no_test_imports_from_another_test_module():
    """Helpers of several tests have modules of their own, so that a test can be read, changed and removed alone."""
    for path in Path(__file__).parent.glob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        names = [
            f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
        ]
        assert not [name for name in names if name.startswith("tests.test_")], path
