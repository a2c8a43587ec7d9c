"""Bytes in and out: gzip by content, errors that name the path, files that appear whole or not at all."""

import gzip
import io
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sstag.corpus.layout import layout_for
from sstag.foundation import files
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.files import contents, output, pieces
from sstag.foundation.replacing import place_for
from tests.systems import posix

Saved = Callable[[bytes], str]

TEXT = b"a b\n" * 40
PACKED = gzip.compress(TEXT, mtime=0)


def read(path: str) -> bytes:
    return b"".join(pieces(path))


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64 * 1024])
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", b""),
        (b"\x1f", b"\x1f"),
        (TEXT, TEXT),
        (PACKED, TEXT),
        (PACKED + PACKED, TEXT + TEXT),
        (PACKED + b"\0" * 20, TEXT),
        (PACKED + b"\0" * 20 + PACKED, TEXT + TEXT),
        (gzip.compress(b"", mtime=0), b""),
        (gzip.compress(b"", mtime=0) + PACKED, TEXT),
    ],
)
def test_gzip_is_undone_and_nothing_else(
    saved: Saved, monkeypatch: pytest.MonkeyPatch, piece: int, data: bytes, text: bytes
) -> None:
    monkeypatch.setattr(files, "PIECE", piece)
    assert read(saved(data)) == text


def test_gzip_cut_short_is_an_error_wherever_it_is_cut(saved: Saved) -> None:
    for end in range(2, len(PACKED)):
        path = saved(PACKED[:end])
        with pytest.raises(DataError, match="damaged gzip") as error:
            read(path)
        assert error.value.path == path


@pytest.mark.parametrize(
    "data",
    [
        PACKED + b"garbage",
        PACKED[:-8] + bytes(8),
        b"\x1f\x8b" + b"garbage" * 9,
        PACKED[:15] + b"\xff\xff" + PACKED[17:],
        PACKED + PACKED[:12],
    ],
)
def test_damaged_gzip_is_an_error(saved: Saved, data: bytes) -> None:
    with pytest.raises(DataError, match="damaged gzip"):
        read(saved(data))


@pytest.mark.parametrize(("name", "message"), [("none", "no such file"), (".", "is a directory"), ("a\0b", "NUL byte")])
def test_what_cannot_be_opened_is_an_error_with_its_path(tmp_path: Path, name: str, message: str) -> None:
    path = f"{tmp_path}/{name}"
    for attempt in (lambda: read(path), lambda: written(f"{path}/x" if name == "none" else path)):
        with pytest.raises(DataError, match=message) as error:
            attempt()
        assert str(error.value).startswith(str(tmp_path))
        assert "\n" not in str(error.value)
        assert "\0" not in str(error.value)


def written(path: str, data: bytes = b"new") -> bytes:
    with output(path) as file:
        file.write(data)
    return data


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PACKED)))
    assert read("-") == TEXT


def test_errors_in_standard_input_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PACKED[:-1])))
    with pytest.raises(DataError, match=r"^<stdin>: damaged"):
        read("-")


def test_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", stdout)
    written("-")
    assert stdout.buffer.getvalue() == b"new"  # type: ignore[attr-defined]


def test_contents_end_at_the_limit(saved: Saved) -> None:
    assert contents(saved(b"x" * 2**20), 2**20) == b"x" * 2**20
    with pytest.raises(DataError, match="larger than 1024 KiB"):
        contents(saved(b"x" * (2**20 + 1)), 2**20)


def test_a_gzip_bomb_is_stopped_at_the_limit(saved: Saved) -> None:
    with pytest.raises(DataError, match="larger than 2048 KiB"):
        contents(saved(gzip.compress(bytes(2**25))), 2**21)


def test_output_is_what_was_written(tmp_path: Path) -> None:
    for name in ("new", "new.gz", "neu ü 字", "字" * 85, "x" * 255):
        written(str(tmp_path / name), TEXT)
        assert read(str(tmp_path / name)) == TEXT
    assert len(listing(tmp_path)) == 5


def test_gz_is_compressed_and_always_the_same(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        written(str(tmp_path / name), TEXT)
    one = (tmp_path / "one.gz").read_bytes()
    assert gzip.decompress(one) == TEXT
    assert (tmp_path / "two.gz").read_bytes() == one


def fail_halfway(path: str, failure: type[BaseException]) -> None:
    with output(path) as file:
        file.write(b"half")
        raise failure("stop")


@pytest.mark.parametrize("name", ["file", "file.gz"])
@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, OSError])
def test_a_failure_leaves_the_old_bytes_and_nothing_else(
    tmp_path: Path, name: str, failure: type[BaseException]
) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(DataError if failure is OSError else failure):
        fail_halfway(str(path), failure)
    assert path.read_bytes() == b"old"
    assert listing(tmp_path) == [name]


def test_a_failure_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        fail_halfway(str(tmp_path / "new"), RuntimeError)
    assert listing(tmp_path) == []


def test_the_old_bytes_stand_until_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with output(str(path)) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o755])
def test_permissions_are_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    written(str(path))
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    written(str(tmp_path / "ours"))
    (tmp_path / "any").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/file")
    for data in (b"first", b"second"):  # the link first leads nowhere
        written(str(link), data)
        assert link.is_symlink()
        assert (tmp_path / "folder" / "file").read_bytes() == data
    assert listing(tmp_path) == ["folder", "link"]


@posix
def test_devices_are_written_to() -> None:
    written("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@posix
def test_pipes_with_a_name_are_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        written(str(path))
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


@posix
def test_pipes_without_a_name_are_written_to() -> None:
    read_end, write_end = os.pipe()
    try:
        written(f"/dev/fd/{write_end}")
        assert os.read(read_end, 10) == b"new"
    finally:
        os.close(read_end)
        os.close(write_end)


@posix
def test_a_closed_pipe_is_left_to_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    file = output(str(path))
    stream = file.__enter__()
    os.close(reader)
    stream.write(b"new")
    with pytest.raises(BrokenPipeError):
        file.__exit__(None, None, None)


def test_dash_is_standard_input_and_output() -> None:
    program = "from sstag.foundation.files import *\nwith output('-') as file:\n    file.writelines(pieces('-'))"
    result = subprocess.run([sys.executable, "-c", program], input=PACKED, capture_output=True, check=True)
    assert result.stdout == TEXT


def test_a_folder_in_work_that_somebody_takes_for_left_behind_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Path.mkdir
    taken: list[Path] = []

    def removed_at_once(self: Path, *modes: int) -> None:
        made(self, *modes)
        if not taken:
            taken.append(self)
            self.rmdir()

    monkeypatch.setattr(Path, "mkdir", removed_at_once)
    with place_for(tmp_path / "out", folder=True) as place:
        assert place.path.is_dir()
        assert place.path != taken[0]
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1\x15PAR1")
    with pytest.raises(ConfigError, match=r"Parquet is read by pyarrow: pip install 'pyarrow"):
        layout_for(str(tmp_path / "a.parquet"))
