"""Methods and templates compared by cross-validation: held-out counts, intervals, and what cannot be compared."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.corpus.contexts import OF_FILE, context_called
from sstag.corpus.corpus import selected
from sstag.corpus.formats import Asked
from sstag.corpus.layout import Layout
from sstag.corpus.reading import read
from sstag.corpus.text.options import TextOptions
from sstag.evaluation.scoring import COUNTS, Column, evaluation
from sstag.experiments.compare import Plan, System, _counts, _folds, _report, experiment, held_out
from sstag.experiments.curve import ANYWHERE
from sstag.experiments.readings import reading_asked, reading_said
from sstag.features.reading import load_template
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli import sstag
from sstag.interfaces.cli.eval import command as evaluate
from sstag.model.second_look import in_own_context
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.completion import completed
from sstag.training.run import Task, trained


@pytest.fixture
def files(tmp_path):
    names = {"Ann": "B-A", "Lee": "I-A", "Oslo": "B-B"}
    lines = []
    for number in range(30):
        words = ["Ann", "Lee", "sat", f"w{number}", "Oslo"][: 2 + number % 4]
        lines += [f"{word} {names.get(word, 'O')}" for word in words] + [""]
    (tmp_path / "train.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "good.yaml").write_text("columns: [word, label]\nfeatures: ['word[0]', 'word[-1]']\n")
    (tmp_path / "bad.yaml").write_text("columns: [word, label]\nfeatures: ['last()']\nedges: []\n")
    return tmp_path


def plan(files, *systems, **more):
    made = [System(str(files / template), method, {}, name) for name, template, method in systems]
    said = {"folds": 3, "seed": 1, "resamples": 200, **more}
    return Plan([str(files / "train.txt")], None, made, **said)


BOTH = [("good", "good.yaml", "crf"), ("bad", "bad.yaml", "crf")]


def rows_of(of):
    rows = []
    for trial in experiment(of).sections[0].trials:
        found = held_out(ANYWHERE, [], **{**trial.settings})
        rows += [{**trial.settings, **row} for row in found]
    return rows


@pytest.mark.parametrize("context", ["file", "none"])
def test_templates_of_two_looks_count_raw_text_and_the_fold(files, context):
    """Both figures stand side by side, and the page says which is which."""
    text = (files / "good.yaml").read_text().replace("['word[0]'", "['predicted(lower(word[0]))', 'word[0]'")
    (files / "twice.yaml").write_text(text)
    (files / "raw.txt").write_text("Ann\nsat\n\nOslo\nw3\n\nAnn\nLee\nw4\n\n" * 5)
    systems = [("once", "good.yaml", "crf"), ("twice", "twice.yaml", "crf")]
    with pytest.raises(ConfigError, match=re.escape("predicted(…) needs raw text")):
        experiment(plan(files, *systems))
    with pytest.raises(ConfigError, match="none of these has such a line"):
        experiment(plan(files, *BOTH, said_context=OF_FILE))
    of = replace(plan(files, *systems, said_context=context_called(context)), unlabeled=str(files / "raw.txt"))
    rows = rows_of(of)
    for row in rows:
        assert ("not counted" in row) == (row["system"] == "twice" and context == "file")
        assert ("context" in row) == (row["system"] == "twice")
    corpus = read(of.train[0], load_template(str(files / "good.yaml")).layout(of.train[0]))
    inputs = Inputs(load_template(str(files / "twice.yaml")), corpus, read(of.unlabeled, Layout(("word",), None)))
    for row in (row for row in rows if row["system"] == "twice"):
        fold = np.isin(np.arange(corpus.sentences), row["sentences"])
        model = trained(Task(replace(inputs, labelled=selected(corpus, ~fold)), "crf", completed("crf", {})), Run())
        held = selected(corpus, fold)
        own = in_own_context(model, held, one_by_one) if context == "file" else model
        for tagger, key in ((own, "counts"), (model, "not counted")):
            if key in row:
                gold = Column(held.values[1], held.codes[1])
                found = Column(tagger.labels, tagger.tagged(tagger.dataset(held), one_by_one))
                assert evaluation(gold, found, held.offsets, scheme="iob2").rows.tolist() == row[key]
    said = _report(of, corpus, rows)
    page = str([part if isinstance(part, str) else part.head for part in said])
    assert ("fold not counted" in page) == (context == "file")
    assert f"(--context {context})" in page


def test_every_sentence_is_held_out_once_and_counted_as_eval_counts(files):
    of = plan(files, *BOTH)
    rows = rows_of(of)
    path = str(files / "train.txt")
    corpus = read(path, load_template(str(files / "good.yaml")).layout(path))
    assert sorted(s for row in rows if row["system"] == "good" for s in row["sentences"]) == list(range(30))
    counts = _counts(corpus, "good", rows)
    assert counts[:, COUNTS.index("tokens")].tolist() == np.diff(corpus.offsets).tolist()
    assert (counts[:, COUNTS.index("right")] <= counts[:, COUNTS.index("gold")]).all()
    assert np.bincount(_folds(corpus, 3, 1)).tolist() == [10, 10, 10]
    assert _counts(corpus, "good", rows).sum() > _counts(corpus, "bad", rows).sum()


def test_a_fold_of_a_comparison_is_a_training_and_an_evaluation(files):
    """The counts of a fold are those of `train` on the other sentences and `eval` of this one's."""
    (row,) = [one for one in rows_of(plan(files, *BOTH)) if one["system"] == "good" and one["fold"] == 0]
    sentences = (files / "train.txt").read_text().strip().split("\n\n")
    chosen = set(row["sentences"])
    for name, some in (("rest", set(range(30)) - chosen), ("held", chosen)):
        (files / f"{name}.txt").write_text("".join(f"{sentences[s]}\n\n" for s in sorted(some)))
    options = ["--template", files / "good.yaml", "--train", files / "rest.txt", "--model", files / "m"]
    run = CliRunner().invoke(sstag, ["train", "--method", "crf", *map(str, options)])
    assert run.exit_code == 0, run.output
    scored = CliRunner().invoke(evaluate, [str(files / "held.txt"), "-m", str(files / "m"), "--format", "json"])
    counts = json.loads(scored.stdout)["predicted"]["counts"]
    assert counts == dict(zip(COUNTS, np.array(row["counts"]).sum(axis=0).tolist(), strict=True))


def test_the_page_ranks_and_says_what_is_sure(files):
    of = plan(files, *BOTH)
    said, table, verdict = experiment(of).sections[0].report(rows_of(of))
    assert said.startswith("30 sentences")
    (first, best, *_), (second, less, _, below, p, _) = table.rows
    assert (first, second) == ("good", "bad")
    assert best > less
    assert p == "0.005"
    assert below.startswith(f"{best - less:.2f} (+")
    assert verdict.startswith("good is the best of these")


def test_the_command(files):
    arguments = ["experiment", "compare", "--train", files / "train.txt", "-t", files / "good.yaml", "--method", "crf"]
    arguments += ["--method", "crf:l2=100", "--folds", "2", "--processes", "1", "--out", files / "out"]
    run = CliRunner().invoke(sstag, [str(one) for one in arguments])
    assert run.exit_code == 0, run.output
    assert "crf:l2=100" in run.stdout
    assert len((files / "out" / "runs.jsonl").read_text().splitlines()) == 4
    again = CliRunner().invoke(sstag, [str(one) for one in arguments])
    assert again.stdout == run.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "two different systems or more"),
        (["--method", "crf", "--method", "crf"], "two different systems or more"),
        (["--method", "crf", "--method", "entropy"], "entropy needs raw text"),
        (["--method", "crf", "--method", "nonsense"], "there is no method 'nonsense'"),
        (["--method", "crf", "--method", "hmm", "--folds", "31"], "31 folds of 30 sentences"),
    ],
)
def test_what_cannot_be_compared_is_said(files, options, message):
    arguments = ["experiment", "compare", "--train", files / "train.txt", "-t", files / "good.yaml", *options]
    run = CliRunner().invoke(sstag, [str(one) for one in [*arguments, "--out", files / "out"]])
    assert message in f"{run.output}{run.exception}"


def test_folders_and_files_of_methods_are_read_and_belong_to_a_trial(files):
    (files / "list.tsv").write_text("word[0]=Ann\tB-A\n")
    (files / "raw.txt").write_text("Ann\nsat\n\n")
    of = plan(files, *BOTH)
    listed = {"expectations": str(files / "list.tsv")}
    third = System(str(files / "good.yaml"), "expectation", listed, "third")
    of = Plan([str(files / "train.txt")], str(files / "raw.txt"), [*of.systems, third], 3, 1, 200)
    data = [one.data for one in experiment(of).sections[0].trials if one.settings["system"] == "third"]
    assert all(str(files / "list.tsv") in some for some in data)

    for name in ("a", "b", "c"):
        (files / "folder").mkdir(exist_ok=True)
        (files / "folder" / f"{name}.txt").write_text("Ann sat.")
        (files / "folder" / f"{name}.ann").write_text("T1\tA 0 3\tAnn\n")
    arguments = ["experiment", "compare", "--train", files / "folder", "-t", files / "good.yaml", "--method", "crf"]
    arguments += ["--method", "hmm", "--folds", "2", "--processes", "1", "--out", files / "out"]
    run = CliRunner().invoke(sstag, [str(one) for one in arguments])
    assert run.exit_code == 0, run.output
    assert "3 sentences, 9 tokens" in run.stdout


def test_the_way_of_reading_is_a_setting_of_every_trial(files):
    record = {"text": "Ann sat.", "label": [[0, 2, "A"]]}
    (files / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for _ in range(4)))
    arguments = ["experiment", "compare", "--train", files / "in.jsonl", "-t", files / "good.yaml", "--method", "crf"]
    arguments += ["--method", "hmm", "--folds", "2", "--processes", "1", "--out", files / "out"]
    cut = CliRunner().invoke(sstag, [str(one) for one in arguments])
    assert "cuts the token 'Ann'" in f"{cut.output}{cut.exception}"
    run = CliRunner().invoke(sstag, [str(one) for one in (*arguments, "--from-format", "doccano", "--cut", "expand")])
    assert run.exit_code == 0, run.output
    page = json.loads((files / "out" / "page.json").read_text())
    assert "--from-format doccano --cut expand" in page["command"]
    assert reading_asked(reading_said(ASKED)) == ASKED


ASKED = Asked("prodigy", TextOptions(annotators=("a", "b"), keys={"text": "body"}, skip_bad=True, rest="?"))
