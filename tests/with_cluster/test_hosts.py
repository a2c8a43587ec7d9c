"""Hosts of a network, which are namespaces of this machine: one is cut off in the middle, and comes back."""

import subprocess
import sys
import time
from collections.abc import Iterator
from threading import Timer

import pytest

from tests.test_volumes import written
from tests.training import made_ads
from tests.with_cluster.texts import SMALL, files

HOSTS = "head", "one", "two"
NET = "10.91.7"
LONGEST = 25.0  # seconds of a cut, if nobody says before that the worker is late; after 30 Dask takes it for dead
DASK = [sys.executable, "-m", "distributed.cli.dask_scheduler"], [sys.executable, "-m", "distributed.cli.dask_worker"]
TRAIN = f"""
import sys
from sstag.corpus import volumes
volumes.VOLUME = {SMALL}
from sstag.interfaces.cli import main
sys.exit(main())
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def heal() -> None:
    ip("-n", "sstag-switch", "link", "set", "two", "up")


def inside(host: str) -> list[str]:
    return ["ip", "netns", "exec", f"sstag-{host}"]


@pytest.fixture
def hosts() -> Iterator[None]:
    """Three hosts and a switch between them."""
    try:
        ip("netns", "add", "sstag-switch")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"network namespaces are not permitted here: {getattr(error, 'stderr', None) or error}")
    try:
        ip("-n", "sstag-switch", "link", "add", "switch", "type", "bridge")
        ip("-n", "sstag-switch", "link", "set", "switch", "up")
        for number, host in enumerate(HOSTS, 1):
            ip("netns", "add", f"sstag-{host}")
            ip(
                "-n",
                "sstag-switch",
                "link",
                "add",
                host,
                "type",
                "veth",
                "peer",
                "name",
                "net0",
                "netns",
                f"sstag-{host}",
            )
            ip("-n", "sstag-switch", "link", "set", host, "master", "switch", "up")
            ip("-n", f"sstag-{host}", "address", "add", f"{NET}.{number}/24", "dev", "net0")
            for device in ("net0", "lo"):
                ip("-n", f"sstag-{host}", "link", "set", device, "up")
        yield
    finally:
        for host in (*HOSTS, "switch"):
            subprocess.run(["ip", "netns", "delete", f"sstag-{host}"], capture_output=True)


def test_a_host_that_is_cut_off_and_comes_back_changes_no_byte(hosts, tmp_path):
    paths = files(tmp_path)
    train = written(tmp_path / "train.txt", made_ads(6, 1), True)
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..1], 'suffix(word[0], 2)']\n")
    said = [sys.executable, "-c", TRAIN, "train", "--template", str(tmp_path / "t.yaml"), "--train", train]
    said += [word for path in paths for word in ("--unlabeled", path)]
    said += ["--method", "entropy", "--set", "max_iterations=25", "--set", "tolerance=0"]
    done = subprocess.run([*said, "--model", str(tmp_path / "alone")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    address, kept = f"tcp://{NET}.1:8786", tmp_path / "so-far"
    started = [subprocess.Popen([*inside("head"), *DASK[0], "--host", f"{NET}.1", "--port", "8786", "--no-dashboard"])]
    try:
        for number, host in enumerate(HOSTS[1:], 2):
            folder = tmp_path / host
            folder.mkdir()
            words = ["--host", f"{NET}.{number}", "--no-nanny", "--nthreads", "1", "--no-dashboard"]
            own = [*inside(host), *DASK[1], address, *words, "--local-directory", str(folder)]
            started.append(subprocess.Popen(own, cwd=folder))
        cluster = ["--scheduler", address, "--wait-workers", "2", "--checkpoint", str(kept), "--checkpoint-every", "1"]
        command = [*inside("head"), *said, *cluster, "--model", str(tmp_path / "shared")]
        started.append(run := subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        while not kept.exists() and run.poll() is None:
            time.sleep(0.05)
        assert run.poll() is None, run.stderr
        ip("-n", "sstag-switch", "link", "set", "two", "down")
        healed = Timer(LONGEST, heal)
        healed.start()
        output = ""
        assert run.stderr
        for line in run.stderr:
            output += line
            if "is late: others do its work" in line:
                heal()
        healed.cancel()
        assert run.wait() == 0, output
        assert (tmp_path / "shared").read_bytes() == (tmp_path / "alone").read_bytes()
    finally:
        for process in started:
            process.kill()
            process.wait()
