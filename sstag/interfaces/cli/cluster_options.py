"""The options that join a cluster, together as what is to be joined; those that Dask has have its names."""

from collections.abc import Callable
from functools import wraps

import click

from sstag.interfaces.cli.help_sections import CLUSTER, options_of
from sstag.interfaces.cluster.wanted import TIMEOUT, Joining

_cluster = options_of(CLUSTER)


def joining_cluster(command: Callable[..., object]) -> Callable[..., object]:
    """Gives a command the options that join a cluster, together as `joining`."""

    @_cluster("--workers", type=click.IntRange(1), help="Share the work among N processes of this machine.")
    @_cluster("--scheduler", metavar="ADDRESS", help="Dask's scheduler. Its workers run code: private networks only.")
    @_cluster("--scheduler-file", metavar="FILE", help="The file that tells where the scheduler is.")
    @_cluster("--tls-ca-file", metavar="FILE", help="For TLS: the authority that is trusted.")
    @_cluster("--tls-cert", metavar="FILE", help="For TLS: the certificate of this side.")
    @_cluster("--tls-key", metavar="FILE", help="For TLS: the key of this side.")
    @_cluster("--wait-workers", type=click.IntRange(1), show_default="1", help="Begin when so many workers are there.")
    @_cluster(
        "--timeout",
        type=click.IntRange(1),
        show_default=f"{TIMEOUT}",
        help="Seconds to wait at most.",
    )
    @wraps(command)
    def with_options(
        *, workers: int | None, scheduler: str | None, scheduler_file: str | None, tls_ca_file: str | None,
        tls_cert: str | None, tls_key: str | None, wait_workers: int | None, timeout: int | None, **others: object,
    ) -> object:  # fmt: skip
        ways = [name for name, said in _ways(workers, scheduler, scheduler_file).items() if said]
        if len(ways) > 1:
            raise click.UsageError(f"{' and '.join(ways)}: say one of them")
        beside = {
            "--tls-ca-file": tls_ca_file,
            "--tls-cert": tls_cert,
            "--tls-key": tls_key,
            "--wait-workers": wait_workers,
        }
        for name, said in beside.items():
            if said and not (scheduler or scheduler_file):
                raise click.UsageError(f"{name} is for a scheduler: --scheduler or --scheduler-file")
        if timeout and not ways:
            raise click.UsageError("--timeout is for a cluster: --workers, --scheduler or --scheduler-file")
        joining = Joining(
            workers, scheduler, scheduler_file, tls_ca_file, tls_cert, tls_key, wait_workers or 1, timeout or TIMEOUT
        )
        return command(joining=joining if ways else None, **others)

    return with_options


def _ways(workers: int | None, scheduler: str | None, scheduler_file: str | None) -> dict[str, object]:
    return {"--workers": workers, "--scheduler": scheduler, "--scheduler-file": scheduler_file}
