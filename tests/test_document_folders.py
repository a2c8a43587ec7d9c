"""Folders of documents that somebody sent: only plain files in them are read; and names that every system takes."""

import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sstag.corpus.formats import Asked, document_input, document_output
from sstag.corpus.text.documents import Document, Span, Spans
from sstag.corpus.text.folders import OTHER_NAMES, bytes_of
from sstag.corpus.text.options import TextOptions
from sstag.features.named_files import Named
from sstag.foundation.errors import DataError
from tests.commands import sstag
from tests.vector_files import written

FOLDERS = {"brat": (".txt", ".ann"), "webanno": (".tsv",), "text": (".txt",)}
SECRET = "the secret of somebody else"
NAMES = [
    ".hidden", "..", ".", "...", "", "é" * 200, "a" * 255, "a" * 400, "日" * 100, "a/" * 120 + "b", "a.txt", "a.ann/b",
    "a", "x.tsv/y", "x", ".a/.b/c", "CON", "a\0b", "a\nb", " a ", "a ", "/etc/passwd", "../../up", "\\\\host\\share",
    "é" * 117 + "x/b", "𝒳" * 63, "-", "~", "a" * 234 + "é", "a" * 199 + "/.b",
]  # fmt: skip


def good(folder: Path, name: str) -> None:
    """A folder with two documents in a format."""
    folder.mkdir()
    made = document_output(name if name != "text" else "brat", TextOptions())
    assert made.folder
    folder.rmdir()
    made.folder([document("one"), document("two")], str(folder), Counter())
    if name == "text":
        for path in folder.glob("*.ann"):
            path.unlink()


def document(name: str, text: str = "Ann met Kim.") -> Document:
    return Document(name, text, (Spans((Span(0, 3, ("PER",)),)),))


def ways(outside: Path):
    """Things in the place of a file, each put there by a function of the path."""
    yield "a link", lambda path: path.symlink_to(outside)
    yield "a relative link", lambda path: path.symlink_to(os.path.relpath(outside, path.parent))
    yield "a link to a link", lambda path: (path.with_name("next").symlink_to(outside), path.symlink_to("next"))
    yield "a link to nothing", lambda path: path.symlink_to(outside.with_name("nothing"))
    yield "a link to a device", lambda path: path.symlink_to("/dev/zero")
    yield "a loop", lambda path: path.symlink_to(path.name)
    yield "a pipe", os.mkfifo
    yield "a socket", lambda path: _socket(path)
    yield "a link to a folder", lambda path: path.symlink_to(outside.parent)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = os.open(path.parent, os.O_RDONLY)
        one.bind(f"/proc/self/fd/{here}/{path.name}")  # whose whole name may be too long
        os.close(here)


@pytest.mark.parametrize("way", [name for name, _ in ways(Path("x"))])
@pytest.mark.parametrize("name", [*FOLDERS])
def test_what_is_no_plain_file_of_the_folder_is_refused_by_name(name, way, tmp_path):
    outside = tmp_path / "elsewhere" / "secret"
    outside.parent.mkdir()
    outside.write_text(SECRET)
    for ending in FOLDERS[name]:
        folder = tmp_path / f"corpus{ending}"
        good(folder, name)
        bad = folder / f"one{ending}"
        bad.unlink()
        dict(ways(outside))[way](bad)
        line = ["convert", str(folder), "--from-format", name, "--to-format", "jsonl"]
        run = subprocess.run([sys.executable, "-m", "sstag", *line], capture_output=True, text=True, timeout=60)
        assert run.returncode == 1
        assert str(bad) in run.stderr
        assert "Traceback" not in run.stderr
        assert SECRET not in run.stdout + run.stderr
        put_aside = sstag(*line, "--skip-bad", cwd=tmp_path)
        assert SECRET not in put_aside.stdout
        assert way == "a link to a folder" or "two" in put_aside.stdout, put_aside.stderr


@pytest.mark.parametrize("name", [*FOLDERS])
def test_links_inside_the_folder_are_read(name, tmp_path):
    good(tmp_path / "corpus", name)
    for ending in FOLDERS[name]:
        moved = (tmp_path / "corpus" / f"one{ending}").rename(tmp_path / "corpus" / f"one{ending}.moved")
        moved.with_suffix("").symlink_to(moved.name)
    (tmp_path / "corpus" / "again").symlink_to(".")
    (tmp_path / "link").symlink_to("corpus")
    for path in (tmp_path / "corpus", tmp_path / "link"):
        run = sstag("convert", path, "--from-format", name, "--to-format", "jsonl")
        assert run.returncode == 0, run.stderr
        assert len(run.stdout.splitlines()) == 2


def test_the_text_beside_annotations_is_a_plain_file_there(tmp_path):
    (tmp_path / "secret").write_text("Ann met Kim.")
    folder = tmp_path / "corpus"
    good(folder, "brat")
    (folder / "one.txt").unlink()
    (folder / "one.txt").symlink_to(tmp_path / "secret")
    assert "is a link out of" in sstag("convert", folder / "one.ann", "--to-format", "jsonl").stderr
    assert "is a link out of" in sstag("convert", "one.ann", "--to-format", "jsonl", cwd=folder).stderr
    (folder / "one.txt").unlink()
    os.mkfifo(folder / "one.txt")
    assert "is no plain file" in sstag("convert", folder / "one.ann", "--to-format", "jsonl").stderr


def test_a_folder_that_may_not_be_read_is_an_error(tmp_path, monkeypatch):
    good(tmp_path / "corpus", "brat")
    (tmp_path / "corpus" / "inner").mkdir()
    scan = os.scandir

    def refused(path: str):
        if str(path).endswith("inner"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(DataError, match="inner: permission denied"):
        list(bytes_of(str(tmp_path / "corpus")))


def test_a_pipe_of_the_name_that_a_model_names_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "vectors")
    assert [*Named("vectors", "m.model", "SSTAG_VECTORS").there] == []
    (tmp_path / "vectors").unlink()
    (tmp_path / "vectors").write_text("x 1\n")
    assert [*Named("vectors", "m.model", "SSTAG_VECTORS").there] == ["vectors"]


def comes_back(name: str, names: list[str], folder: str) -> None:
    """Writes documents of these names, and finds all of them in files of the folder again."""
    some = [document(one, f"Ann met {number}.") for number, one in enumerate(names)]
    made, lost = document_output(name, TextOptions()), Counter[str]()
    assert made.folder
    made.folder(some, folder, lost)
    found = document_input(folder, Asked(name, TextOptions()))
    assert found
    read = list(found.documents(folder, bytes_of(folder)))
    assert {one.text for one in read} == {one.text for one in some}
    same = Counter(one.text for one in read if one.id == some[int(one.text.split()[-1][:-1])].id)
    assert lost[OTHER_NAMES] == len(some) - same.total()
    for path in Path(folder).rglob("*"):
        assert len(os.fsencode(path.name)) <= 255


@pytest.mark.parametrize("name", ["brat", "webanno"])
def test_documents_of_any_name_are_found_again(name, tmp_path):
    comes_back(name, NAMES, str(tmp_path / "all"))
    for number, one in enumerate(NAMES):
        comes_back(name, [one, one], str(tmp_path / str(number)))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=260)
PARTS = st.sampled_from(["a", "a.txt", ".", "..", ".x", "é" * 130, "b" * 300, "x.ann", " ", "…"])


@settings(max_examples=60)
@given(names=st.lists(st.one_of(TEXT, st.lists(PARTS, max_size=5).map("/".join)), min_size=1, max_size=4))
def test_documents_of_drawn_names_are_found_again(names, tmp_path_factory):
    comes_back("brat", names, str(tmp_path_factory.mktemp("names") / "all"))


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_a_pipe_in_a_folder_of_vectors_is_refused_by_name(name, tmp_path):
    folder = Path(written(tmp_path, "model2vec"))
    (folder / name).unlink()
    os.mkfifo(folder / name)
    line = [sys.executable, "-m", "sstag", "vectors", "--load", str(folder), "--near", "the"]
    run = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert (run.returncode, f"{folder / name}: is no plain file" in run.stderr) == (1, True), run.stderr


def test_a_number_of_words_is_no_file_of_sentences(tmp_path):
    (tmp_path / "train").write_text("Ann B-PER\nmet O\n\n" * 3)
    for words in (("clusters", "train", "--count", "2", "--least", "1"), ("draw", "train", "2")):
        for option in ("--tokenize", "blank"), ("--rest", "O"), ("--from-format", "columns"):
            run = sstag(*words, "-o", "out", *option, cwd=tmp_path)
            assert "Traceback" not in run.stderr, run.stderr
