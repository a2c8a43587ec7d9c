"""The README's commands run, and print what it shows.

What a training finds may differ in the last digits from machine to machine, so numbers are compared with a tolerance.
"""

import re
import shutil
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

from sstag.kernel import COMPILING

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
COMMANDS = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)


NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
DIGEST = re.compile(r"\b[0-9a-f]{12}\b")


def agree(shown: str, printed: str) -> bool:
    """Whether two texts are the same but for blanks, digests, and small differences of numbers."""
    texts = [" ".join(NUMBER.sub("0", DIGEST.sub("#", text)).split()) for text in (shown, printed)]
    numbers = [
        [float(one.replace(",", "")) for one in NUMBER.findall(DIGEST.sub("#", text))] for text in (shown, printed)
    ]
    return texts[0] == texts[1] and all(
        a is not None and b is not None and abs(a - b) <= max(0.02 * abs(a), 2.0) for a, b in zip_longest(*numbers)
    )


@pytest.mark.parametrize(
    ("printed", "same"),
    [("F 93.7 of 1,234", True), ("F 94.5  of 1,240", True), ("F 80.0 of 1,234", False), ("F 93.7 in 1,234", False)],
)
def test_numbers_are_compared_with_a_tolerance(printed: str, same: bool) -> None:
    assert agree("F 93.7 of 1,234", printed) == same


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
        printed = run.stdout + run.stderr.replace(f"{COMPILING}\n", "")
        assert agree(expected, printed), (command, printed)


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
