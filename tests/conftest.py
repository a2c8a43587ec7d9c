"""Fixtures of several tests: a file to put bytes into, an alarm for what must end, one Hypothesis profile."""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

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
