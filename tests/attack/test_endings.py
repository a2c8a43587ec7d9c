"""The end of a long run: what was made is kept, whatever fails, and what killed programs leave is removed."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sstag.foundation import replacing
from sstag.foundation.errors import DataError, NotReadAgain
from sstag.foundation.files import only_here, output, reserve, room_for
from sstag.interfaces.cli import keeping
from sstag.interfaces.cli.keeping import kept

HOLDER = """
import sys, time
from sstag.foundation.files import output
with output(sys.argv[1]) as file:
    file.write(b"half")
    print("ready", flush=True)
    time.sleep(60)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(path: Path | str, data: bytes = b"new") -> None:
    with output(str(path)) as file:
        file.write(data)


def test_what_a_killed_program_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    target = tmp_path / "file"
    run = subprocess.Popen([sys.executable, "-c", HOLDER, str(target)], stdout=subprocess.PIPE)
    assert run.stdout
    run.stdout.readline()
    (left,) = names(tmp_path)
    write(tmp_path / "other")
    assert names(tmp_path) == [left, "other"]  # its writer is alive
    run.kill()
    run.communicate()
    write(tmp_path / "other")
    assert names(tmp_path) == ["other"]


def test_only_what_has_our_name_is_removed(tmp_path: Path) -> None:
    others = [".a.0123456g.sstag-part", ".sstag-part", "a.01234567.sstag-part", ".a.01234567.sstag-part.txt"]
    for name in others:
        (tmp_path / name).touch()
    (tmp_path / ".folder.01234567.sstag-part" / "inner").mkdir(parents=True)
    (tmp_path / ".link.01234567.sstag-part").symlink_to(tmp_path / others[0])
    write(tmp_path / "x")
    assert names(tmp_path) == sorted([*others, ".link.01234567.sstag-part", "x"])


def test_room_is_reserved_and_the_file_has_its_own_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with room_for(str(path)) as place:
        reserve(str(path), place, 2**22)
        (waiting,) = tmp_path.iterdir()
        assert waiting.stat().st_blocks * 512 >= 2**22
        with output(str(path), place=place) as file:
            file.write(b"new")
        assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]
    with room_for(str(path)) as place:
        reserve(str(path), place, 2**20)
    assert names(tmp_path) == ["file"]


def test_too_little_room_is_an_error_before_the_run(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    with room_for(path) as place, pytest.raises(DataError, match=r"no space left|too large.*MiB are needed"):
        reserve(path, place, 2**62)
    assert names(tmp_path) == []


def test_what_cannot_be_read_back_takes_no_place(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def refused(temporary: str) -> None:
        assert Path(temporary).read_bytes() == b"new"
        raise DataError("no good", temporary, 7)

    with pytest.raises(DataError, match="could not be read again") as error, output(str(path), refused) as file:
        file.write(b"new")
    assert "sstag-part" not in str(error.value)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


class Terminal:
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_what_cannot_be_written_is_kept_elsewhere(tmp_path: Path, monkeypatch, capsys) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(home))
    (here / "m").write_bytes(b"another")
    asked = str(tmp_path / "gone" / "m")
    assert kept(write, asked) == str(here / "m.2")
    assert (here / "m.2").read_bytes() == b"new"
    assert "kept in" in capsys.readouterr().err
    assert kept(write, str(home / "m")) == str(home / "m")


def test_a_person_at_the_terminal_is_asked_until_it_is_written(tmp_path: Path, monkeypatch) -> None:
    answers = iter([str(tmp_path / "gone" / "m"), str(tmp_path / "none" / "m"), str(tmp_path / "m")])
    monkeypatch.setattr(keeping.sys, "stdin", Terminal())
    monkeypatch.setattr(keeping.sys, "stderr", Terminal())
    monkeypatch.setattr(keeping.click, "echo", lambda *_, **__: None)
    monkeypatch.setattr(keeping.click, "prompt", lambda *_, **__: next(answers))
    assert kept(write, str(tmp_path / "gone" / "m")) == str(tmp_path / "m")


def test_what_cannot_be_read_back_is_not_tried_elsewhere(tmp_path: Path) -> None:
    def refuses(path: str) -> None:
        raise DataError("no good", path)

    def writes(path: str) -> None:
        with output(path, refuses):
            pass

    with pytest.raises(NotReadAgain, match="no good"):
        kept(writes, str(tmp_path / "m"))


def test_one_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "answers")
    script = f"from sstag.foundation.files import only_here\nwith only_here({path!r}): print('mine')"

    def other() -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    with only_here(path):
        assert "another sstag is at work on it" in other().stderr
    assert other().stdout == "mine\n"
    assert names(tmp_path) == []


def test_the_folder_is_synced_after_the_new_name(tmp_path: Path, monkeypatch) -> None:
    calls: list[str] = []
    sync, replace = replacing.os.fsync, replacing.os.replace
    monkeypatch.setattr(
        replacing.os, "fsync", lambda handle: (calls.append(os.readlink(f"/proc/self/fd/{handle}")), sync(handle))[1]
    )
    monkeypatch.setattr(replacing.os, "replace", lambda *names: (calls.append("replace"), replace(*names))[1])
    write(tmp_path / "x")
    assert [call.endswith("part") for call in calls] == [True, False, False]
    assert calls[1:] == ["replace", str(tmp_path)]


STOPPED = """
import atexit, os, signal, sys
from sstag.__main__ import main

class Finder:
    left = int(os.environ["LEFT"])

    def find_spec(self, *_):
        self.left -= 1
        if not self.left:
            signal.raise_signal(signal.SIGINT)

if Finder.left:
    sys.meta_path.insert(0, Finder())
else:
    atexit.register(signal.raise_signal, signal.SIGINT)
main()
"""


@pytest.mark.parametrize("left", [0, 1, 5, 20, 50, 100, 150])
def test_ctrl_c_while_the_program_starts_or_ends_is_no_traceback(tmp_path: Path, left: int) -> None:
    """It comes with the import of a module, from the first one on, or after the last line."""
    (tmp_path / "raw").write_text("a X\n\n")
    line = [sys.executable, "-c", STOPPED, "check", "raw"]
    run = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "LEFT": str(left)})
    assert run.returncode in (-signal.SIGINT, 128 + signal.SIGINT)
    assert run.stderr.strip() in ("", "interrupted")


LATE = """
import signal, sys
from sstag.interfaces import cli

SENT = int(sys.argv[2])

class Part:
    def __del__(self):
        if sys.argv[1] == "removed":
            signal.raise_signal(SENT)
        else:
            raise ValueError("seek of closed file")

    def __set_name__(self, *_):
        signal.raise_signal(SENT)

def run():
    if sys.argv[1] == "class":
        type("Made", (), {"part": Part()})
    part = Part()
    if sys.argv[1] == "open":
        signal.raise_signal(SENT)
    del part
    while True:
        pass

cli.sstag.main = lambda **_: run()
cli.main()
"""


@pytest.mark.parametrize(("sent", "said"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "")])
@pytest.mark.parametrize("where", ["removed", "class", "open"])
def test_a_signal_that_python_would_turn_into_something_else(where: str, sent: int, said: str) -> None:
    """It comes while an object is removed, or a class is made; or an object cannot be removed after it."""
    line = [sys.executable, "-c", LATE, where, str(int(sent))]
    run = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr.strip()) == (128 + sent, said)


def test_a_terminal_is_asked_by_a_training_whose_model_has_no_place(tmp_path: Path) -> None:
    """The folder is gone when the training ends; a person names another file."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "train").write_text("a X\nb Y\n\n")
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    fifo = tmp_path / "dev"
    os.mkfifo(fifo)
    controller, terminal = pty.openpty()
    line = [sys.executable, "-m", "sstag", "train", "-t", "t.yaml", "--train", "train", "--dev", "dev"]
    run = subprocess.Popen(
        [*line, "-m", "folder/m"], cwd=tmp_path, stdin=terminal, stderr=terminal, stdout=subprocess.PIPE
    )
    os.close(terminal)
    with open(fifo, "wb") as dev:  # opens when the training reads it
        for path in (tmp_path / "folder").iterdir():
            path.unlink()
        (tmp_path / "folder").rmdir()
        dev.write(b"a X\nb Y\n\n")
    shown = b""
    asked = False
    with suppress(OSError):  # the end of the terminal
        while more := os.read(controller, 1000):
            shown += more
            if b"Nothing is lost yet" in shown and not asked:
                os.write(controller, b"m\n")
                asked = True
    os.close(controller)
    assert b"Traceback" not in shown
    assert run.communicate()[0].startswith(b"m: 2 labels")
    assert (run.returncode, (tmp_path / "m").exists()) == (1, True), shown.decode()
