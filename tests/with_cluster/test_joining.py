"""Ways to a scheduler: its file, TLS, and the options of Dask that the pages name."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from distributed import Client, LocalCluster
from distributed.process import AsyncProcess
from distributed.security import Security

from sstag.foundation.errors import ConfigError, SstagError
from sstag.interfaces.cluster.joining import joined
from sstag.interfaces.cluster.wanted import Joining
from tests.planted import command_in, planted

PAGES = Path(__file__).parent.parent.parent / "docs/how-to"
SIGNED = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {0}/key.pem -out {0}/cert.pem"


def test_a_scheduler_file_leads_to_the_scheduler(local, tmp_path):
    path = str(tmp_path / "scheduler.json")
    with Client(local) as client:
        client.write_scheduler_file(path)
    with joined(Joining(scheduler_file=path, wait_workers=2)) as cluster:
        assert cluster
        assert len(cluster.workers) == 2


def test_workers_of_this_machine_run_nothing_of_the_working_folder(tmp_path):
    folder = tmp_path / "sent"
    folder.mkdir()
    (folder / "train").write_text("Ann B-PER\nmet O\n\n" * 20)
    (folder / "raw").write_text("Ann\nran\n\n" * 20)
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    marks = planted(folder)
    line = ["train", "-t", "t.yaml", "--train", "train", "--unlabeled", "raw", "--method", "entropy", "-m", "m"]
    run = subprocess.run(
        [*command_in(tmp_path / "bin"), *line, "--workers", "2"], cwd=folder, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert not marks.exists(), marks.read_text()


def killed_at_first(monkeypatch, times: int) -> list[int]:
    """Kills a worker while it starts, so many times; the list of those that were."""
    killed, start = [], AsyncProcess.start

    async def started(process: AsyncProcess) -> None:
        await start(process)
        if len(killed) < times:
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)

    monkeypatch.setattr(AsyncProcess, "start", started)
    return killed


def test_a_worker_that_is_killed_while_it_starts_is_started_again(monkeypatch):
    killed = killed_at_first(monkeypatch, 1)
    with joined(Joining(workers=2)) as cluster:
        assert cluster
        assert len(cluster.workers) == 2
    assert killed


def test_workers_that_never_start_are_an_error(monkeypatch):
    killed_at_first(monkeypatch, 1000)
    with pytest.raises(ConfigError, match="the 1 worker of this machine cannot be started"), joined(Joining(workers=1)):
        pass


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """The address of a program that is no scheduler: it takes connections, and says the same to all."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    kept.append(server.accept()[0])
                    kept[-1].sendall(answer)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for one in kept:
            one.close()


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0" * 64, b"\xff" * 64, b"\x10" + b"\0" * 40]
)
def test_what_is_no_scheduler_is_an_error_in_time(answer):
    with answering(answer) as address:
        began = time.monotonic()
        with (
            pytest.raises(ConfigError, match=f"tcp://{address}: no scheduler answers there"),
            joined(Joining(scheduler=f"tcp://{address}", timeout=2)),
        ):
            pass
        assert time.monotonic() - began < 20


def test_a_scheduler_that_stops_answering_is_an_error_in_time(tmp_path):
    file = tmp_path / "scheduler.json"
    line = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*line, "--host", "127.0.0.1", "--scheduler-file", file], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.1)
    try:
        with (
            pytest.raises(ConfigError, match="0 workers after 2 seconds"),
            joined(Joining(scheduler_file=str(file), timeout=2)),
        ):
            pass
        scheduler.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        with (
            pytest.raises(ConfigError, match="no scheduler answers there"),
            joined(Joining(scheduler_file=str(file), timeout=1)),
        ):
            pass
        assert time.monotonic() - began < 20
    finally:
        scheduler.kill()
        scheduler.wait()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "127.0.0.1:1", "ws://127.0.0.1:1"])
@pytest.mark.parametrize("option", ["tls_ca_file", "tls_cert", "tls_key"])
def test_options_of_tls_need_an_address_of_tls(address, option):
    with (
        pytest.raises(ConfigError, match=r"go with tls://127\.0\.0\.1:1, not with "),
        joined(Joining(scheduler=address, timeout=1, **{option: "file"})),
    ):
        pass


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"), ("[" * 10**5, "too deep"), ("[]", "tells no address"), ('{"address": 5}', "tells no address"),
        ('{"address": ["tcp://127.0.0.1:1"]}', "tells no address"), ('{"address": "nix://x"}', "no scheduler answers"),
        ('{"address": "tcp://127.0.0.1:1"}', "no scheduler answers"), ("\xff", "no JSON"), (" " * 2**21, "larger than"),
    ],
)  # fmt: skip
def test_a_broken_scheduler_file_is_an_error(tmp_path, text, message):
    file = tmp_path / "scheduler.json"
    file.write_text(text)
    with pytest.raises(SstagError, match=f"{file}.*{message}"), joined(Joining(scheduler_file=str(file), timeout=1)):
        pass


def test_a_scheduler_file_that_is_none_is_an_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("none", "no such file"), (".", "no plain file"), ("pipe", "no plain file")):
        with pytest.raises(SstagError, match=message), joined(Joining(scheduler_file=str(tmp_path / name), timeout=1)):
            pass


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
