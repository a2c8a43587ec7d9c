"""Files that change while they are read, streams that are read twice, and what is inflated."""

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sstag.corpus.layout import Layout
from sstag.corpus.reading import blocks_again, read
from sstag.foundation import files
from sstag.foundation.errors import DataError
from sstag.foundation.files import PIECE, pieces, whole
from sstag.foundation.readings import readings
from tests.attack.material import TRAIN


def test_a_file_that_is_the_same_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in (b"", b"a", bytes(3 * PIECE), bytes(2 * PIECE + 1)):
        path.write_bytes(data)
        with readings(str(path)) as reading:
            assert b"".join(reading()) == b"".join(reading()) == data


@pytest.mark.parametrize("change", ["grows", "shrinks", "differs", "is another"])
def test_a_file_that_changes_is_an_error_before_its_first_other_byte(tmp_path: Path, change: str) -> None:
    path = tmp_path / "file"
    old = bytes(PIECE) + b"a" * 100
    new = {"grows": old + b"b", "shrinks": old[:-1], "differs": bytes(PIECE) + b"a" * 99 + b"b"}.get(change, old[::-1])
    path.write_bytes(old)
    with readings(str(path)) as reading:
        assert b"".join(reading()) == old
        (tmp_path / "other").write_bytes(new)
        os.replace(tmp_path / "other", path)
        got: list[bytes] = []
        with pytest.raises(DataError, match="was changed while it was read"):
            got.extend(reading())
        assert old.startswith(b"".join(got))


def test_a_stream_is_kept_for_the_second_reading(tmp_path: Path) -> None:
    fifo, data = tmp_path / "fifo", TRAIN.encode() * 5000
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(data,))
    writer.start()
    with readings(str(fifo)) as reading:
        assert b"".join(reading()) == b"".join(reading()) == b"".join(reading()) == data
    writer.join()


def test_a_stream_has_a_limit_and_a_plain_file_has_none(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGEST_STREAM", 1000)
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(b"a\n\n" * 1000)
    packed.write_bytes(gzip.compress(b"a\n\n" * 1000))
    assert read(str(plain)).sentences == 1000
    with pytest.raises(DataError, match="save it as a plain file"):
        read(str(packed))
    with pytest.raises(DataError, match="save it as a plain file"):
        list(whole("-", [bytes(600), bytes(600)]))


def test_what_is_far_larger_inflated_is_refused(tmp_path: Path, monkeypatch) -> None:
    """Texts that people write are 3 to 20 times as large; a small one may be anything."""
    monkeypatch.setattr(files, "SMALL", 2**18)
    bomb, small, dense = tmp_path / "bomb", tmp_path / "small", tmp_path / "dense"
    bomb.write_bytes(gzip.compress(b"a\n\n" * 2**20))
    small.write_bytes(gzip.compress(bytes(2**18)))
    dense.write_bytes(gzip.compress(b"".join(os.urandom(200) + bytes(20_000) for _ in range(20))))
    with pytest.raises(DataError, match="more than 250 times as large as the file"):
        read(str(bomb))
    assert sum(map(len, pieces(str(small)))) == 2**18
    assert sum(map(len, pieces(str(dense)))) == 20_200 * 20


@pytest.mark.parametrize("size", [1, 100, PIECE - 1, PIECE, PIECE + 1, 10 * PIECE])
def test_what_is_inflated_comes_in_pieces(tmp_path: Path, size: int) -> None:
    data = os.urandom(10) * (size // 10 + 1)
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(data) + gzip.compress(b"end") + bytes(100))
    found = list(pieces(str(path)))
    assert b"".join(found) == data + b"end"
    assert max(map(len, found)) <= PIECE


def test_blocks_are_those_of_the_corpus_or_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(TRAIN)
    corpus = read(str(path))
    again = list(blocks_again(str(path), Layout(), corpus.digest))
    assert b"".join(block.text for block in again).decode() == TRAIN
    path.write_text(TRAIN.replace("Oslo", "Rome"))
    with pytest.raises(DataError, match="was changed"):
        list(blocks_again(str(path), Layout(), corpus.digest))


GROWS = """
import sys
from sstag.corpus import reading
before = reading.read_blocks
times = 0
def grows(path, *arguments, **more):
    global times
    times += 1
    if times == 2:
        with open(path, "a") as file:
            file.write("New B-ORG\\n\\n")
    return before(path, *arguments, **more)
import sstag.labels.relabelling, sstag.interfaces.cli.convert, sstag.interfaces.cli.portions
for module in (reading, sstag.labels.relabelling, sstag.interfaces.cli.convert):
    module.read_blocks = grows
from sstag.interfaces.cli import main
main()
"""


@pytest.mark.parametrize(
    "line",
    [
        "convert train --to-scheme bioes -o out",
        "convert raw --spans spans --to-scheme iob2 -o out",
        "split train --part out=1 --part rest=rest",
    ],
)
def test_a_command_whose_file_grows_says_so(tmp_path: Path, line: str) -> None:
    (tmp_path / "train").write_text(TRAIN)
    (tmp_path / "raw").write_text("a\nb\n\n")
    (tmp_path / "spans").write_text("1\t1\t1\tPER\n")
    run = subprocess.run([sys.executable, "-c", GROWS, *line.split()], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, "was changed while it was read" in run.stderr) == (1, True), run.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("convert raw --spans bare --to-scheme plain", "bare:1: plain labels are types, and '-' is none"),
        ("convert chunks --from-scheme iob2 --to-scheme plain", "chunks:1: chunks without a type"),
        ("convert marked --from-scheme iob1 --to-scheme bioes", "marked:1: '!I-Y' is no IOB1 tag"),
    ],
)
def test_faults_of_labels_have_a_place(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "raw").write_text("a\nb\n\n")
    (tmp_path / "bare").write_text("1\t1\t1\t-\n")
    (tmp_path / "chunks").write_text("a B\nb I\n\n")
    (tmp_path / "marked").write_text("a I-X|!I-Y\nb I-X\n\n")
    run = subprocess.run([sys.executable, "-m", "sstag", *line.split()], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr.startswith(message)) == (1, True), run.stderr


def endless() -> Iterator[bytes]:
    while True:
        yield b"a O\n\n" * 10_000


def test_an_endless_stream_ends_in_an_error(monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGEST_STREAM", 10**6)
    with pytest.raises(DataError, match="save it as a plain file"):
        list(whole("-", endless()))


MEASURED = """
import resource, sys
from sstag.corpus.layout import layout_for
from sstag.corpus.reading import read_blocks
path = sys.argv[1]
for block in read_blocks(path, layout_for(path, format="text")):
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(path: Path) -> int:
    """The most KiB of a process that reads a file of prose in blocks."""
    run = subprocess.run([sys.executable, "-c", MEASURED, path], capture_output=True, text=True, check=True)
    return int(run.stdout)


def test_a_document_takes_no_more_than_a_hundred_bytes_a_token(tmp_path: Path) -> None:
    """It took four hundred when all of its tokens were made before the first sentence."""
    small, large = tmp_path / "small.txt", tmp_path / "large.txt"
    small.write_text("The cat sat on it . " * 10)
    tokens = 900_000
    large.write_text("The cat sat on it . " * (tokens // 6))
    assert 1024 * (peak(large) - peak(small)) < 100 * tokens + 60 * 2**20  # and a block


@pytest.mark.parametrize("text", ["a@" * 2**20, "a. " * 2**20, "a " * (2**20 + 1)])
def test_a_sentence_of_too_many_tokens_is_refused_with_the_number(tmp_path: Path, text: str) -> None:
    (tmp_path / "in.txt").write_text(text)
    words = ["convert", "in.txt", "--from-format", "text", "--to-format", "tokens", "-o", "out"]
    run = subprocess.run([sys.executable, "-m", "sstag", *words], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1
    assert "tokens, and 1,048,576 are the most (--sentences line or blank)" in run.stderr
    assert not (tmp_path / "out").exists()


def test_a_line_of_webanno_with_fewer_columns_than_its_layer_is_an_error(tmp_path: Path) -> None:
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.X|other|value\n\n\n#Text=Ann met\n"
    (tmp_path / "in.tsv").write_text(f"{head}1-1\t0-3\tAnn\tx\n1-2\t4-7\tmet\t_\t_\n")
    run = subprocess.run(
        [sys.executable, "-m", "sstag", "check", "in.tsv", "--key", "layer=X"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 1
    assert "a column is missing: the layer X has 2 of them" in run.stdout + run.stderr


QUICK = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
from sstag.corpus.formats.prose_guess import is_prose, may_be_prose
for piece in sys.argv[1:]:
    for head in (piece * 70_000, f"a {piece * 70_000} b", f"日本 {piece * 70_000}x", f"a b\\n{piece * 70_000}\\nc"):
        is_prose(head.encode())
        may_be_prose(head.encode())
"""


def test_a_long_field_is_looked_at_once(tmp_path: Path) -> None:
    """Whether a file is prose is asked of its first lines, one of which may be as long as somebody likes."""
    pieces = [
        "x",
        ".",
        "x.",
        '"',
        "x。",
        "。",
        "a/",
        "O|",
        "a-",
        "(x",
        "A'",
        "」",
        "x」",
        ",",
        "é",
        "x…",
        "/.",
        "\u3000",
    ]
    run = subprocess.run([sys.executable, "-c", QUICK, *pieces], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
