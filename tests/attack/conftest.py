"""The beginning of attacks: a process that runs commands, and a folder with a good file of every kind."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.attack.material import prepare
from tests.attack.runs import Server

# Bounds of address space, processes that share what they have imported, and preloaded libraries are as Linux has them.
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with closing(Server()) as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Path:
    made = tmp_path_factory.mktemp("material")
    prepare(made, server)
    return made
