"""The parts of a release agree: versions, workflows, the image, and the files that are installed beside the package."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.installed import VERSIONS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_the_version_is_the_same_wherever_it_stands() -> None:
    version = PROJECT["project"]["version"]
    assert str(yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]) == version
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1] == version


CI = re.findall(r"^make ([a-z0-9-]+)$", (ROOT / ".ci/run").read_text(), flags=re.MULTILINE)
NOT_IN_CI = {"test"}  # a part of check


def commands(path: Path) -> dict[str, list[str]]:
    """The commands of a workflow, by its jobs."""
    jobs = yaml.safe_load(path.read_text())["jobs"]
    return {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_make_targets_and_ci(path: Path) -> None:
    found = [command for some in commands(path).values() for command in some]
    assert found
    for command in found:
        target = re.match(r"make ([a-z0-9-]+)", command)
        assert target[1] in TARGETS if target else command in ("bash .ci/run", "choco install make --no-progress")


def test_workflows_and_ci_stay_in_step() -> None:
    """One job runs the very script; the others run parts of it; and no tests of the Makefile are in neither."""
    tests = commands(ROOT / ".github/workflows/tests.yml")
    assert tests.pop("whole") == ["bash .ci/run"]
    others = {re.match(r"make ([a-z0-9-]+)", one)[1] for some in tests.values() for one in some if "make " in one[:5]}
    assert others
    assert others <= set(CI) | {"dist"}
    assert {"check", "docs"} <= set(CI) <= TARGETS
    assert {one for one in TARGETS if one.startswith("test")} - NOT_IN_CI <= set(CI)
    systems = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]["tests"]["strategy"]["matrix"]
    assert [one.split("-")[0] for one in systems["system"]] == ["ubuntu", "macos", "windows"]
    assert systems["python"] == [f"3.{minor}" for minor in VERSIONS]


def test_wheels_are_built_on_every_change_and_published_for_tags_alone() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    assert {"pull_request", "push"} <= set(workflow[True])  # YAML 1.1 reads `on` as true
    assert workflow["jobs"]["publish"]["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert set(workflow["jobs"]["publish"]["needs"]) == {"source", "wheels"}
    wheels = workflow["jobs"]["wheels"]["strategy"]["matrix"]["system"]
    assert {one.split("-")[0] for one in wheels} == {"ubuntu", "macos", "windows"}


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
