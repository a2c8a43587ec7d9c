"""Tuning from Python finds what `sstag train --tune` finds."""

from pathlib import Path

import numpy as np
import pytest

import sstag
from sstag.foundation.errors import ConfigError
from tests.commands import sstag as command

TEMPLATE = "columns: [word, label]\nfeatures: [word[-1..1], suffix(word[0], 2)]\n"
WORDS = [["No", "pets"], ["Large", "room"], ["No", "smoking"], ["Large", "kitchen"], ["rent", "$"], ["No", "room"]]
LABELS = [["r", "r"], ["s", "s"], ["r", "r"], ["s", "s"], ["m", "m"], ["r", "s"]]
DEV, DEV_LABELS = [["No", "kitchen"], ["Large", "pets"]], [["r", "s"], ["s", "r"]]
VALUES = {"l2": [0.1, 1.0, 10.0], "minimum_count": [1, 2]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, sentences, labels in (("train.txt", WORDS, LABELS), ("dev.txt", DEV, DEV_LABELS)):
        lines = ["\n".join(map(" ".join, zip(*pair, strict=True))) for pair in zip(sentences, labels, strict=True)]
        (tmp_path / name).write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "t.yaml").write_text(TEMPLATE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("folds", [None, 3])
def test_it_finds_what_the_command_finds(folder: Path, folds: int | None) -> None:
    tune = [f"--tune={name}={','.join(map(str, values))}" for name, values in VALUES.items()]
    judge = ["--dev", "dev.txt"] if folds is None else ["--folds", "3"]
    run = command(
        "train", "-t", "t.yaml", "--train", "train.txt", "-m", "m", *tune, *judge, "--set", "l1=0.1", cwd=folder
    )
    assert run.returncode == 0, run.stderr
    warned: list[str] = []
    iterations: list[sstag.Progress] = []
    dev = None if folds else DEV
    found = sstag.tune(
        TEMPLATE, WORDS, LABELS, values=VALUES, folds=folds, dev=dev, dev_labels=dev and DEV_LABELS, l1=0.1,
        tell=iterations.append, warn=warned.append,
    )  # fmt: skip
    theirs = sstag.load(folder / "m")
    assert found.model.theta.tobytes() == theirs.theta.tobytes()
    assert found.model.about["tuned"] == theirs.about["tuned"]
    assert [one.values for one in found.tried] == [{"l2": a, "minimum_count": b} for a in VALUES["l2"] for b in (1, 2)]
    assert max(one.score for one in found.tried) == next(one for one in found.tried if one.values == found.best).score
    assert [text for text in run.stderr.splitlines() if "values" not in text and "better" in text] == [
        text for text in warned if "better" in text
    ]
    assert iterations[0].phase.startswith("l2=")
    assert found.complete


def test_values_may_be_a_tuple_a_range_or_an_array() -> None:
    expected = sstag.tune(TEMPLATE, WORDS, LABELS, values={"l2": [0.1, 1.0]}, folds=2)
    for values in ((0.1, 1.0), np.logspace(-1, 0, 2), iter([0.1, 1.0])):
        found = sstag.tune(TEMPLATE, WORDS, LABELS, values={"l2": values}, folds=2)
        assert [one.score for one in found.tried] == [one.score for one in expected.tried]
    found = sstag.tune(TEMPLATE, WORDS, LABELS, values={"minimum_count": range(1, 3)}, folds=2, seed=3)
    assert [one.values["minimum_count"] for one in found.tried] == [1, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": {"l2": [1, 2]}, "folds": 2, "dev": DEV}, "values are judged by development data"),
        ({"values": {"l2": [1, 2]}, "folds": 1}, "folds is a whole number from 2 up, not 1"),
        ({"values": {"l2": [1, 2]}, "folds": True}, "folds is a whole number from 2 up, not True"),
        ({"values": {"l2": [1, 2]}, "folds": 7}, "7 folds, but only 6 sentences"),
        ({"values": {"l2": [1, 1]}, "folds": 2}, "values: 'l2' has the value 1 twice"),
        ({"values": {"l2": []}, "folds": 2}, "values: 'l2' needs the values to try"),
        ({"values": {"l2": 3}, "folds": 2}, "values: 'l2' needs the values to try"),
        ({"values": {"l2": "1,2"}, "folds": 2}, "values: 'l2' needs the values to try"),
        ({"values": {"l3": [1]}, "folds": 2}, "crf has no parameter 'l3' (known: l2"),
        ({"values": {"l2": [1, -1]}, "folds": 2}, "'l2' must be a number from 0 up, not -1"),
        ({"values": {"l2": [1]}, "folds": 2, "l2": 3}, "l2 has a value, and values to try"),
        ({"values": {}, "folds": 2}, "values are those to try for each parameter"),
        ({"values": [1], "folds": 2}, "values are those to try for each parameter"),
        ({"values": {"pairs": ["all"]}, "folds": 2, "method": "hmm"}, "hmm makes the choice of 'pairs' itself"),
    ],
)
def test_what_cannot_be_tuned_is_said(given, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        sstag.tune(TEMPLATE, WORDS, LABELS, **given)
    assert str(error.value).startswith(message), str(error.value)
