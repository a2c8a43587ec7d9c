"""Learning curves from the command line: labels that contain marks and are none."""

import json
import random
from dataclasses import replace

import pytest
from click.testing import CliRunner

from sstag.corpus.contexts import OF_FILE, context_called
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read
from sstag.experiments.curve import ANYWHERE, Files, Plan, _report, _scene, experiment, learned
from sstag.experiments.fitting import judged, percent
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli.curve import command
from sstag.model.second_look import in_own_context
from sstag.selection.simulation.rounds import rounds
from tests.training import TWO_LOOKS, made_ads


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


@pytest.mark.parametrize("context", ["file", "none", None])
def test_models_of_two_looks_count_the_pool_and_the_test(tmp_path, context):
    paths = {name: str(tmp_path / name) for name in ("pool", "test", "t")}
    for name, text in (("pool", made_ads(20, 1)), ("test", made_ads(15, 2))):
        rows = [zip(text.words("word", s), text.words("label", s), strict=True) for s in range(text.sentences)]
        (tmp_path / name).write_text("\n".join("".join(f"{w} {y}\n" for w, y in sentence) for sentence in rows))
    (tmp_path / "t").write_text(TWO_LOOKS)
    files = Files(paths["pool"], paths["test"], paths["t"], context=context_called(context) if context else None)
    plan = Plan(["entropy"], [5, 9], "sentences", 1, "random", {})
    told, _ = experiment(files, plan).sections
    (trial,) = told.trials
    found = learned(ANYWHERE, [], **trial.settings)
    others = {name: value for name, value in trial.settings.items() if name not in ("totals", "unit", "context")}
    scene, made, test = _scene(ANYWHERE, **others)
    expected = []
    for one in rounds(scene, made.wish, [5, 9], "sentences"):
        assert one.model.first
        assert one.model.about["data"]["unlabeled"]["sentences"] == 20
        own = in_own_context(one.model, test, one_by_one)
        figures = [percent(judged(model, test).figures["accuracy"]) for model in (own, one.model)]
        expected += figures[1:] if context == "none" else figures
    assert [row["score"] for row in found] == expected
    names = [row.get("strategy", "entropy") for row in found]
    assert names == (["entropy"] * 2 if context == "none" else ["entropy", "entropy, test not counted"] * 2)
    rows = [{**trial.settings, **row} for row in found]
    page = _report(*(read(paths[name], Layout(("word", "label"))) for name in ("pool", "test")), plan, rows)
    assert f"(--context {context or 'file'})" in page[0]
    (tmp_path / "t").write_text("columns: [word, label]\nfeatures: [word[0]]\n")
    with pytest.raises(ConfigError, match="this one has no such line"):
        experiment(replace(files, context=OF_FILE), plan)
