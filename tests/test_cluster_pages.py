"""The pages on clusters: YAML that can be read, programs that compile, and options that there are."""

import ast
import re
import shlex
from pathlib import Path

import pytest
import yaml

from sstag.interfaces.cli import sstag

PAGES = Path(__file__).parent.parent / "docs/how-to"
NAMES = "cluster.md", "kubernetes.md", "slurm.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(name: str) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    return BLOCK.findall((PAGES / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_options_of_commands_are_there(name):
    group = sstag
    found = 0
    for _, text in blocks(name):
        for line in text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] != ["sstag"]:
                continue
            context = command = None
            for word in words[1:]:
                if command is None or hasattr(command, "get_command"):
                    context = group.make_context("sstag", [], resilient_parsing=True)
                    command = (command or group).get_command(context, word)
                    assert command, word
            known = {option for parameter in command.params for option in parameter.opts}
            said = [word for word in words if word.startswith("-")]
            assert said
            assert {*said} <= known
            found += 1
    assert found


def test_the_resource_is_a_cluster_of_the_workers_and_the_service_that_the_page_names():
    (text,) = [text for kind, text in blocks("kubernetes.md") if kind == "yaml"]
    made = yaml.safe_load(text)
    assert (made["apiVersion"], made["kind"]) == ("kubernetes.dask.org/v1", "DaskCluster")
    name, spec = made["metadata"]["name"], made["spec"]
    assert spec["scheduler"]["service"]["selector"]["dask.org/cluster-name"] == name
    port = spec["scheduler"]["service"]["ports"][0]["port"]
    assert f"tcp://{name}-scheduler:{port} --wait-workers {spec['worker']['replicas']}" in (
        PAGES / "kubernetes.md"
    ).read_text(encoding="utf-8")
    images = {part["spec"]["containers"][0]["image"] for part in (spec["worker"], spec["scheduler"])}
    assert len(images) == 1


@pytest.mark.parametrize("name", NAMES)
def test_programs_compile(name):
    for kind, text in blocks(name):
        if kind == "python":
            ast.parse(text)
