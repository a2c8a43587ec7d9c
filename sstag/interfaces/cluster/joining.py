"""Joining a cluster: a scheduler that is there, or workers on this machine; and whether they run what runs here."""

import logging
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import sstag
from sstag.foundation.child_python import safe_children
from sstag.foundation.errors import ConfigError, DataError, counted, installing
from sstag.foundation.files import contents
from sstag.foundation.json_values import json_value
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.wanted import TIMEOUT, Joining

if TYPE_CHECKING:
    from distributed import Client, LocalCluster
    from distributed.security import Security

LOCAL_WORKER = "sstag.interfaces.cluster.local_worker"
# By this Dask makes workers give back freed memory at once, and the system has to clear what each array of a pass takes
# anew: with a million weights a pass took a third more processor time.
TRIMMED = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"
SILENT = logging.CRITICAL + 1  # whatever goes wrong with workers of this machine is told by their futures
STARTS = 3  # of the workers of this machine: one may be killed while it starts
ENCRYPTED = ("tls://", "wss://")  # how addresses begin that TLS goes with
LONGEST_FILE = 2**20  # bytes of what tells where a scheduler is
PAUSE = 0.1  # seconds between two looks at a scheduler file that is not there yet

R = TypeVar("R")


@contextmanager
def joined(how: Joining | None) -> Iterator[Cluster | None]:
    """The cluster that is wanted, if one is; workers that were started here end with it."""
    if how is None:
        yield None
        return
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        raise ConfigError(f"a cluster needs Dask: {installing('cluster')}") from error
    if how.workers:
        here = f"the {counted(how.workers, 'worker')} of this machine"
        with (
            safe_children(),
            dask.config.set({TRIMMED: None}),
            _local(how.workers, here) as local,
            Client(local, timeout=how.timeout) as client,
        ):
            try:
                client.wait_for_workers(how.workers, how.timeout)
            except TimeoutError as error:
                raise ConfigError(f"{here} did not start within {how.timeout} seconds") from error
            yield checked(client, how.timeout)
        return
    address = how.scheduler or _address_in(how.scheduler_file or "", how.timeout)
    where = how.scheduler or how.scheduler_file
    with _client(address, f"{where}", how) as client:
        silent = f"{where}: the scheduler does not answer any more"
        try:
            _within(how.timeout + 1, silent, lambda: client.wait_for_workers(how.wait_workers, how.timeout))
        except TimeoutError as error:
            there = len(client.scheduler_info(n_workers=-1)["workers"])
            raise ConfigError(
                f"{where}: {counted(there, 'worker')} after {how.timeout} seconds, and not {how.wait_workers}"
            ) from error
        yield _within(how.timeout, silent, lambda: checked(client, how.timeout))


def _local(workers: int, what: str) -> "LocalCluster":
    """Workers on this machine, tried again if one of them ends while it starts."""
    from distributed import LocalCluster

    for left in reversed(range(STARTS)):
        try:
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=SILENT,
                preload=[LOCAL_WORKER],
            )
        except (RuntimeError, OSError) as error:
            reason = error.__cause__ or error
            if not left:
                raise ConfigError(f"{what} cannot be started ({type(reason).__name__}: {reason})") from error
    raise AssertionError


@contextmanager
def _client(address: str, where: str, how: Joining) -> Iterator["Client"]:
    """A client of the scheduler at an address, which has to answer in time."""
    from distributed import Client

    security = _security(address, where, how)

    def connected() -> Client:
        return Client(address, timeout=how.timeout, security=security, set_as_default=False)

    silent = f"{where}: no scheduler answers there within {counted(how.timeout, 'second')}"
    try:
        client = _within(how.timeout + 1, silent, connected)
    except ConfigError:
        raise
    except Exception as error:  # whatever Dask makes of the answers of something else than a scheduler
        if security is None and address.startswith(ENCRYPTED):
            raise ConfigError(f"{where}: TLS needs --tls-ca-file, --tls-cert and --tls-key") from error
        raise ConfigError(f"{where}: no scheduler answers there ({type(error).__name__})") from error
    try:
        yield client
    finally:
        client.close(timeout=how.timeout)


def _security(address: str, where: str, how: Joining) -> "Security | None":
    """The certificates for an address, if there are options for them."""
    from distributed.security import Security

    if not (how.tls_ca_file or how.tls_cert or how.tls_key):
        return None
    if not address.startswith(ENCRYPTED):
        plain = address if "://" in address else f"tcp://{address}"
        secure = f"tls://{plain.partition('://')[2]}"
        raise ConfigError(f"{where}: --tls-ca-file, --tls-cert and --tls-key go with {secure}, not with {plain}")
    return Security(
        tls_ca_file=how.tls_ca_file,
        tls_client_cert=how.tls_cert,
        tls_client_key=how.tls_key,
        require_encryption=True,
    )


def _address_in(path: str, timeout: int) -> str:
    """The address in a scheduler file, which the scheduler may write a little later."""
    until = time.monotonic() + timeout
    while True:
        try:
            if os.path.exists(path) and not os.path.isfile(path):
                raise DataError("is no plain file", path)
            said = json_value(contents(path, LONGEST_FILE))
            address = said.get("address") if isinstance(said, dict) else None
            if not isinstance(address, str):
                raise DataError("tells no address of a scheduler", path)
        except (DataError, ValueError) as error:  # of JSON too, which may be written right now
            if time.monotonic() > until:
                raise error if isinstance(error, DataError) else DataError(str(error), path) from error
            time.sleep(PAUSE)
        else:
            return address


def _within(seconds: float, silent: str, function: Callable[[], R]) -> R:
    """The result of a function; an error if it takes longer, whatever Dask waits for in it."""
    results: list[R] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise ConfigError(silent)
    return results[0]


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
