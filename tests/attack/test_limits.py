"""Systems that give no more: threads, processes, a clock that runs forward; and arrays that another thread changes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sstag.experiments.corpora import Corpora
from sstag.experiments.crews import in_processes
from sstag.foundation.errors import ConfigError, SstagError
from sstag.foundation.parallel import ahead, shards
from tests.attack.material import TRAIN

# The program with so many threads, or processes, and no more.
LIMITED = """
import sys, threading, _posixsubprocess
start, left = threading._start_new_thread, int(sys.argv.pop(1))
def limited(*arguments):
    global left
    left -= 1
    if left < 0:
        raise RuntimeError("can't start new thread")
    return start(*arguments)
threading._start_new_thread = limited
from sstag.interfaces.cli import main
if __name__ == "__main__":
    main()
"""
NO_PROCESS = """
import errno, multiprocessing.util
def refused(*arguments):
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
multiprocessing.util.spawnv_passfds = refused
from sstag.interfaces.cli import main
if __name__ == "__main__":
    main()
"""
BACKWARDS = """
import time
now, steps = time.time, [0.0]
def back():
    steps[0] -= 3600
    return now() + steps[0]
time.time = back
from sstag.interfaces.cli import main
main()
"""
CHANGED = """
import sys, threading, time
import numpy as np
from tests.hostile_calls import _arrays, functions, proper
until, given = time.monotonic() + 3, []
def change():
    odd, rng = (np.nan, np.inf, -np.inf, 1e30, 0.0), np.random.default_rng(1)
    while time.monotonic() < until:
        for one in [*given]:
            if one.flags.writeable and one.size and one.dtype.kind in "fb":
                one.reshape(-1)[int(rng.integers(one.size))] = odd[int(rng.integers(5))]
sys.setswitchinterval(1e-5)
thread = threading.Thread(target=change)
thread.start()
rng, calls = np.random.default_rng(2), 0
while time.monotonic() < until:
    for name, arguments in proper(rng).items():
        given[:] = _arrays(arguments)
        for _ in range(5):
            try:
                functions()[name](*arguments)
            except (ValueError, MemoryError):
                pass
            calls += 1
thread.join()
print(calls)
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "train").write_text(TRAIN * 4000)
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: ['word[-1..1]']\n")
    return tmp_path


def ran(script: str, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", script, *words], cwd=folder, capture_output=True, text=True)


TRAINING = ("train", "-t", "t.yaml", "--train", "train", "-m", "m", "--set", "max_iterations=2", "--threads", "3")


@pytest.mark.parametrize("threads", ["0", "1"])
def test_a_system_without_threads_is_an_error(here, threads):
    run = ran(LIMITED, here, threads, *TRAINING)
    assert run.returncode == 1
    assert "the system starts no more threads or processes for you" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (here / "m").exists()


def test_one_thread_needs_no_more(here):
    run = ran(LIMITED, here, "0", *TRAINING[:-1], "1")
    assert run.returncode == 0, run.stderr


def test_a_system_without_processes_is_an_error(here):
    words = ("experiment", "compare", "--train", "train", "-t", "t.yaml", "--method", "crf", "--method", "hmm")
    run = ran(NO_PROCESS, here, *words, "--folds", "2", "--processes", "2", "--out", "out")
    assert run.returncode == 1
    assert "the system starts no more threads or processes for you" in run.stderr
    assert "Traceback" not in run.stderr


def test_functions_in_threads_say_so_too(monkeypatch):
    def refused(*arguments: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading._start_new_thread", refused)
    with shards(2) as over, pytest.raises(ConfigError, match="--threads 1"):
        over(abs, [1, -2, 3])
    with ahead(2) as through, pytest.raises(ConfigError, match="--threads 1"):
        list(through(abs, [1, -2, 3]))


def test_a_crew_without_processes_says_so(tmp_path, monkeypatch):
    def refused(process: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refused)
    with pytest.raises(SstagError, match="--processes 1"), in_processes(2)(2, Corpora([str(tmp_path)])):
        pass


@pytest.mark.parametrize(
    "words",
    [
        TRAINING,
        ("convert", "train", "--to-scheme", "bioes", "-o", "out"),
        ("experiment", "compare", "--train", "train", "-t", "t.yaml", "--method", "crf", "--method", "hmm",
         "--folds", "2", "--processes", "1", "--out", "out"),
    ],
)  # fmt: skip
def test_a_clock_that_goes_back_changes_nothing(here, words, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    run = ran(BACKWARDS, here, *words)
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr


def test_numbers_that_another_thread_changes_end_no_program():
    """Of indices this is not promised: they are checked before a call, as NumPy does."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHANGED], cwd=Path(__file__).parents[2], capture_output=True, text=True
    )
    assert run.returncode != -signal.SIGSEGV
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 1000
