"""Files that are read as one corpus: in options, configurations and Python, in messages and in the report."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import sstag as library
from sstag.corpus.corpus import sizes_of_files
from sstag.corpus.layout import Layout, layout_for
from sstag.corpus.reading import read, read_files
from sstag.foundation.errors import DataError
from sstag.interfaces.cli.onward import to_go_on, to_train_the_best
from sstag.model.model_file import load
from sstag.training.tuning.runs import Tried, Tuned
from tests.commands import sstag


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("a X\nb Y\n\nb Y\na X\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("c X\nb Y\n\n", encoding="utf-8")
    (tmp_path / "both.txt").write_text("a X\nb Y\n\nb Y\na X\n\nc X\nb Y\n", encoding="utf-8")
    (tmp_path / "raw.txt").write_text("c\nb\n", encoding="utf-8")
    (tmp_path / "t.yaml").write_text("columns: [word, field]\nfeatures: ['word[0]']\n", encoding="utf-8")
    return tmp_path


def trained(folder: Path, *more: str, model: str) -> "dict[str, object]":
    run = sstag("train", "-t", "t.yaml", "-m", model, "--report", "r.json", *more, cwd=folder)
    assert run.returncode == 0, run.stderr
    return dict(json.loads((folder / "r.json").read_bytes()))


def test_several_files_are_learned_from_as_one(folder: Path) -> None:
    trained(folder, "--train", "both.txt", model="one")
    report = trained(folder, "--train", "a.txt", "--train", "b.txt", "--dev", "b.txt", "--dev", "a.txt", model="two")
    one, two = (load(str(folder / name)) for name in ("one", "two"))
    assert one.about["data"]["train"]["tokens"] == two.about["data"]["train"]["tokens"] == 6
    assert (one.labels, one.unary.size) == (two.labels, two.unary.size)
    assert report["files"] == {
        "train": [
            {"file": "a.txt", "sentences": 2, "tokens": 4},
            {"file": "b.txt", "sentences": 1, "tokens": 2},
        ],
        "dev": [
            {"file": "b.txt", "sentences": 1, "tokens": 2},
            {"file": "a.txt", "sentences": 2, "tokens": 4},
        ],
    }
    run = report["run"]
    assert isinstance(run, dict)
    assert run["train"] == [str(folder / "a.txt"), str(folder / "b.txt")]
    (folder / "again.yaml").write_text(json.dumps(run | {"model": str(folder / "three")}), encoding="utf-8")
    assert sstag("train", "-c", "again.yaml", cwd=folder).returncode == 0
    assert (folder / "three").read_bytes() == (folder / "two").read_bytes()
    model = library.train(
        str(folder / "t.yaml"), [folder / "a.txt", folder / "b.txt"], dev=[folder / "b.txt", folder / "a.txt"]
    )
    library.save(model, folder / "four")
    assert (folder / "four").read_bytes() == (folder / "two").read_bytes()


def test_one_file_in_a_list_is_that_file(folder: Path) -> None:
    layout = layout_for("both.txt")
    path = str(folder / "both.txt")
    assert read_files([path], lambda _: layout).digest == read(path, layout).digest
    assert sizes_of_files(read(path, layout)) == [(path, 3, 6)]


def test_raw_text_may_hold_labels_in_some_of_its_files(folder: Path) -> None:
    more = ["--train", "a.txt", "--unlabeled", "b.txt", "--unlabeled", "raw.txt", "--method", "self-training"]
    report = trained(folder, *more, model="m")
    assert report["files"]["unlabeled"][1] == {"file": "raw.txt", "sentences": 1, "tokens": 2}  # type: ignore[index]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("c\nb\n", "second.txt: files that are read together need the same columns, not word, field in a.txt and word"),
        ("c X\nb\n", "second.txt:2: 1 column where the lines before have 2"),
        ("c X\nb !\n\na X|X\n", "second.txt:2: the label '!' contains a mark, and was read as it is"),
        ("", "second.txt: no sentence in it"),
    ],
)
def test_messages_name_the_file(folder: Path, second: str, message: str) -> None:
    (folder / "second.txt").write_text(second, encoding="utf-8")
    run = sstag("train", "-t", "t.yaml", "-m", "m", "--train", "a.txt", "--train", "second.txt", cwd=folder)
    assert message in run.stderr


def test_columns_must_agree_and_their_order_need_not(folder: Path) -> None:
    (folder / "c.txt").write_text("X c\n", encoding="utf-8")
    layouts = {"a": ("word", "field"), "c": ("field", "word"), "b": ("word", "tag")}

    def of(path: str) -> Layout:
        return layout_for(path, layouts[Path(path).stem], layouts[Path(path).stem][-1])

    both = read_files([str(folder / "a.txt"), str(folder / "c.txt")], of)
    assert [both.words("field", s) for s in range(3)] == [["X", "Y"], ["Y", "X"], ["X"]]
    assert both.place(4) == (str(folder / "c.txt"), 1)
    with pytest.raises(DataError, match="need the same columns"):
        read_files([str(folder / "a.txt"), str(folder / "b.txt")], of)


def test_expectations_are_proposed_from_several_files(folder: Path) -> None:
    written = []
    for train in (["both.txt"], ["a.txt", "b.txt"]):
        files = [word for name in train for word in ("--train", name)]
        more = ["--unlabeled", "raw.txt", "--unlabeled", "b.txt", "--count", "9", "--least", "1"]
        run = sstag("expectations", "-t", "t.yaml", *files, *more, cwd=folder)
        assert run.returncode == 0, run.stderr
        written.append(run.stdout)
    assert written[0] == written[1] != ""


@pytest.mark.parametrize("value", ["[]", "3", "[a, 3]"])
def test_a_configuration_names_a_file_or_a_list(folder: Path, value: str) -> None:
    (folder / "c.yaml").write_text(f"template: t.yaml\nmodel: m\ntrain: {value}\n", encoding="utf-8")
    run = sstag("train", "--config", "c.yaml", cwd=folder)
    assert run.returncode == 1
    assert run.stderr.startswith("c.yaml:3: ")


def test_an_interrupted_tuning_names_the_command_that_trains_the_best(folder: Path) -> None:
    trained(folder, "--train", "a.txt", model="m")
    tried = [
        Tried({"l2": 1.0}, 0.8, (0.7, 0.9), 5, 1.0),
        Tried({"l2": 2.0}, 0.9, (0.9, 0.9), 5, 1.0),
        Tried({"l2": 4.0}, 0.95, (0.95,), 5, 1.0),  # not judged by all folds
    ]
    found = Tuned("2-fold cross-validation", load(str(folder / "m")), {"l2": 1.0}, tried, complete=False, whole=False)
    words = ["train", "-t", "t.yaml", "--tune", "l2=1,2,4", "--folds=2", "-m", "m x"]
    assert to_train_the_best(words, found) == "sstag train -t t.yaml -m 'm x' --set l2=4.0"
    full = replace(found, tried=tried[:2])
    assert to_train_the_best(words, full) == "sstag train -t t.yaml -m 'm x' --set l2=2.0"
    assert to_go_on(words, "n", found) == "sstag train -t t.yaml -m 'm x' --set l2=1.0 --init n"


def test_a_pool_may_be_several_files(folder: Path) -> None:
    said = "--strategy", "quota", "--count", "9"
    run = sstag("select", "--pool", "[ab].txt", *said, "--label", "label", cwd=folder)
    assert run.returncode == 0, run.stderr
    found = [line for line in run.stdout.split("\n") if line.startswith(("# file", "# sentence"))]
    assert sorted(zip(found[::2], found[1::2], strict=True)) == [
        ("# file = a.txt", "# sentence = 1"),
        ("# file = a.txt", "# sentence = 2"),
        ("# file = b.txt", "# sentence = 1"),
    ]
    assert "# file" not in sstag("select", "--pool", "both.txt", *said, "--label", "label", cwd=folder).stdout
    told = sstag(
        "select", "--pool", "a.txt", "--pool", "b.txt", *said, "--format", "jsonl", "--label", "label", cwd=folder
    )
    assert {(one["file"], one["line"]) for one in map(json.loads, told.stdout.splitlines())} == {
        ("a.txt", 1),
        ("a.txt", 4),
        ("b.txt", 1),
    }


def test_patterns_of_labelled_files_propose_features(folder: Path) -> None:
    said = "expectations", "-t", "t.yaml", "--least", "1"
    one = sstag(*said, "--train", "both.txt", cwd=folder)
    assert one.returncode == 0
    two = sstag(*said, "--train", "[ab].txt", cwd=folder)
    assert two.stdout == one.stdout
