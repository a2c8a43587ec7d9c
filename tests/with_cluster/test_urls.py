"""Files that fsspec reaches are read as files of this machine are."""

import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import pytest

from sstag.corpus.file_parts import part_blocks, parts_of_file
from sstag.corpus.reading import read
from sstag.foundation.errors import ConfigError, DataError
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
        ("memory://none.txt", "no such file"),
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


class _Server(SimpleHTTPRequestHandler):
    """A server of a folder; `Parts` also sends parts of files."""

    def log_message(self, *said: object) -> None:
        pass


class _Parts(_Server):
    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        if not asked:
            super().do_GET()
            return
        data = Path(self.translate_path(self.path)).read_bytes()
        begin, _, end = asked.removeprefix("bytes=").partition("-")
        part = data[int(begin) : int(end) + 1 if end else None]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {begin}-{int(begin) + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)


@pytest.fixture(params=[_Server, _Parts])
def web(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(request.param, directory=str(folder))) as server:
        server.handle_error = lambda *said: None  # a client that goes away
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_web_is_read_as_files(cluster, folder, web, monkeypatch):
    from sstag.corpus import volumes

    monkeypatch.setattr(volumes, "VOLUME", 100)
    (folder / "large.txt").write_bytes(b"Ann\nmet\n\n" * 700_000)  # more than is asked for at a time
    for name in ("a.txt", "b.txt.gz", "large.txt"):
        assert read(f"{web}/{name}").digest == read(str(folder / name)).digest
    paths = [f"{web}/a.txt", f"{web}/b.txt.gz"]
    assert read_by_workers(cluster, paths, HOW.raw_layout, HOW.label, lambda text: None).sentences == 20
    parts = parts_of_file(f"{web}/large.txt", HOW.raw_layout, 3_000_000)
    found = [block for part in parts for block in part_blocks(part, HOW.raw_layout(part.path))]
    assert sum(len(block.offsets) - 1 for block in found) == 700_000
    with pytest.raises(DataError, match="no such file"):
        read(f"{web}/none.txt")


def test_the_web_without_aiohttp_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.implementations.http", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "http", raising=False)
    with pytest.raises(ConfigError, match=r"the web is read by aiohttp: pip install 'fsspec\[http\]"):
        read("http://127.0.0.1:9/x")
