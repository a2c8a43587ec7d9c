"""Names of files, and patterns that mean several."""

import gzip
import os
from pathlib import Path

import pytest

import sstag
from sstag.corpus.corpus import Corpus
from sstag.foundation.errors import DataError
from sstag.foundation.sources import matching
from tests.commands import sstag as ran_sstag
from tests.training import TEMPLATE, made_ads


def written(path: Path, text: Corpus, labels: bool) -> str:
    """A file of a corpus, packed if its name says so."""
    columns = [text.words(name, s) for s in range(text.sentences) for name in ("word", "label")]
    sentences = [
        "".join(f"{word} {label}\n" if labels else f"{word}\n" for word, label in zip(*both, strict=True))
        for both in zip(columns[::2], columns[1::2], strict=True)
    ]
    data = "\n".join(sentences).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.txt", "a.txt", "deep/c.txt", "[x].txt", ".hidden.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a\n\n")
    (tmp_path / "d.txt").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (["b.txt", "a.txt"], ["b.txt", "a.txt"]),
        (["*.txt"], ["[x].txt", "a.txt", "b.txt"]),
        (["b.txt", "?.txt"], ["b.txt", "a.txt", "b.txt"]),
        (["**/[a-c].txt"], ["a.txt", "b.txt", "deep/c.txt"]),
        (["[x].txt"], ["[x].txt"]),
        (["none.txt", "-"], ["none.txt", "-"]),
        ([], []),
    ],
)
def test_patterns_mean_files_in_order(folder: Path, said: list[str], meant: list[str]) -> None:
    assert [name.replace(os.sep, "/") for name in matching(said)] == meant


def test_a_pattern_that_means_no_file_is_an_error(folder: Path) -> None:
    with pytest.raises(DataError, match=r"z\*\.txt: no file is called so"):
        matching(["a.txt", "z*.txt"])


def test_raw_text_of_a_pattern_is_that_of_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    written(tmp_path / "few.txt", made_ads(5, 1), True)
    (tmp_path / "crawl").mkdir()
    paths = [written(tmp_path / "crawl" / f"{n}.txt.gz", made_ads(5, n), False) for n in (2, 3)]
    pattern = os.path.join("crawl", "*.txt.gz")
    (tmp_path / "run.yaml").write_text(f"unlabeled: ['{pattern}']\n")
    common = ["train", "--template", "t.yaml", "--train", "few.txt", "--method", "entropy", "--set", "max_iterations=3"]
    ways = {"one": ["--unlabeled", pattern], "two": ["--config", "run.yaml"]}
    for name, way in ways.items():
        run = ran_sstag(*common, *way, "--model", name, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    given = "t.yaml", "few.txt"
    expected = sstag.train(*given, unlabeled=paths, method="entropy", max_iterations=3)
    found = sstag.train(*given, unlabeled=pattern, method="entropy", max_iterations=3)
    for other in (found, *map(sstag.load, ways)):
        assert other.theta.tobytes() == expected.theta.tobytes()
    run = ran_sstag(*common, "--unlabeled", "none/*.txt", "--model", "three", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "none/*.txt: no file is called so\n")


def test_tagged_files_of_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    for n in (2, 3):
        written(tmp_path / f"{n}.txt", made_ads(5, n), n == 3)
    assert ran_sstag("train", "-t", "t.yaml", "--train", "3.txt", "-m", "m", cwd=tmp_path).returncode == 0
    assert ran_sstag("tag", "-m", "m", "[23].txt", "-o", "tagged", cwd=tmp_path).returncode == 0
    for name in ("2.txt", "3.txt"):
        assert (
            ran_sstag("tag", "-m", "m", name, cwd=tmp_path).stdout.encode() == (tmp_path / "tagged" / name).read_bytes()
        )
    run = ran_sstag("tag", "-m", "m", "[23].txt", cwd=tmp_path)
    assert run.returncode == 2
    assert "--output names it" in run.stderr
    run = ran_sstag("tag", "-m", "m", "2.txt", "./2.txt", "-o", "tagged", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "tagged/2.txt: is the name of two outputs\n")
