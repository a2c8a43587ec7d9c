"""Ways to a scheduler: its file, TLS, and the options of Dask that the pages name."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from distributed import Client, LocalCluster
from distributed.security import Security

from sstag.foundation.errors import ConfigError
from sstag.interfaces.cluster.joining import joined
from sstag.interfaces.cluster.wanted import Joining

PAGES = Path(__file__).parent.parent.parent / "docs/how-to"
SIGNED = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {0}/key.pem -out {0}/cert.pem"


def test_a_scheduler_file_leads_to_the_scheduler(local, tmp_path):
    path = str(tmp_path / "scheduler.json")
    with Client(local) as client:
        client.write_scheduler_file(path)
    with joined(Joining(scheduler_file=path, wait_workers=2)) as cluster:
        assert cluster
        assert len(cluster.workers) == 2


def test_workers_of_this_machine_keep_the_memory_that_they_free():
    with joined(Joining(workers=1)) as cluster:
        assert cluster
        given = cluster.client.run(os.environ.get, "MALLOC_TRIM_THRESHOLD_")
    assert [*given.values()] == [os.environ.get("MALLOC_TRIM_THRESHOLD_")]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificates")
def test_tls_is_asked_of_both_sides(tmp_path):
    subprocess.run(["openssl", *SIGNED.format(tmp_path).split()], check=True, capture_output=True)
    authority = cert = str(tmp_path / "cert.pem")
    key = str(tmp_path / "key.pem")
    sides = {f"tls_{side}_{what}": path for side in ("client", "scheduler", "worker")
             for what, path in (("cert", cert), ("key", key))}  # fmt: skip
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tls", dashboard_address=None,
        security=Security(tls_ca_file=authority, require_encryption=True, **sides),
    ) as local:  # fmt: skip
        address = local.scheduler_address
        assert address.startswith("tls://")
        with joined(Joining(scheduler=address, tls_ca_file=authority, tls_cert=cert, tls_key=key)) as cluster:
            assert cluster
            assert cluster.client.submit(sum, [1, 2]).result() == 3
        with (
            pytest.raises(ConfigError, match="TLS needs --tls-ca-file, --tls-cert and --tls-key"),
            joined(Joining(scheduler=address, timeout=2)),
        ):
            pass


@pytest.mark.parametrize("name", ["cluster.md", "slurm.md"])
def test_options_of_dask_are_there(name):
    text = (PAGES / name).read_text(encoding="utf-8")
    found = re.findall(
        r"dask (scheduler|worker)(?= )([^\n&#]*)", "\n".join(re.findall(r"```\w*\n(.*?)```", text, re.DOTALL))
    )
    assert {what for what, _ in found} == {"scheduler", "worker"}
    for what, words in found:
        module = f"distributed.cli.dask_{what}"
        shown = subprocess.run(
            [sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True
        ).stdout
        known = set(re.findall(r"--[\w-]+", shown))
        assert {word for word in shlex.split(words) if word.startswith("--")} <= known | {"--no-dashboard"}
