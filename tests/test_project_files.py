"""A project that somebody sent: its files are inside its folder, and its trainings do what a project may ask for."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from sstag.foundation.errors import SstagError
from sstag.interfaces.annotate import inside
from sstag.interfaces.annotate.project import opened
from sstag.interfaces.annotate.settings import Named
from sstag.interfaces.annotate.train_options import checked_options, kept_options
from sstag.interfaces.cli.train import command as train
from tests.projects import LABELLED, TEMPLATE, answer, project_in, trained

LISTED = 'columns: [word, label]\nfeatures: ["word[0]", "lexicon(word[0], lists/names.txt)"]\n'


def stored(project: Path, name: str, value: object) -> None:
    """Writes a setting into a project as somebody may who sends it."""
    file = sqlite3.connect(project / "project.db")
    file.execute("insert or replace into setting values (?, ?)", (name, json.dumps(value)))
    file.commit()
    file.close()


def test_a_project_is_whole_without_the_files_that_it_was_begun_with(tmp_path):
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "names.txt").write_text("Ann\nBob\n")
    (tmp_path / "rules.yaml").write_text("rules:\n  - most: 3\n    of: B-LOC\n")
    (tmp_path / "more.txt").write_text(LABELLED)
    options = ("--set", "l2=2", "--train", str(tmp_path / "more.txt"))
    made = project_in(tmp_path, LISTED, options, (str(tmp_path / "more.txt"),))
    elsewhere = tmp_path / "elsewhere" / "work"
    elsewhere.parent.mkdir()
    made.rename(elsewhere)
    for name in ("lists/names.txt", "rules.yaml", "more.txt", "t.yaml"):
        (tmp_path / name).unlink()
    project = opened(str(elsewhere))
    assert all(path.startswith(str(elsewhere)) for path in (project.settings.template, *project.settings.dev))
    answer(project)
    code, messages = trained(project)
    assert code == 0, messages
    about = json.loads((elsewhere / "training" / "new.json").read_text())
    assert about["figures"]["accuracy"] > 0
    project.close()


OUTSIDE = [
    ["--report", "{victim}"],
    ["--report={victim}"],
    ["--model", "{victim}"],
    ["-m{victim}"],
    ["--checkpoint", "{victim}"],
    ["--on-disk", "{victim}"],
    ["--init", "{victim}"],
    ["--rules", "{victim}"],
    ["--rules", "../victim"],
    ["--rules", "files/../../victim"],
    ["--rules", "files/0001-link"],
    ["--rules", "files/0002-pipe"],
    ["--expectations", "{victim}"],
    ["--labeled-features", "{victim}"],
    ["--train", "{victim}"],
    ["--train", "-"],
    ["--dev", "/dev/zero"],
    ["--unlabeled", "http://127.0.0.1:9/raw.txt"],
    ["--unlabeled", "s3://bucket/raw.txt"],
    ["--config", "{victim}"],
    ["-c", "{victim}"],
    ["--scheduler", "tcp://127.0.0.1:9"],
    ["--scheduler-file", "{victim}"],
    ["--workers", "64"],
    ["--threads", "1000"],
    ["--template", "{victim}"],
    ["-t", "{victim}"],
    ["--tune", "template=ner,{victim}"],
    ["--tune", "objectives=[[{{distill: {{teacher: {victim}}}}}]]"],
    ["--tune", "distill.teacher={victim},b"],
    ["--set", "objectives=[{{distill: {{teacher: {victim}}}}}]"],
    ["--set", "distill.teacher={victim}"],
    ["-s", "expectations={victim}"],
    ["--method", "entropy", "--report", "{victim}"],
    ["--help"],
    ["--methods"],
    ["--method", "none"],
    ["--seed", "one"],
    ["--no-such-option"],
    ["--set"],
    ["{victim}"],
    ["--set", "x" * 2_000_000],
    ["--set", "l2=" + "[" * 5_000],
]


@pytest.mark.parametrize("options", OUTSIDE, ids=lambda options: " ".join(options)[:40])
def test_a_stored_option_that_reaches_out_of_the_folder_is_refused(tmp_path, options):
    made = project_in(tmp_path)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (made / "files").mkdir()
    if "link" in options[-1]:
        (made / "files" / "0001-link").symlink_to(victim)
    if "pipe" in options[-1]:
        os.mkfifo(made / "files" / "0002-pipe")
    stored(made, "train", [option.format(victim=victim) for option in options])
    with pytest.raises(SstagError):
        opened(str(made))
    assert victim.read_text() == "mine"


def test_every_option_of_a_training_is_allowed_or_refused_on_purpose(tmp_path):
    """An option that `sstag train` gets later is refused until somebody says what a project may do with it."""
    allowed = {"--method", "--ambiguous", "--set", "--tune", "--folds", "--seed"}
    files = {"--rules", "--expectations", "--labeled-features", "--train", "--dev", "--unlabeled"}
    good = {"--method": "entropy", "--ambiguous": "first", "--set": "l2=1", "--tune": "l2=1,2", "--folds": "3"}
    passed = set()
    for option in train.params:
        for flag in (*option.opts, *option.secondary_opts):
            value = good.get(flag, "1")
            try:
                checked_options([flag, *([] if getattr(option, "is_flag", False) else [value])], lambda path: path)
            except SstagError:
                continue
            passed.add(max(option.opts, key=len))
    assert passed == allowed | files


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../t.yaml", "template/../../t.yaml", "template/link", "template/pipe", "template", "raw.txt", ""],
)
def test_a_stored_template_outside_of_the_folder_is_refused(tmp_path, name):
    made = project_in(tmp_path)
    if name.endswith("link"):
        (made / "template" / "link").symlink_to(tmp_path / "t.yaml")
    if name.endswith("pipe"):
        os.mkfifo(made / "template" / "pipe")
    (made / "raw.txt").write_text(TEMPLATE)
    stored(made, "template", name)
    with pytest.raises(SstagError):
        opened(str(made))


@pytest.mark.parametrize(
    "feature",
    [
        "lexicon(word[0], ../victim)",
        "lexicon(word[0], {victim})",
        "lexicon(word[0], link)",
        "lexicon(word[0], pipe)",
        "cluster(word[0], {victim}, 4)",
        "vector(word[0], {victim})",
        "similar(word[0], {victim}, {victim}, 0.5)",
        "encoded(any[0])",
    ],
)
def test_a_template_in_a_project_reads_no_file_outside(tmp_path, feature):
    made = project_in(tmp_path)
    victim = tmp_path / "victim"
    victim.write_text("Ann\nBob\n")
    if "link" in feature:
        (made / "template" / "link").symlink_to(victim)
    if "pipe" in feature:
        os.mkfifo(made / "template" / "pipe")
    line = feature.format(victim=victim)
    encoders = f"encoders: {{any: {{model: {victim}}}}}\n" if "encoded" in feature else ""
    text = f"columns: [word, label]\n{encoders}features: ['word[0]', '{line}']\n"
    (made / "template" / "t.yaml").write_text(text)
    with pytest.raises(SstagError, match=r"outside of the project|is a (link|pipe)"):
        opened(str(made))


def test_what_is_too_large_counts_only_while_a_command_names_it(tmp_path, monkeypatch):
    monkeypatch.setattr(inside, "LARGEST", 100)
    (tmp_path / "much.txt").write_text(LABELLED)
    big = str(tmp_path / "much.txt")
    options = ("--method", "entropy", "--unlabeled", big, "--scheduler", "tcp://127.0.0.1:9")
    made = project_in(tmp_path, train=options, dev=(big,))
    project = opened(str(made))
    assert project.settings.train == ("--method", "entropy")
    assert project.settings.dev == ()
    project.close()
    project = opened(str(made), Named(train=options, dev=(big,)))
    assert project.settings.train == options
    assert project.settings.dev == (big,)
    project.close()
    with pytest.raises(
        SstagError, match="--train: the project has --method entropy, and the command says --method partial"
    ):
        opened(str(made), Named(train=("--method", "partial")))


def test_a_configuration_is_spelled_out(tmp_path):
    (tmp_path / "teacher.model").write_text("a model")
    (tmp_path / "run.yaml").write_text(
        "template: ner\nmodel: any.model\nreport: report.json\nseed: 3\n"
        "objectives:\n  - likelihood: {}\n  - distill: {teacher: teacher.model}\n"
        "parameters: {l2: 2}\ntune: {l2: [1, 2.5], minimum_count: [1, 2]}\n"
    )
    given = ["--config", str(tmp_path / "run.yaml"), "--set", "l2=5"]
    found = kept_options(given, inside.copying(str(tmp_path / "work")))
    objectives = '[{"likelihood": {}}, {"distill": {"teacher": "files/0001-teacher.model"}}]'
    assert found.kept == (
        "--method", "composed", "--set", f"objectives={objectives}", "--set", "l2=2", "--tune", "minimum_count=1,2",
        "--seed", "3", "--set", "l2=5",
    )  # fmt: skip
    assert found.now == ("--report", str(tmp_path / "report.json"))
    assert (tmp_path / "work" / "files" / "0001-teacher.model").read_text() == "a model"
