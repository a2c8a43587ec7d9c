"""Simulated annotators at a running workbench: what they answer is right, costs what its actions cost, and repeats."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.corpus.corpus import corpus_of
from sstag.experiments.annotation_minutes import ways
from sstag.experiments.annotation_minutes.tasks import ADS, begun
from sstag.experiments.corpora import Corpora
from sstag.experiments.workbench.desk import running
from sstag.experiments.workbench.effort import REMOVING, Effort, Times, marking, reading
from sstag.experiments.workbench.gold import gold_of, write_labelled, write_pool
from sstag.experiments.workbench.person import Person
from sstag.foundation.errors import ConfigError
from sstag.interfaces.cli import sstag as main
from tests.with_web.benches import NAMES, PLACES

NOTHING = Corpora([])


def sentences(count):
    """Who met whom where, with tags in the scheme IO."""
    rows = []
    for number in range(count):
        words = [
            NAMES[number % 4],
            NAMES[number // 4 % 4],
            "went",
            "to",
            PLACES[number // 16 % 3],
            f"{number}",
            "times",
        ]
        kinds = {**dict.fromkeys(NAMES, "I-PER"), **dict.fromkeys(PLACES, "I-LOC")}
        rows.append([(word, kinds.get(word, "O")) for word in words])
    return corpus_of(rows, ("word", "tag"))


def test_seconds_are_those_of_the_actions():
    times = Times(word=1.0, decision=10.0, pointing=100.0, key=1000.0)
    assert reading(7).seconds(times) == 7 + 10 + 1000
    assert marking(1).seconds(times) == 10 + 100 + 2000
    assert marking(3).seconds(times) == 10 + 200 + 3000
    both = reading(7) + marking(3) + REMOVING
    assert both.seconds(times) == reading(7).seconds(times) + marking(3).seconds(times) + REMOVING.seconds(times)
    for one in fields(Effort):
        assert Effort(**{one.name: 1}).seconds() > 0


def test_gold_has_the_spans_of_each_text_and_the_labels_of_each_word():
    gold = gold_of(sentences(20), "tag", "io")
    assert gold.labels == ("LOC", "PER")
    assert gold.spans["Ann", "Bob", "went", "to", "Rome", "4", "times"] == [(0, 2, "PER"), (4, 5, "LOC")]
    assert gold.words["Rome"] == {"LOC": 16}
    assert gold.words["times"] == {"O": 20}
    plain = corpus_of([[("a", "X"), ("b", "X"), ("c", "O")]], ("word", "tag"))
    assert gold_of(plain, "tag", "plain").labels == ("X", "O")


def test_a_pool_has_no_labels_and_each_text_once(tmp_path):
    twice = corpus_of([[("a", "I-X"), ("b", "O")]] * 2 + [[("c", "I-X")]], ("word", "tag"))
    write_pool(twice, "tag", tmp_path / "pool.txt", np.random.default_rng(1))
    text = (tmp_path / "pool.txt").read_text()
    assert sorted(text.split("\n\n")[0:2]) != []
    assert text.count("a\nb\n\n") == text.count("c\n\n") == 1
    assert "X" not in text
    write_labelled(twice, "tag", "io", "iob2", tmp_path / "test.txt")
    assert (tmp_path / "test.txt").read_text().endswith("a\tB-X\nb\tO\n\na\tB-X\nb\tO\n\nc\tB-X\n\n")


def test_answers_are_right_and_so_is_their_effort(tmp_path):
    made = begun(NOTHING, ADS, (15, 5), 1, False, tmp_path)
    with running(tmp_path, made.arguments) as desk:
        person = Person(desk, made.gold)
        for _ in range(3):
            person.sentence(desk.questions()[0], helped=True)
        seconds = person.effort.seconds()
        spans = sum(len(made.gold.spans[tuple(one["tokens"])]) for one in desk.get("history")["answers"])
        assert person.effort.decisions == 3 + spans  # nothing was suggested
        assert desk.get("progress")["rates"][0]["minutes"] == pytest.approx(seconds / 60, abs=0.01)
        desk.learned()
        for feature in desk.get("features", feature="word[0]", by="coverage", count=2)["features"]:
            person.word(feature, feature["feature"].removeprefix("word[0]="))
        places = desk.get("spans", count=5)["spans"]
        for place in places:
            person.span(place)
        answered = [one for one in desk.get("history", count=200)["answers"] if one["kind"] == "span"]
        assert len(answered) == len(places)
        for one in answered:
            said = one["said"]
            right = (said["first"], said["stop"], said["labels"][0]) in made.gold.spans[tuple(one["tokens"])]
            assert said["answer"] == ("yes" if right else "no")
        state = desk.learned()
    assert state["model"]["answers_since"] == 0
    exported = CliRunner().invoke(main, ["export", str(tmp_path / "project")]).output
    assert exported.count("\n\n") >= 3


@pytest.mark.parametrize("way", ways.WAYS)
def test_the_same_minutes_bring_the_same(way):
    found = [
        ways.annotated(NOTHING, [], task="ads", way=way, encoder=False, draw=1, sizes=(40, 10), minutes=2.0)
        for _ in range(2)
    ]
    assert found[0] == found[1]
    rows = found[0]
    seconds = [Effort(row["words"], row["decisions"], row["pointings"], row["keys"]).seconds() for row in rows]
    assert seconds == sorted(seconds)
    assert 120 <= seconds[-1] < 240
    assert all(0 <= row["f1"] <= 100 for row in rows)


def test_learning_curves_through_the_workbench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, part in (("pool", sentences(40)), ("test", sentences(10))):
        write_labelled(part, "tag", "io", "io", Path(f"{name}.txt"))
    files = ["--pool", "pool.txt", "--test", "test.txt", "--template", "ads", "--out", "out"]
    line = ["experiment", "curve", *files, "--strategy", "random", "--draws", "1", "--count", "5,12"]
    result = CliRunner().invoke(main, [*line, "--workbench"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    rows = [row for line in Path("out/runs.jsonl").read_text().splitlines() for row in json.loads(line)["rows"]]
    assert [row["sentences"] for row in rows] == [5, 12]
    assert rows[-1]["score"] > 90
    result = CliRunner().invoke(main, [*line, "--workbench", "--strategy", "quota:by=length"])
    assert "knows no options of a strategy" in str(result.exception)
    result = CliRunner().invoke(main, [*line, "--workbench", "--first", "quota"])
    assert "--first is for strategies" in result.output


def test_a_workbench_that_does_not_open_says_why(tmp_path):
    (tmp_path / "pool.txt").write_text("a\n\n")
    with (
        pytest.raises(ConfigError, match=r"does not open: .*--labels"),
        running(tmp_path, [str(tmp_path / "pool.txt"), "--template", "ner"]),
    ):
        pass
