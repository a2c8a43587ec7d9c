"""Fixtures of several tests: a file to put bytes into, an alarm for what must end, one Hypothesis profile; and a line a
minute that says how far a long run of tests is.
"""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("sstag", deadline=None)
settings.load_profile("sstag")

# A shell lets what it starts in the background ignore Ctrl-C, and so would every process that a test sends it to.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], str]:
    """Writes bytes to a file, always the same, and tells its path."""
    path = tmp_path_factory.mktemp("saved") / "file"

    def save(data: bytes) -> str:
        path.write_bytes(data)
        return str(path)

    return save


@pytest.fixture(scope="session")
def alarm() -> Callable[[int], AbstractContextManager[None]]:
    """Stops what takes longer than so many seconds, where the right way takes a thousandth of that."""

    def ring(*_: object) -> None:
        raise TimeoutError("this runs away")

    @contextmanager
    def set_to(seconds: int) -> Iterator[None]:
        before = signal.signal(signal.SIGALRM, ring)
        signal.alarm(seconds)
        try:
            yield
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    return set_to


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, if the system has one, for tests that sync hundreds of files and would wait for the disk."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="sstag-test-", dir="/dev/shm") as folder:
        yield Path(folder)


MINUTE = 60.0
LONGEST = (  # files of tests that take longest: they begin first, so that none of them is left alone at the end
    "test_how_to_pages.py", "test_examples.py", "test_experiments.py", "test_levels.py", "test_train.py",
    "test_large_words.py", "test_faults.py", "test_hostile_projects.py", "test_kills.py", "test_progress.py",
    "test_child_python.py", "test_suspects.py",
)  # fmt: skip
OTHERS_EACH = 25  # tests of other files that take as long as a test of these, on average


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


class Progress:
    """How many tests are done, in a line a minute: without `-v` pytest shows dots, and no minutes."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._total = self._done = self._failed = 0
        self._whole = self._ended = 0  # in tests of usual length
        self._began = self._said = time.monotonic()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._start([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._start(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self._done += 1
            self._ended += self._length(report.nodeid)
        self._failed += report.failed
        now = time.monotonic()
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if now - self._said >= MINUTE and reporter is not None:
            self._said = now
            reporter.write_line(f"\n{self.line(now - self._began)}")

    def line(self, seconds: float) -> str:
        """A line on a run of so many seconds."""
        left = seconds * (self._whole - self._ended) / max(self._ended, 1)
        failed = f", {self._failed} failed" if self._failed else ""
        done = f"{self._done:,} of {self._total:,} tests{failed}"
        return f"{seconds / MINUTE:.0f} min: {done}, about {left / MINUTE:.0f} min left"

    def _start(self, ids: list[str]) -> None:
        if not self._total:
            self._total, self._began = len(ids), time.monotonic()
            self._whole = sum(map(self._length, ids))

    def _length(self, test: str) -> int:
        return OTHERS_EACH if test.partition("::")[0].rpartition("/")[2] in LONGEST else 1


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # not in each process of pytest-xdist
        config.pluginmanager.register(Progress(config), "progress")
