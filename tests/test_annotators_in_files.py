"""Files that hold the labels of several annotators: `agree` and `merge` take each of them, whatever the format."""

import json
from pathlib import Path

import pytest

from sstag.corpus.text.documents import MANUAL, Document, Span, Spans
from sstag.corpus.text.options import names_in, names_list
from tests.annotators import NAMING, annotated_file, ran

TEXTS = ("Ann met Bob.", "Kim left Oslo.", "It rained.", "Bob saw Ann Lee.")
FULL = [
    Document(
        f"t{n}",
        text,
        tuple(
            Spans(tuple(Span(start, stop, (label,)) for start, stop, label in spans), by, MANUAL)
            for by, spans in said.items()
        ),
    )
    for n, (text, said) in enumerate(
        zip(
            TEXTS,
            [
                {"vera": [(0, 3, "PER"), (8, 11, "PER")], "paul": [(0, 3, "PER"), (8, 11, "LOC")]},
                {"vera": [(0, 3, "PER"), (9, 13, "LOC")], "paul": [(9, 13, "LOC")]},
                {"vera": [(3, 9, "ORG")], "paul": [(0, 9, "ORG")]},
                {"vera": [(0, 3, "PER"), (8, 15, "PER")], "paul": [(0, 3, "PER"), (8, 15, "PER")]},
            ],
            strict=True,
        )
    )
]


def figures(*arguments: str | Path) -> tuple[object, str]:
    """The report of `sstag agree`, and its messages."""
    run = ran("agree", *arguments, "--format", "json", "--resamples", "0")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout), run.stderr


def separate(folder: Path, by: str) -> Path:
    """A file in columns with the labels of one annotator."""
    path = folder / f"{by}.txt"
    run = ran("convert", annotated_file(folder, "prodigy", FULL), "--annotators", by, "-o", path)
    assert run.returncode == 0, run.stderr
    return path


@pytest.mark.parametrize("name", NAMING)
def test_agreement_in_one_file_is_that_of_separate_files(tmp_path: Path, name: str) -> None:
    report, messages = figures(annotated_file(tmp_path, name, FULL))
    expected, _ = figures(separate(tmp_path, "vera"), separate(tmp_path, "paul"))
    assert isinstance(report, dict)
    assert isinstance(expected, dict)
    assert report["annotators"] == ["vera", "paul"]
    assert report["tokens"] == 16
    assert report["all"] == expected["all"]
    assert report["by label"] == expected["by label"]
    assert messages == ""


@pytest.mark.parametrize("name", NAMING)
def test_one_file_is_merged_as_separate_files_are(tmp_path: Path, name: str) -> None:
    merged = ran("merge", annotated_file(tmp_path, name, FULL), "-o", tmp_path / "one.txt")
    assert merged.returncode == 0, merged.stderr
    separately = ran("merge", separate(tmp_path, "vera"), separate(tmp_path, "paul"), "-o", tmp_path / "two.txt")
    assert separately.returncode == 0, separately.stderr
    text = (tmp_path / "one.txt").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.txt").read_text(encoding="utf-8")
    assert text.startswith("# global.columns = word start end label\n# global.label = label\n")
    checked = ran("check", tmp_path / "one.txt")
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", [one for one in NAMING if one != "doccano"])  # where each span names its annotator
def test_texts_without_an_annotator_are_told_and_no_disagreement(tmp_path: Path, name: str) -> None:
    some = [*FULL[:2], Document("t2", TEXTS[2], FULL[2].said[:1]), FULL[3]]
    report, messages = figures(annotated_file(tmp_path, name, some))
    expected, _ = figures(annotated_file(tmp_path, "prodigy", [*FULL[:2], FULL[3]]))
    assert isinstance(report, dict)
    assert isinstance(expected, dict)
    assert report["all"] == expected["all"]
    assert messages == "paul says nothing of 1 of 4 sentences: they are open, and count for others alone\n"


@pytest.mark.parametrize("name", ["prodigy", "label-studio"])
def test_texts_that_name_nobody_are_told(tmp_path: Path, name: str) -> None:
    nobody = Document("t2", TEXTS[2], (Spans(FULL[2].said[0].spans, rest=MANUAL),))
    path = annotated_file(tmp_path, name, [*FULL[:2], nobody, FULL[3]])
    for command in ("agree", "merge"):
        run = ran(command, path)
        assert run.returncode == 0, run.stderr
        assert f"{path}: 1 of 4 texts do not name who annotated them: their labels count for nobody" in run.stderr


def test_label_columns_of_any_names_can_be_compared(tmp_path: Path) -> None:
    path = annotated_file(tmp_path, "columns", FULL)
    report, _ = figures(path)
    text = path.read_text(encoding="utf-8").replace("label.vera", "mine").replace("label.paul", "label")
    (tmp_path / "other.txt").write_text(text, encoding="utf-8")
    other, _ = figures(tmp_path / "other.txt", "--label", "mine,label")
    assert isinstance(report, dict)
    assert isinstance(other, dict)
    assert other["annotators"] == ["mine", "label"]
    assert other["all"] == report["all"]
    unknown = ran("agree", tmp_path / "other.txt", "--label", "mine,lable")
    assert unknown.returncode == 1
    assert "there is no column 'lable'; did you mean 'label'?" in unknown.stderr


def test_one_annotator_of_a_file_is_one_source(tmp_path: Path) -> None:
    path = annotated_file(tmp_path, "columns", FULL)
    run = ran("agree", path, "--label", "label.vera")
    assert run.returncode == 1
    assert "one source: name two files or more" in run.stderr
    several = ran("agree", path, separate(tmp_path, "paul"), "--format", "json")
    assert json.loads(several.stdout)["annotators"] == [f"{path}:vera", f"{path}:paul", f"{tmp_path}/paul.txt"]


def test_a_sheet_of_one_file_has_every_annotator_beside_the_label(tmp_path: Path) -> None:
    run = ran("agree", annotated_file(tmp_path, "columns", FULL), "--sheet", tmp_path / "decide.txt")
    assert run.returncode == 0, run.stderr
    head, *_ = (tmp_path / "decide.txt").read_text(encoding="utf-8").splitlines()
    assert head == "# global.columns = word start end label vera paul"
    assert ran("check", tmp_path / "decide.txt").returncode == 0


@pytest.mark.parametrize("name", ["prodigy", "label-studio", "doccano"])
def test_annotators_that_a_file_does_not_have_are_told(tmp_path: Path, name: str) -> None:
    path = annotated_file(tmp_path, name, FULL)
    for options in ([], ["--to-format", "label-studio"]):
        run = ran("convert", path, "--annotators", "vera,pual", *options)
        assert run.returncode == 0
        assert f"{path}: nothing is annotated by pual (its annotators: vera, paul)" in run.stderr
        assert "names of annotators" not in run.stderr
        run = ran("convert", path, "--annotators", "pual", *options)
        assert run.returncode == 1
        assert "nothing is annotated by pual (its annotators: vera, paul)" in run.stderr


def test_names_with_commas_and_quotes_are_listed_in_quotes():
    for names in (["ann", "Lee, Bob"], ['q"t', "a b", "é"], [",", '"'], ["ann"]):
        assert names_in(names_list(names)) == names
    assert names_in("ann, bob") == ["ann", "bob"]
