"""The README's commands run, and print what it shows.

What a training finds may differ in the last digits from machine to machine, so numbers are compared with a tolerance,
and the way to an optimum that is not the only one may be longer or shorter.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sstag.chain.compiler.kernel import COMPILING

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
COMMANDS = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)


NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?( iterations)?")
DIGEST = re.compile(r"\b[0-9a-f]{12}\b")


def agree(shown: str, printed: str) -> bool:
    """Whether two texts are the same but for blanks, digests, and small differences of numbers."""
    texts = [DIGEST.sub("#", text) for text in (shown, printed)]
    same = [" ".join(NUMBER.sub(r"0\1", text).split()) for text in texts]
    return same[0] == same[1] and all(
        abs(number(a) - number(b)) <= max((0.1 if a[1] else 0.02) * abs(number(a)), 2.0)
        for a, b in zip(*map(NUMBER.finditer, texts), strict=True)
    )


def number(found: re.Match[str]) -> float:
    return float(found[0].removesuffix(" iterations").replace(",", ""))


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("F 93.7 of 1,234 in 60 iterations", True),
        ("F 94.5  of 1,240 in 65 iterations", True),
        ("F 80.0 of 1,234 in 60 iterations", False),
        ("F 93.7 of 1,300 in 60 iterations", False),
        ("F 93.7 in 1,234 in 60 iterations", False),
        ("F 93.7 of 1,234 in 70 iterations", False),
    ],
)
def test_numbers_are_compared_with_a_tolerance(printed: str, same: bool) -> None:
    assert agree("F 93.7 of 1,234 in 60 iterations", printed) == same


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
