"""`sstag eval --errors --near`: the labelled sentence that means most nearly what a wrong one means."""

import json
from pathlib import Path

import pytest

from tests.commands import ran, sstag

GOLD = "Ann B-PER\nwaits O\n\nin O\nOslo B-LOC\n\nnothing O\nsaid B-X\n"
FOUND = "Ann O\nwaits O\n\nin O\nOslo B-PER\n\nnothing O\nsaid O\n"
LABELLED = "in O\nRome B-LOC\n\nBob B-PER\nruns O\n\nfar O\n"
VECTORS = "Ann 1 0\nBob 0.9 0.1\nOslo -1 0\nRome -1 -0.1\nwaits 0.5 0\nruns 0.4 0.1\nin -0.5 0\nfar 0 0.3\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("found", FOUND), ("labelled", LABELLED), ("v.txt", VECTORS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    lines = "columns: [word, label]\nfeatures: ['vector(word[0], v.txt)']\n"
    (tmp_path / "t.yaml").write_text(lines, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("meaning", ["v.txt", "t.yaml"])
def test_wrong_sentences_stand_beside_labelled_ones(meaning: str) -> None:
    shown = ran("gold", "found", "--errors", "9", "--near", "labelled", "--meaning", meaning).out
    people, places, unknown = shown.split("sentence ")[1:]
    assert "near labelled:4 (" in people
    assert "    Bob/B-PER runs\n" in people
    assert "near labelled:1 (" in places
    assert "    in Rome/B-LOC\n" in places
    assert "near" not in unknown  # no word has a vector


def test_json_says_the_same() -> None:
    run = ran("gold", "found", "--errors", "2", "--near", "labelled", "--meaning", "v.txt", "--format", "json")
    first, second = (one["near"] for one in json.loads(run.out)["errors"])
    assert (first["line"], first["sentence"]) == (4, 2)
    assert (first["words"], first["labels"]) == (["Bob", "runs"], ["B-PER", "O"])
    assert (second["line"], second["sentence"]) == (1, 1)
    assert 0 < first["cosine"] <= 1


def test_a_model_says_what_sentences_mean(here: Path) -> None:
    (here / "gold").write_text("Ann B-LOC\nwaits O\n", encoding="utf-8")
    made = sstag("train", "--template", "t.yaml", "--train", "labelled", "--model", "m")
    assert made.returncode == 0, made.stderr
    shown = ran("gold", "--model", "m", "--errors", "9", "--near", "labelled")
    assert shown.code == 0, shown.err
    assert "near labelled:4" in shown.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--near", "labelled", "--meaning", "v.txt"], "with --errors"),
        (["--errors", "2", "--meaning", "v.txt"], "--meaning is for --near"),
        (["--errors", "2", "--near", "labelled"], "--near needs --meaning, or a --model with vectors"),
        (["--errors", "2", "--near", "none", "--meaning", "v.txt"], "none: no such file"),
    ],
)
def test_what_is_missing_is_said(arguments: list[str], message: str) -> None:
    run = ran("gold", "found", *arguments)
    assert run.code in (1, 2)
    assert message in run.err
