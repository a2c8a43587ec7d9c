"""Lines that fit a terminal: no word is cut, and so no number."""

import os
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sstag.foundation.display import display_width
from sstag.interfaces.cli.tuning import table
from sstag.interfaces.cli.width import continued, cut
from sstag.training.tuning.runs import Tried, Tuned
from sstag.training.tuning.search import doubts
from tests.commands import SSTAG
from tests.systems import posix

LINES = st.lists(st.text("abc1,.é語", min_size=1, max_size=12), min_size=1, max_size=20)


@given(LINES, st.sampled_from([" ", "  ", "   "]), st.integers(0, 5), st.integers(20, 80))
def test_a_line_continues_at_blanks(words: list[str], between: str, indent: int, width: int) -> None:
    line = " " * indent + between.join(words)
    lines = continued(line, width).split("\n")
    assert [word for one in lines for word in one.split()] == words
    for one in lines:
        assert display_width(one) <= width or len(one.split()) == 1
    assert all(one.startswith(" " * (indent + 4)) for one in lines[1:])


@given(LINES, st.sampled_from([" ", "   "]), st.integers(1, 80))
def test_a_line_of_progress_has_whole_words(words: list[str], between: str, width: int) -> None:
    line = between.join(words)
    shown = cut(line, width)
    assert line.startswith(shown)
    if display_width(words[0]) <= width:
        assert display_width(shown) <= width
        assert shown.split() == words[: len(shown.split())]


def test_parts_of_progress_stay_whole() -> None:
    line = "iteration 17   objective -1,234.50   gradient 0.0123   1,234.5 s   dev 91.23"
    assert cut(line, 40) == "iteration 17   objective -1,234.50"
    assert cut(line, 60) == "iteration 17   objective -1,234.50   gradient 0.0123"
    assert cut(line, 11) == "iteration"


@pytest.mark.parametrize(("width", "bar"), [(None, 30), (80, 30), (40, 20), (25, 5), (10, 1)])
def test_a_bar_is_as_long_as_there_is_room(width: int | None, bar: int) -> None:
    class Model:
        scheme = "plain"

    tried = (Tried({"l2": 0.5}, 0.5, (), 1, 1.0), Tried({"l2": 1.0}, 0.75, (), 1, 1.0))
    found = Tuned("development data", Model, {"l2": 1.0}, tried, True)  # type: ignore[arg-type]

    lines = [*table(found, width)]
    assert lines[-1] == f"  1     75.00  {'#' * bar} best"
    assert lines[-2].count("#") == 1


@posix
@pytest.mark.parametrize("columns", [80, 40])
def test_a_terminal_cuts_no_number(tmp_path: Path, columns: int) -> None:
    names = [f"B-{letter}{number}" for letter in "ABCDEF" for number in range(1000, 1009)]
    (tmp_path / "a.txt").write_text("".join(f"w {name}\n" for name in names), encoding="utf-8")
    import pty
    import termios
    from fcntl import ioctl

    terminal, its_end = pty.openpty()
    ioctl(its_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [*SSTAG, "check", "--all-labels", "a.txt"]
    subprocess.run(command, cwd=tmp_path, stdout=its_end, stderr=subprocess.STDOUT, check=False)
    os.close(its_end)
    shown = b""
    while True:
        try:
            if not (some := os.read(terminal, 10_000)):
                break
        except OSError:
            break
        shown += some
    os.close(terminal)
    lines = shown.decode().replace("\r", "").split("\n")
    assert max(map(len, lines)) <= columns
    assert all(f"{name} 1" in " ".join(" ".join(lines).split()) for name in names)
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert max(map(len, piped.split("\n"))) > columns


def test_nothing_is_called_the_best_if_nothing_was_found_right() -> None:
    class Model:
        scheme = "iob2"

    tried = [Tried({"l2": value}, 0.0, (), 1, 1.0) for value in (0.5, 1.0)]
    found = Tuned("development data", Model, {"l2": 0.5}, tried, True)  # type: ignore[arg-type]
    assert [line.split()[-1] for line in table(found)][2:] == ["kept", "#" * 30]
    assert [*doubts(found)] == ["nothing that was tried found anything right: no values are better than others"]
    found = Tuned("development data", Model, {"l2": 0.5}, tried[:1], True)  # type: ignore[arg-type]
    assert found.decided
