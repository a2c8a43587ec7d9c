"""Nothing that a terminal is shown is obeyed by it, but what this program means to be."""

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sstag.interfaces.cli.plain import UNREADABLE, printable
from tests.attack.material import TEXTS

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\u2066\x9b31m\x08"
OURS = re.compile(rb"\r|\x1b\[K|\x1b\[\?2004[hl]\r?")  # of progress, and of a line that is typed
OBEYED = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def shown(folder: Path, *arguments: str, typed: bytes = b"\x04") -> str:
    """All that a command shows on a terminal, without what is meant to be obeyed."""
    controller, terminal = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "sstag", *arguments], cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    os.write(controller, typed)
    found = b""
    with suppress(OSError):  # the end of the terminal
        while more := os.read(controller, 2**16):
            found += more
    os.close(controller)
    run.communicate()
    assert b"Traceback" not in found, found.decode()
    return OURS.sub(b"", found).decode()


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with words, labels, names and a model full of what terminals obey."""
    folder = tmp_path_factory.mktemp("evil")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    word, label = f"Oslo{EVIL}", f"B-LOC{EVIL}"
    train = TEXTS["train"].replace("Oslo", word).replace("B-LOC", label)
    (folder / "train").write_text(train, encoding="utf-8")
    (folder / "two").write_text(TEXTS["two"].replace("Oslo", word).replace("B-LOC", label), encoding="utf-8")
    (folder / f"name{EVIL}").write_text("a b\nc\n\n", encoding="utf-8")
    (folder / "list").write_text(f"word[0]={word}\t{label}:x\n", encoding="utf-8")
    line = ["-t", "template", "--train", "train", "-m", "model", "--set", "max_iterations=3"]
    subprocess.run([sys.executable, "-m", "sstag", "train", *line], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(
    "line",
    [
        "check train",
        "inspect model",
        "features train --template template --sentence 1",
        "eval two --errors 5 --confusions 5 --resamples 10",
        "tag train --model model",
        "tag train --model model --format jsonl",
        "explain train --model model",
        f"check name{EVIL}",
        "train -t template --unlabeled raw --expectations list --method expectation -m x",
        "expectations --template template --train train",
        "vectors train --dimensions 2 --least 1 --near Ann",
        f"tag none{EVIL} --model model",
        f"nothing{EVIL}",
        f"check train --{EVIL}",
    ],
    ids=lambda line: printable(line).replace(UNREADABLE, ""),
)
def test_nothing_is_obeyed(evil: Path, line: str) -> None:
    found = shown(evil, *line.split(" "))
    assert len(found) > 20
    assert not OBEYED.search(found), repr(found)


def test_pipes_get_every_byte(evil: Path) -> None:
    line = [sys.executable, "-m", "sstag", "tag", "train", "--model", "model"]
    out = subprocess.run(line, cwd=evil, capture_output=True, check=True).stdout
    assert EVIL.encode() in out


def test_what_is_printable() -> None:
    assert printable("a\tb\r\nc\n") == "a\tb\r\nc\n"
    for char in [*map(chr, range(9)), "\x0b", "\x0c", "\r", "\x1b", "\x7f", "\x9b", "\u202e", "\u200f", "\udce9"]:
        assert printable(f"a{char}b") == f"a{UNREADABLE}b"
