"""Clusters that several files of tests share."""

from collections.abc import Iterator

import pytest
from distributed import Client, LocalCluster

from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.joining import checked


@pytest.fixture(scope="session")
def local() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture
def cluster(local: LocalCluster) -> Iterator[Cluster]:
    with Client(local) as client:
        yield checked(client)
