"""The cluster that the options of a command ask for; most commands are given none of them.

Nothing is imported here that joining one needs, so that a command without a cluster starts no later for them.
"""

from dataclasses import dataclass

TIMEOUT = 60  # seconds


@dataclass(frozen=True)
class Joining:
    """How a cluster is joined; the names of options are Dask's."""

    workers: int | None = None  # processes on this machine
    scheduler: str | None = None  # an address such as tcp://host:8786
    scheduler_file: str | None = None
    tls_ca_file: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    wait_workers: int = 1
    timeout: int = TIMEOUT
