"""The README's commands run, and print what it shows."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
COMMANDS = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "configs", made / "configs")
    return made


def test_every_command_of_the_readme_prints_what_it_shows(folder: Path) -> None:
    shown = [command for block in BLOCKS for command in COMMANDS.findall(block)]
    assert len(shown) > 5
    for command, expected in shown:
        line = command.replace("sstag ", f"{sys.executable} -m sstag ")
        run = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, encoding="utf-8")
        assert run.stdout + run.stderr == expected, command


def test_the_template_of_the_readme_is_one(folder: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    assert found
    (folder / "places.txt").write_text("New York\n", encoding="utf-8")
    (folder / "readme.yaml").write_text(found[1], encoding="utf-8")
    (folder / "names.txt").write_text("New NNP B-NP B-LOC\nYork NNP I-NP I-LOC\n", encoding="utf-8")
    command = [sys.executable, "-m", "sstag", "features", "--template", "readme.yaml", "names.txt"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
    assert "    lexicon(word[0], places.txt)=B\n" in run.stdout
    assert "    -> word[0]=York\n" in run.stdout
