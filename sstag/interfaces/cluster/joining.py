"""Joining a cluster: a scheduler that is there, or workers on this machine; and whether they run what runs here."""

import logging
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import sstag
from sstag.foundation.errors import ConfigError, counted
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.wanted import TIMEOUT, Joining

if TYPE_CHECKING:
    from distributed import Client

LOCAL_WORKER = "sstag.interfaces.cluster.local_worker"
# By this Dask makes workers give back freed memory at once, and the system has to clear what each array of a pass takes
# anew: with a million weights a pass took a third more processor time.
TRIMMED = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"
SILENT = logging.CRITICAL + 1  # whatever goes wrong with workers of this machine is told by their futures


@contextmanager
def joined(how: Joining | None) -> Iterator[Cluster | None]:
    """The cluster that is wanted, if one is; workers that were started here end with it."""
    if how is None:
        yield None
        return
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.security import Security
    except ImportError as error:
        raise ConfigError("a cluster needs Dask: pip install 'sstag[cluster]'") from error
    if how.workers:
        with (
            dask.config.set({TRIMMED: None}),
            LocalCluster(
                n_workers=how.workers,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=SILENT,
                preload=[LOCAL_WORKER],
            ) as local,
            Client(local, timeout=how.timeout) as client,
        ):
            client.wait_for_workers(how.workers, how.timeout)
            yield checked(client, how.timeout)
        return
    tls = how.tls_ca_file or how.tls_cert or how.tls_key
    security = (
        Security(
            tls_ca_file=how.tls_ca_file,
            tls_client_cert=how.tls_cert,
            tls_client_key=how.tls_key,
            require_encryption=True,
        )
        if tls
        else None
    )
    where = how.scheduler or how.scheduler_file
    try:
        client = Client(
            how.scheduler,
            scheduler_file=how.scheduler_file,
            timeout=how.timeout,
            security=security,
            set_as_default=False,
        )
    except TypeError as error:  # what Dask raises for an address of TLS without certificates
        raise ConfigError(f"{where}: TLS needs --tls-ca-file, --tls-cert and --tls-key") from error
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigError(f"{where}: no scheduler answers there ({type(error).__name__})") from error
    with client:
        try:
            client.wait_for_workers(how.wait_workers, how.timeout)
        except TimeoutError as error:
            there = len(client.scheduler_info(n_workers=-1)["workers"])
            raise ConfigError(
                f"{where}: {counted(there, 'worker')} after {how.timeout} seconds, and not {how.wait_workers}"
            ) from error
        yield checked(client, how.timeout)


def checked(client: "Client", timeout: int = TIMEOUT) -> Cluster:
    """The cluster of a client; an error names the first worker that has another version of something than is here."""
    here = versions()
    for worker, there in sorted(client.run(versions).items()):
        for name, own in here.items():
            if there.get(name) != own:
                raise ConfigError(f"worker {worker} has {name} {there.get(name)}, and here is {own}: make them one")
    return Cluster(client, timeout)


def versions() -> dict[str, str]:
    """The versions that have to be alike."""
    from importlib.metadata import version  # takes longer to import than all else here, and most have no cluster

    packages = {name: version(name) for name in ("numpy", "scipy", "distributed")}
    python = ".".join(platform.python_version_tuple()[:2])
    return {"sstag": sstag.__version__, "Python": python, **packages}
