"""Workers that are killed, slow or gone altogether, and a scheduler that is: the bytes of one process, or a message."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sstag.foundation.parallel import Over
from sstag.interfaces.cluster import common, dispatch
from sstag.interfaces.cluster.common import ClusterLost
from sstag.interfaces.cluster.joining import joined
from sstag.interfaces.cluster.wanted import Joining
from sstag.training import criterion
from sstag.training.checkpoint import Checkpoint
from sstag.training.inputs import Progress, Run
from sstag.training.run import trained
from tests.with_cluster.texts import same, task_of

SEEN = criterion._seen
DIED = "SSTAG_TEST_DIED"  # a file that a killed worker leaves

pytestmark = pytest.mark.usefixtures("small_volumes")


def test_a_worker_that_is_killed_between_passes_is_replaced(paths):
    expected = trained(task_of(paths, "composed"), Run())
    with joined(Joining(workers=2)) as here:
        assert here
        pids = list(here.client.run(os.getpid).values())
        killed = []

        def tell(progress: Progress) -> None:
            if progress.iteration in (2, 4) and len(killed) < 2:
                killed.append(pids[0])
                if len(killed) == 1:
                    os.kill(pids[0], signal.SIGKILL)

        task = task_of(paths, "composed", here)
        assert same(trained(task, Run(tell=tell)), expected)
        assert killed


def dies_once(volume: object, over: Over, *common: object) -> object:
    """A volume's part of a pass; the first worker that is asked for it is killed instead."""
    try:
        os.close(os.open(os.environ[DIED], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return SEEN(volume, over, *common)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_a_worker_that_is_killed_in_the_middle_of_a_pass_is_replaced(paths, tmp_path, monkeypatch):
    expected = trained(task_of(paths, "composed"), Run())
    monkeypatch.setenv(DIED, str(tmp_path / "died"))
    with joined(Joining(workers=2)) as here:
        assert here
        task = task_of(paths, "composed", here)
        monkeypatch.setattr(criterion, "_seen", dies_once)
        assert same(trained(task, Run()), expected)
    assert (tmp_path / "died").exists()


def test_a_slow_worker_changes_no_bit(paths):
    expected = trained(task_of(paths, "entropy"), Run())
    with joined(Joining(workers=2)) as here:
        assert here
        pid = next(iter(here.client.run(os.getpid).values()))

        def tell(progress: Progress) -> None:
            if progress.iteration in (2, 4):
                os.kill(pid, signal.SIGSTOP)
                subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -CONT {pid}"])

        assert same(trained(task_of(paths, "entropy", here), Run(tell=tell)), expected)


def scheduler(folder: Path, port: int) -> list[subprocess.Popen[bytes]]:
    """A scheduler and two workers of their own."""
    address = f"tcp://127.0.0.1:{port}"
    started = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "distributed.cli.dask_scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                str(port),
                "--no-dashboard",
            ],
            cwd=folder,
        )
    ]
    for _ in range(2):
        said = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            address,
            "--no-nanny",
            "--nthreads",
            "1",
            "--no-dashboard",
        ]
        started.append(subprocess.Popen([*said, "--local-directory", str(folder), "--death-timeout", "30"], cwd=folder))
    return started


def test_when_the_scheduler_is_lost_the_climb_goes_on_from_its_checkpoint(paths, tmp_path):
    expected = trained(task_of(paths, "composed"), Run())
    kept = str(tmp_path / "so-far")
    lost = False
    for port in (18786, 18787):
        started = scheduler(tmp_path, port)
        try:
            with joined(Joining(scheduler=f"tcp://127.0.0.1:{port}", wait_workers=2, timeout=20)) as here:
                assert here

                def tell(
                    progress: Progress, port: int = port, started: list[subprocess.Popen[bytes]] = started
                ) -> None:
                    if port == 18786 and progress.iteration == 3:
                        started[0].kill()

                run = Run(tell=tell, checkpoint=Checkpoint(kept, 1))
                if port == 18786:
                    with pytest.raises(ClusterLost, match="does not answer any more"):
                        trained(task_of(paths, "composed", here), run)
                    lost = True
                else:
                    assert lost
                    assert same(trained(task_of(paths, "composed", here), run), expected)
        finally:
            for process in started:
                process.kill()
                process.wait()


def test_when_all_workers_are_lost_that_is_said(paths, tmp_path):
    started = scheduler(tmp_path, 18788)
    try:
        with joined(Joining(scheduler="tcp://127.0.0.1:18788", wait_workers=2, timeout=20)) as here:
            assert here

            def tell(progress: Progress) -> None:
                for worker in started[1:]:
                    worker.kill()

            task = task_of(paths, "entropy", here)
            here.timeout = 1
            with pytest.raises(ClusterLost, match="no worker is left, and none came in 1 second; the same command"):
                trained(task, Run(tell=tell))
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize("place", [0, 1])
def test_others_do_the_work_of_a_worker_that_stands_still(place, paths, monkeypatch):
    for module, name in ((dispatch, "LEAST"), (common, "TAKEN")):
        monkeypatch.setattr(module, name, 1.0)
    expected = trained(task_of(paths, "entropy"), Run())
    with joined(Joining(workers=2)) as here:
        assert here
        worker, pid = sorted(here.client.run(os.getpid).items())[place]

        def tell(progress: Progress) -> None:
            if progress.iteration == 3:
                os.kill(pid, signal.SIGSTOP)

        try:
            assert same(trained(task_of(paths, "entropy", here), Run(tell=tell)), expected)
            assert worker in here.late
        finally:
            os.kill(pid, signal.SIGCONT)
