"""Clusters and texts that several files of tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from sstag.corpus import volumes
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.joining import checked
from tests.with_cluster.texts import SMALL, files


@pytest.fixture(scope="session")
def local() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def cluster(local: LocalCluster) -> Iterator[Cluster]:
    with Client(local) as client:
        yield checked(client)


@pytest.fixture
def small_volumes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Volumes so small that a text of some hundred sentences has several."""
    monkeypatch.setattr(volumes, "VOLUME", SMALL)


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    return files(tmp_path)
