"""Small files written by hand after the documentation of each tool: all of them say one thing."""

import json
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from sstag.foundation.errors import DataError
from sstag.interfaces import cli

FOLDER = Path(__file__).parent / "data" / "formats"
TEXT = "Ms. Haag plays Elianti 😀 in Oslo ."
SPANS = [("Ms. Haag", 0, 8, "PER"), ("Oslo", 28, 32, "LOC")]
LABELS = ["B-PER", "I-PER", "O", "O", "O", "O", "B-LOC", "O"]
NAMES = "O,B-PER,I-PER,B-ORG,I-ORG,B-LOC,I-LOC"
FILES: dict[str, list[str]] = {
    "brat": [],
    "brat/haag.ann": [],
    "conll2012.conll": [],
    "doccano-relations.jsonl": [],
    "doccano.jsonl": [],
    "kaggle.csv": [],
    "label-studio.json": [],
    "prodigy.jsonl": [],
    "spacy.jsonl": ["--from-format", "doccano"],
    "tokens.jsonl": ["--tag-names", NAMES],
    "webanno.tsv": [],
}


def sstag(*arguments: str) -> str:
    run = CliRunner().invoke(cli.sstag, arguments)
    assert run.exit_code == 0, run.output
    return run.stdout


@pytest.mark.parametrize("name", FILES)
def test_every_file_says_the_same(name: str) -> None:
    (line,) = sstag("convert", str(FOLDER / name), "--to-format", "spans", *FILES[name]).splitlines()
    said = json.loads(line)
    assert said["text"].strip() == TEXT
    assert [(span["text"], span["start"], span["end"], span["label"]) for span in said["spans"]] == SPANS


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_read_as_columns(name: str) -> None:
    path, given = str(FOLDER / name), FOLDER.joinpath(name).suffix in (".jsonl", ".json", ".ann", "")
    blank = ["--tokenize", "blank"] if given and name not in ("prodigy.jsonl", "tokens.jsonl") else []
    lines = sstag("convert", path, *FILES[name], *blank).splitlines()
    rows = [line.split("\t") for line in lines if "\t" in line]
    assert [row[0] for row in rows] == TEXT.split()
    assert [row[-1] for row in rows] == LABELS
    assert "  sentences  1" in sstag("check", path, *FILES[name], *blank, "--most", "0")


def test_options_about_tokens_hold_between_formats_of_spans(tmp_path: Path) -> None:
    nested = {"text": "the king of Spain met", "label": [[0, 17, "P"], [12, 16, "L"]]}
    (tmp_path / "in.jsonl").write_text(json.dumps(nested) + "\n", encoding="utf-8")
    convert = ["convert", str(tmp_path / "in.jsonl"), "--to-format", "doccano"]
    assert json.loads(sstag(*convert))["label"] == nested["label"]
    cut = ["--cut", "expand", "--overlaps", "innermost"]
    assert json.loads(sstag(*convert, *cut))["label"] == [[12, 17, "L"]]


def test_pieces_of_a_span_stay_in_brat_and_are_joined_if_that_is_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann and Bob Lee", encoding="utf-8")
    (tmp_path / "a.ann").write_text("T1\tPER 0 3;12 15\tAnn Lee\n", encoding="utf-8")
    convert = ["convert", str(tmp_path / "a.ann"), "--to-format"]
    sstag(*convert, "brat", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out" / "a.ann").read_text(encoding="utf-8") == "T1\tPER 0 3;12 15\tAnn Lee\n"
    assert json.loads(sstag(*convert, "doccano", "--discontinuous", "join"))["label"] == [[0, 15, "PER"]]
    for more in (["doccano"], ["columns"]):
        run = CliRunner().invoke(cli.sstag, [*convert, *more], catch_exceptions=True)
        assert "has several pieces (--discontinuous join" in str(run.exception)


def test_one_of_several_annotators_is_written(tmp_path: Path) -> None:
    (task,) = json.loads((FOLDER / "label-studio.json").read_text(encoding="utf-8"))
    other = task["annotations"][0] | {"completed_by": 2, "result": []}
    (tmp_path / "two.json").write_text(json.dumps([task | {"annotations": [*task["annotations"], other]}]))
    convert = ["convert", str(tmp_path / "two.json"), "--to-format", "doccano", "--annotators"]
    assert [len(json.loads(sstag(*convert, name))["label"]) for name in "12"] == [2, 0]


def test_the_layer_of_webanno_can_be_named() -> None:
    tagged = sstag("convert", str(FOLDER / "webanno.tsv"), "--key", "layer=POS")
    assert [line.split("\t")[-1] for line in tagged.splitlines() if "\t" in line][:2] == ["B-NNP", "B-NNP"]


def test_a_fault_in_webanno_is_told_of_its_line(tmp_path: Path) -> None:
    lines = (FOLDER / "webanno.tsv").read_text(encoding="utf-8").splitlines()
    tokens = [number for number, line in enumerate(lines) if line[:1].isdigit()]
    for number, wrong in product(tokens[1:], ("98-99", "24-25", "x")):  # no text, within a character, no offsets
        name, _, *rest = lines[number].split("\t")
        faulty = [*lines[:number], "\t".join([name, wrong, *rest]), *lines[number + 1 :]]
        for end in ("\n", ""):
            (tmp_path / "a.tsv").write_text("\n".join(faulty) + end, encoding="utf-8")
            run = CliRunner().invoke(cli.sstag, ["convert", str(tmp_path / "a.tsv"), "--from-format", "webanno"])
            assert isinstance(run.exception, DataError)
            assert run.exception.line == number + 1
