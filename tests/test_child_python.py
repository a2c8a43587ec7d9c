"""Processes that are started look for modules where their parent found them, and never in the working folder."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sstag.foundation import child_python
from sstag.foundation.child_python import child_environment, module_command, safe_children
from tests.planted import command_in, planted

ROOT = Path(__file__).parent.parent
OURS = "sstag/foundation/child_python.py"
# Names by which Python starts a Python, and the modules that may have them.
STARTING = {"executable", "get_context", "LocalCluster", "ProcessPoolExecutor", "Nanny", "set_executable"}
KNOWN = {
    "bench/processes.py": "executable",  # finds the command `sstag` beside it
    "sstag/experiments/crews.py": "get_context",
    "sstag/interfaces/cluster/joining.py": "LocalCluster",
}
TRAINING = "Ann B-PER\nmet O\n\nKim B-PER\nran O\n\n" * 10


def files(folder: Path) -> None:
    (folder / "train").write_text(TRAINING)
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")


def test_the_planted_modules_would_be_run(tmp_path):
    marks = planted(tmp_path)
    subprocess.run([sys.executable, "-c", "import json"], cwd=tmp_path, capture_output=True, check=False)
    assert "json" in marks.read_text().split()


def test_an_experiment_runs_nothing_of_the_working_folder(tmp_path):
    folder = tmp_path / "sent"
    folder.mkdir()
    files(folder)
    marks = planted(folder)
    line = ["experiment", "compare", "--train", "train", "-t", "t.yaml", "--method", "crf", "--method", "hmm"]
    run = subprocess.run(
        [*command_in(tmp_path / "bin"), *line, "--folds", "2", "--processes", "2", "--out", "out"],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert not marks.exists(), marks.read_text()


def test_a_child_runs_nothing_of_the_working_folder_and_has_the_modules_of_its_parent(tmp_path, monkeypatch):
    marks = planted(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), "", *sys.path])  # as `python -c` has it
    (tmp_path / "train").write_text(TRAINING)
    run = subprocess.run(module_command("sstag", "check", "train"), env=child_environment(), capture_output=True)
    assert run.returncode == 0, run.stderr
    assert not marks.exists(), marks.read_text()


def test_the_working_folder_is_looked_into_where_the_environment_names_it(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for named, wanted in ((".", True), (str(tmp_path), True), (os.pathsep, False), ("", False)):
        monkeypatch.setenv("PYTHONPATH", named)
        assert (str(tmp_path) in child_environment()["PYTHONPATH"].split(os.pathsep)) is wanted
    monkeypatch.setattr(child_python, "HOME", str(tmp_path))  # sstag was imported from there
    assert str(tmp_path) in child_environment()["PYTHONPATH"].split(os.pathsep)


def test_a_working_folder_that_was_removed_is_none(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setattr(sys, "path", ["here", str(ROOT)])
    gone.rmdir()
    assert child_environment()["PYTHONPATH"] == str(ROOT)


@pytest.mark.parametrize("before", [None, "", "1"])
def test_the_environment_is_afterwards_as_it_was(before, monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with safe_children():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before


def test_nobody_else_starts_python():
    """A new start of a process has to go through the functions of the module, or be one that a test here runs."""
    found = {}
    for folder in ("sstag", "bench", "docs/tools"):
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            names |= {one.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for one in node.names}
            where = path.relative_to(ROOT).as_posix()
            if where != OURS and STARTING & names:
                found[where] = STARTING & names
    assert found == {where: {name} for where, name in KNOWN.items()}


def test_a_plot_does_not_obey_the_working_folder(tmp_path):
    pytest.importorskip("matplotlib")
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.size: 40\nbackend: module://planted\n")
    script = (
        "from sstag.experiments.page import Line, Plot\n"
        "from sstag.experiments.plots import draw\n"
        "from sstag.experiments.spread import Spread\n"
        "points = [Spread(0.0, 0.0, 1), Spread(1.0, 0.0, 1)]\n"
        "draw(Plot('n', 'title', 'x', 'y', [Line('a', [0.0, 1.0], points)]), 'out')\n"
    )
    (tmp_path / "other").mkdir()
    for folder in (tmp_path, tmp_path / "other"):
        line = [sys.executable, "-P", "-c", script]
        run = subprocess.run(line, cwd=folder, capture_output=True, text=True, env=child_environment())
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "out.svg").read_bytes() == (tmp_path / "other" / "out.svg").read_bytes()
