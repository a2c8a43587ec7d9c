"""Small files written by hand after the documentation of each tool: all of them say one thing."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

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


def test_the_layer_of_webanno_can_be_named() -> None:
    tagged = sstag("convert", str(FOLDER / "webanno.tsv"), "--key", "layer=POS")
    assert [line.split("\t")[-1] for line in tagged.splitlines() if "\t" in line][:2] == ["B-NNP", "B-NNP"]
