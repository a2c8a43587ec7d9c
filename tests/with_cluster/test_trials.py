"""Trials that workers of a cluster run: the rows and the page of one machine."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from sstag.experiments.corpora import Corpora
from sstag.experiments.crews import in_processes
from sstag.experiments.log import Log
from sstag.experiments.runner import results
from sstag.experiments.trials import Trial
from sstag.foundation.errors import SstagError
from sstag.interfaces.cli.compare import command
from sstag.interfaces.cli.crew_options import AskedCrew
from sstag.interfaces.cluster.trials import _outcome
from sstag.interfaces.cluster.wanted import Joining
from tests.test_volumes import written
from tests.training import TEMPLATE, made_ads

METHODS = "--method", "maxent", "--method", "hmm"
SECONDS = re.compile(r'"seconds": [0-9.]+')  # measured, and never the same
WHERE = "tests.experiment_trials:doubled"


@pytest.fixture
def crew(local):
    return AskedCrew(None, Joining(scheduler=local.scheduler_address))


def run(folder: Path, name: str, crew) -> list:
    (folder / "data").write_text("5\n")
    needed = Trial(WHERE, {"number": 1}, ("data",))
    trials = [Trial(WHERE, {"number": number}, (), (needed,) * (number % 2)) for number in range(2, 7)]
    log = Log(str(folder / f"{name}.jsonl"))
    return results(trials, Corpora([str(folder)]), 1, log, crew, lambda progress: None)


def test_workers_find_the_rows_of_one_machine(crew, tmp_path):
    rows = run(tmp_path, "shared", crew)
    assert rows == run(tmp_path, "alone", in_processes(1))
    assert rows == run(tmp_path, "shared", crew)  # all are kept
    assert len((tmp_path / "shared.jsonl").read_text().splitlines()) == 6


def test_a_mistake_is_told_as_on_one_machine(crew, tmp_path):
    trials = [Trial("tests.experiment_trials:failing", {"how": "mistake"})]
    for some in (crew, in_processes(1)):
        with pytest.raises(SstagError) as error:
            results(trials, Corpora([str(tmp_path)]), 1, Log(str(tmp_path / "log")), some, lambda progress: None)
        assert str(error.value) == "failing how=mistake: corpus.txt:7: is no corpus"


def test_a_worker_with_another_corpus_is_named(tmp_path):
    (tmp_path / "data").write_text("5\n")
    trial = Trial(WHERE, {"number": 1}, ("data",))
    for digest, there in (("0" * 64, tmp_path), ("", tmp_path / "none")):
        assert _outcome(trial, [], Corpora([str(there)]), {"data": digest}) == (
            "mistake", "data: a worker does not have the same file", 0.0)  # fmt: skip


def test_methods_are_compared_alike(local, tmp_path):
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    written(tmp_path / "train.txt", made_ads(8, 1), True)
    said = [
        "--train",
        str(tmp_path / "train.txt"),
        "--template",
        str(tmp_path / "t.yaml"),
        "--method",
        "maxent",
        "--method",
        "hmm",
    ]
    for name, more in {"one": ["--processes", "1"], "two": ["--scheduler", local.scheduler_address]}.items():
        made = CliRunner().invoke(command, [*said, "--folds", "2", "--out", str(tmp_path / name), *more])
        assert made.exit_code == 0, made.output
    one, two = (SECONDS.sub("", (tmp_path / name / "runs.jsonl").read_text()) for name in ("one", "two"))
    assert one.count("\n") >= 4
    assert one == two


def test_processes_are_not_for_a_cluster(tmp_path):
    made = CliRunner().invoke(
        command, ["--train", "x", "--template", "y", "--out", "z", "--processes", "2", "--workers", "2"]
    )
    assert made.exit_code == 2
    assert "--processes are those of this machine" in made.output
