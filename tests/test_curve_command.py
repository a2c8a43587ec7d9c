"""Learning curves from the command line: labels that contain marks and are none."""

import json
import random

from click.testing import CliRunner

from sstag.interfaces.cli.curve import command


def test_labels_with_marks_in_them_are_plain_if_that_is_said(tmp_path, monkeypatch):
    """Each word has its own label, so that a model is always right if all of them are labels."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(1)
    labels = {"a": "PREP|+", "b": "PREP|+", "c": "?", "d": "N", "e": "N", "f": "N|PREP"}
    for name in ("pool", "test"):
        words = [[*chance.sample("abcdef", 6)] for _ in range(30)]
        text = "\n".join("".join(f"{word} {labels[word]}\n" for word in one) for one in words)
        (tmp_path / name).write_text(text + "\n")
    (tmp_path / "t").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    line = [
        "--pool",
        "pool",
        "--test",
        "test",
        "-t",
        "t",
        "--strategy",
        "random",
        "--count",
        "20",
        "--draws",
        "1",
        "--out",
        "out",
    ]
    run = CliRunner().invoke(command, [*line, "--no-marks"])
    assert run.exit_code == 0, run.output
    log = (tmp_path / "out" / "runs.jsonl").read_text().splitlines()
    assert [row["score"] for one in log for row in json.loads(one)["rows"] if "score" in row] == [100.0]
    assert "--no-marks" in (tmp_path / "out" / "README.md").read_text()
