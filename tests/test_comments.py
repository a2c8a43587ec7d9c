"""Which lines of column files are comments: `# key = value`, and those whose first column is named (`--comments`)."""

import re
from itertools import product
from pathlib import Path

import pytest

from sstag.corpus.formats import Asked, input_format
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read_blocks
from sstag.corpus.text.options import TextOptions
from sstag.foundation.errors import ConfigError, DataError
from tests.commands import sstag

LINES = ["", "a O", "# O", "#\tO", "#id O", "# k = v", "% %", "-DOCSTART- -X-"]
MEND = "are lines that begin with # comments? --comments '#' reads them so"


def tokens_of(lines: list[str], named: tuple[str, ...]) -> list[tuple[int, list[str]]]:
    """The lines that hold tokens, with their fields, as the rule is said: one line after the other."""
    found, within = [], False
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("-DOCSTART-"):
            within = False
        elif within or not (line.split()[0] in named or re.match(r"#\s+\w+\s+=\s", line)):
            within = True
            found.append((number, line.split()))
    return found


def read(lines: list[str], named: tuple[str, ...], stream: bool = False) -> list[tuple[int, list[str]]]:
    layout = Layout(None, None, input_format("f", Asked("columns", TextOptions(comments=named))))
    found = []
    for block in read_blocks("f", layout, data=["\n".join(lines).encode()], stream=stream):
        rows = zip(*block.fields, strict=True)
        found += [(line, [cell.decode() for cell in row]) for line, row in zip(block.lines.tolist(), rows, strict=True)]
    return found


@pytest.mark.parametrize("named", [(), ("#",), ("#", "#id"), ("%",), ("-DOCSTART-x", "a")])
def test_lines_are_what_the_rule_says_in_every_order(named):
    seen = 0
    for lines in product(LINES, repeat=3):
        wanted = tokens_of(list(lines), named)
        if len({len(fields) for _, fields in wanted}) < 2:
            assert read(list(lines), named) == wanted, lines
            seen += any(line.startswith("#") for line in lines)
    assert seen > 100


def test_lines_that_may_be_comments_are_blamed_once(tmp_path: Path):
    lines = ["#\tthe first text", "a\tO", "b\tO", "", "#\tthe second", "a\tO", "b\tO"]
    with pytest.raises(DataError, match=re.escape(f"f:2: 2 columns where line 1, a token, has 4: {MEND}")):
        read(lines, (), stream=True)
    with pytest.raises(DataError, match=re.escape(f"f:4: 4 columns where the lines before have 2: {MEND}")):
        read(["a\tO", "b\tO", "", *lines], ())
    with pytest.raises(DataError, match=r"f:2: 1 column where the lines before have 2$"):
        read(["a\tO", "#b"], ())
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = sstag("check", "t.txt", cwd=tmp_path)
    assert run.returncode == 1
    assert [line for line in run.stderr.splitlines() + run.stdout.splitlines() if "error" in line] == [
        f"error: t.txt:2: 2 columns where line 1, a token, has 4: {MEND}"
    ]
    run = sstag("check", "t.txt", "--comments", "#", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    run = sstag("draw", "t.txt", "100%", "--comments", "#", cwd=tmp_path)
    assert run.stdout.count("#\tthe ") == 2, run.stderr  # comments stay where a file is passed through


def test_a_comment_that_does_not_fit_the_named_columns_is_told_as_one():
    layout = Layout(("word", "label"), "label")
    with pytest.raises(DataError, match=rf"f:1: 4 columns, but 2 are named .*; {re.escape(MEND)}$"):
        list(read_blocks("f", layout, data=[b"#\tthe first text\na\tO\n"]))
    with pytest.raises(DataError, match=r"drop some \(sstag convert --keep\)$"):
        list(read_blocks("f", layout, data=[b"#a the first text\na\tO\n"]))


def test_formats_with_comments_of_their_own_have_no_use_for_it():
    with pytest.raises(ConfigError, match="'conllu' has no use for --comments"):
        input_format("f", Asked("conllu", TextOptions(comments=("#",))))
