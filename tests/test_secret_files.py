"""Secrets in files: whole or not there, and refused where somebody else may read, change or replace them."""

import errno
import io
import os
import stat

import pytest

from sstag.foundation import replacing
from sstag.foundation.errors import SstagError
from sstag.interfaces.web import secret_files
from sstag.interfaces.web.secret_files import SECRET, named_secret, own_secret

GOOD = "abcdefghijklmnop-_01"


@pytest.mark.parametrize("made", [own_secret, named_secret])
def test_a_secret_is_made_once_and_for_its_owner_alone(tmp_path, made):
    path = tmp_path / "token"
    before = os.umask(0)
    try:
        first = made(str(path))
    finally:
        os.umask(before)
    assert SECRET.fullmatch(first)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert made(str(path)) == first
    assert [one.name for one in tmp_path.iterdir()] == ["token"]


@pytest.mark.parametrize("made", [own_secret, named_secret])
@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_disk_that_is_full_leaves_no_secret(tmp_path, made, call, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    class Full(io.BytesIO):
        def fileno(self) -> int:
            return 1

        write = full

    if call == "write":
        monkeypatch.setattr(replacing.Place, "file", lambda place: Full())
    else:
        monkeypatch.setattr(os, call, full)
    with pytest.raises(SstagError, match="no space left on device"):
        made(str(tmp_path / "token"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"short", b"fifteen-letters", b"with a blank in it ...", b"\xff" * 40, bytes(40)]
)
@pytest.mark.parametrize("read", [own_secret, named_secret])
def test_what_is_no_secret_is_refused(tmp_path, read, content):
    path = tmp_path / "token"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(SstagError, match="at least 16"):
        read(str(path))
    assert path.read_bytes() == content


@pytest.mark.parametrize("rights", [0o644, 0o640, 0o604, 0o660, 0o666, 0o601, 0o700, 0o400, 0o620])
def test_a_program_keeps_no_secret_that_others_may_read(tmp_path, rights):
    path = tmp_path / "token"
    path.write_text(GOOD)
    path.chmod(rights)
    with pytest.raises(SstagError, match=f"rights are {rights:o}"):
        own_secret(str(path))


@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "folder"])
def test_a_program_keeps_no_secret_elsewhere(tmp_path, kind):
    path, elsewhere = tmp_path / "token", tmp_path / "elsewhere"
    if kind == "link":
        elsewhere.write_text(GOOD)
        elsewhere.chmod(0o600)
    match kind:
        case "link" | "dangling":
            path.symlink_to(elsewhere)
        case "pipe":
            os.mkfifo(path)
        case _:
            path.mkdir()
    with pytest.raises(SstagError, match="not a plain file"):
        own_secret(str(path))
    assert elsewhere.exists() == (kind == "link")


@pytest.mark.parametrize(("rights", "refused", "warned"), [
    (0o600, False, False), (0o400, False, False), (0o440, False, True), (0o644, False, True), (0o622, True, False),
    (0o660, True, False), (0o666, True, False), (0o777, True, False),
])  # fmt: skip
def test_a_secret_that_a_command_names_may_be_a_link(tmp_path, rights, refused, warned, caplog):
    """Kubernetes mounts `token -> ..data/token`, `..data -> ..2026_11_20`."""
    folder = tmp_path / "..2026"
    folder.mkdir()
    (folder / "token").write_text(f"{GOOD}\n")
    (folder / "token").chmod(rights)
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "token").symlink_to("..data/token")
    if refused:
        with pytest.raises(SstagError, match="others may write"):
            named_secret(str(tmp_path / "token"))
    else:
        assert named_secret(str(tmp_path / "token")) == GOOD
    assert ("others may read" in caplog.text) == warned


@pytest.mark.parametrize(("typed", "good"), [(f"{GOOD}\nmore\n", True), (GOOD, True), ("", False), ("short\n", False)])
def test_a_secret_comes_on_standard_input(monkeypatch, typed, good):
    monkeypatch.setattr(secret_files.sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
    if good:
        assert named_secret("-") == GOOD
    else:
        with pytest.raises(SstagError, match="<stdin>: a secret"):
            named_secret("-")
