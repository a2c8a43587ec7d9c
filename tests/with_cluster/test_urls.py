"""Files that fsspec reaches are read as files of this machine are."""

from pathlib import Path

import fsspec
import pytest

from sstag.corpus.reading import read
from sstag.foundation.errors import DataError
from sstag.foundation.sources import is_file, matching, size_of
from sstag.interfaces.cluster.reading import read_by_workers
from tests.commands import sstag
from tests.test_volumes import written
from tests.training import made_ads
from tests.with_cluster.texts import HOW


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.txt.gz"):
        written(tmp_path / name, made_ads(10, 1), False)
    return tmp_path


@pytest.mark.parametrize("scheme", ["file", "memory"])
def test_urls_are_read_as_files(folder, scheme):
    top = f"{scheme}://{folder}" if scheme == "file" else "memory://made"
    for path in folder.iterdir() if scheme == "memory" else ():
        with fsspec.open(f"{top}/{path.name}", "wb") as file:
            file.write(path.read_bytes())
    names = [f"{top}/{name}" for name in ("a.txt", "b.txt.gz")]
    assert [name.rpartition("/")[2] for name in matching([f"{top}/*.txt*"])] == ["a.txt", "b.txt.gz"]
    for name in names:
        here = str(folder / name.rpartition("/")[2])
        assert is_file(name)
        assert size_of(name) == Path(here).stat().st_size
        assert read(name).digest == read(here).digest


def test_workers_read_urls(cluster, folder, monkeypatch):
    from sstag.corpus import volumes

    monkeypatch.setattr(volumes, "VOLUME", 100)
    paths = [f"file://{folder / name}" for name in ("a.txt", "b.txt.gz")]
    found = read_by_workers(cluster, paths, HOW.raw_layout, HOW.label, lambda text: None)
    assert found.sentences == 20


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("file:///none/there.txt", "no such file or directory"),
        ("memory://none.txt", "none.txt"),
        ("nobody://x", "nobody"),
        ("file:///none/*.txt", "no file is called so"),
    ],
)
def test_whatever_is_not_there_is_told(url, message):
    with pytest.raises(DataError, match=message):
        read(*matching([url]))


def test_the_command_takes_urls(folder):
    run = sstag("density", f"file://{folder / 'a.txt'}")
    assert run.stdout == sstag("density", folder / "a.txt").stdout
    assert run.returncode == 0
