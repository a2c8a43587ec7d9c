"""What several tests need: a file to put bytes into, one deadline-free Hypothesis profile."""

from collections.abc import Callable

import pytest
from hypothesis import settings

settings.register_profile("sstag", deadline=None)
settings.load_profile("sstag")


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], str]:
    """Writes bytes to a file, always the same, and tells its path."""
    path = tmp_path_factory.mktemp("saved") / "file"

    def save(data: bytes) -> str:
        path.write_bytes(data)
        return str(path)

    return save
