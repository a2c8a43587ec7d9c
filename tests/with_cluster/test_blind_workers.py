"""Workers that do not see a file, or have too little memory for it: an error that says so, and no output."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sstag.interfaces.cluster import tagging
from sstag.interfaces.cluster.joining import joined
from sstag.interfaces.cluster.wanted import Joining
from sstag.model.model_file import save
from sstag.training.inputs import Inputs
from tests.test_volumes import written
from tests.training import ads_template, made_ads, trained

HIDDEN = (
    "mount -t tmpfs none {folder} && exec {python} -m distributed.cli.dask_worker {address} --no-nanny --nthreads 1 "
    "--no-dashboard --local-directory {scratch} --death-timeout 60"
)
CAN_HIDE = shutil.which("unshare") is not None and not subprocess.run(
    ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
).returncode  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("blind")
    save(trained(Inputs(ads_template(), made_ads(20, 1))), str(made / "m"))
    written(made / "raw.txt", made_ads(60, 2), False)
    written(made / "train.txt", made_ads(20, 3), True)
    (made / "out").mkdir()
    (made / "scratch").mkdir()
    (made / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    return made


@contextmanager
def blind(folder: Path) -> Iterator[str]:
    """The scheduler file of a cluster with one worker, to whom a folder is empty."""
    hidden = folder / "hidden"
    hidden.mkdir(exist_ok=True)
    shutil.copy(folder / "raw.txt", hidden)
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    line = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    quiet = {"cwd": folder / "scratch", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen([*line, "--no-dashboard", "--scheduler-file", file], **quiet)]
    try:
        said = HIDDEN.format(
            folder=hidden, python=sys.executable, address=f"--scheduler-file {file}", scratch=folder / "scratch"
        )
        started.append(subprocess.Popen(["unshare", "-m", "sh", "-c", said], **quiet))
        yield str(file)
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


LINES = (
    "tag {0}/hidden/raw.txt -m m -o {0}/out/tagged",
    "density {0}/hidden/raw.txt --text {0}/hidden/raw.txt -o {0}/out/density",
    "train -t t.yaml --train train.txt --unlabeled {0}/hidden/raw.txt --method entropy -m {0}/out/model",
    "select --pool {0}/hidden/raw.txt -m m --strategy entropy --count 2 -o {0}/out/sheet",
    "vectors {0}/hidden/raw.txt --dimensions 2 -o {0}/out/vectors",
)


@pytest.mark.skipif(not CAN_HIDE, reason="hides a folder in a namespace of its own: Linux, as root")
def test_a_file_that_workers_do_not_see_is_named(folder):
    with blind(folder) as file:
        for line in LINES:
            words = [*line.format(folder).split(), "--scheduler-file", file, "--timeout", "60"]
            run = subprocess.run(
                [sys.executable, "-P", "-m", "sstag", *words], cwd=folder, capture_output=True, text=True, timeout=240
            )
            assert (run.returncode, "Traceback" in run.stderr) == (1, False), (line, run.stderr)
            assert "raw.txt" in run.stderr, (line, run.stderr)
            assert os.listdir(folder / "out") == [], line


def exhausted(job: object, common: object, heard: object) -> object:
    """A job for which a worker has too little memory."""
    raise MemoryError


def test_a_worker_without_memory_is_an_error(folder, monkeypatch):
    from click.testing import CliRunner

    from sstag.interfaces.cli.tag import command

    with joined(Joining(workers=1)) as here:
        assert here
        address = here.client.scheduler.address
        monkeypatch.setattr(tagging, "_tagged", exhausted)
        words = [str(folder / "raw.txt"), "-m", str(folder / "m"), "-o", str(folder / "out" / "x")]
        run = CliRunner().invoke(command, [*words, "--scheduler", address])
    assert isinstance(run.exception, MemoryError)  # the command says: not enough memory for this input
    assert os.listdir(folder / "out") == []
