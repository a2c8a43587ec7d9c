"""The parts of a release agree: versions, workflows, the image, and the files that are installed beside the package."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_the_version_is_the_same_wherever_it_stands() -> None:
    version = PROJECT["project"]["version"]
    assert str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]) == version
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1] == version


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_make_targets_and_ci(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text())["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        target = re.match(r"make ([a-z0-9-]+)", command)
        assert target[1] in TARGETS if target else command in ("bash .ci/run", "choco install make --no-progress")


def test_workflows_try_each_python_that_the_package_is_said_to_run_on() -> None:
    tried = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]["tests"]["strategy"]["matrix"]
    said = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["project"]["classifiers"]), flags=re.MULTILINE)
    assert tried["python"] == said
    assert PROJECT["project"]["requires-python"] == f">={said[0]}"


def test_the_image_is_made_of_files_that_are_there() -> None:
    text = (ROOT / "Dockerfile").read_text()
    sources = [word for line in re.findall(r"^COPY ([^-].*)$", text, flags=re.MULTILINE) for word in line.split()[:-1]]
    assert sources
    assert not [name for name in sources if not (ROOT / name).exists()]
    extras = re.search(r"\[([a-z,]+)\]\"", text)[1].split(",")
    assert PROJECT["project"]["optional-dependencies"].keys() >= set(extras)


def test_every_file_beside_the_package_is_installed() -> None:
    patterns = [one for some in PROJECT["tool"]["setuptools"]["data-files"].values() for one in some]
    assert {path for one in patterns for path in ROOT.glob(one)} == {
        path for path in (ROOT / "share").rglob("*") if path.is_file()
    }
