"""Checkpoints: a training that is killed anywhere and begun again gives the bytes of one that was left alone."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from sstag.corpus.corpus import Corpus
from sstag.features.reading import template
from sstag.foundation.archive import write_archive
from sstag.foundation.errors import ConfigError, DataError, ModelError
from sstag.interfaces.cli.train import command
from sstag.interfaces.python.training import train
from sstag.model.model_file import save
from sstag.training import checkpoint
from sstag.training.checkpoint import Checkpoint
from sstag.training.inputs import Inputs, Progress, Run
from sstag.training.run import Task, trained
from tests.datasets import corpus
from tests.systems import posix
from tests.training import OF_WORDS, WORDS, ads_template, made_ads, task

SHORT = {"max_iterations": 14}


class Killed(Exception):
    """The end of a training, as sudden as a test can make it."""


def half_open(text: Corpus) -> Corpus:
    """Every third sentence with every second label open."""
    column = text.column("label")
    sentences = []
    for number in range(text.sentences):
        words, labels = text.words("word", number), text.words(text.columns[column], number)
        kept = [("?" if number % 3 == 0 and i % 2 else label) for i, label in enumerate(labels)]
        sentences.append(list(zip(words, kept, strict=True)))
    return corpus(sentences)


@pytest.fixture(scope="module")
def texts() -> tuple[Corpus, Corpus, Corpus]:
    return made_ads(12, 1), made_ads(15, 2), made_ads(6, 3)


CASES = {
    "crf": {},
    "crf with l1": {"l1": 0.5},
    "crf judged": {"patience": 3},
    "partial": {},
    "self-training": {"rounds": 3, "confidence": 0.3},
    "entropy": {"gamma": 0.1, "steps": 2},
    "expectation": {"expectations": WORDS},
    "label-regularization": {},
    "prototype": {"expectations": WORDS},
}


def asked(case: str, texts: tuple[Corpus, Corpus, Corpus]) -> Task:
    labelled, raw, judge = texts
    method = case.split()[0]
    how = template(OF_WORDS, "words.yaml") if method == "prototype" else ads_template()
    reads_raw = method not in ("crf", "partial")
    inputs = Inputs(
        how,
        half_open(labelled) if method == "partial" else labelled,
        raw if reads_raw else None,
        development=judge if case in ("crf judged", "self-training") else None,
    )
    return task(inputs, method, {**SHORT, **CASES[case]})


def written(of: Task, run: Run, path: Path) -> bytes:
    save(trained(of, run), str(path))
    return path.read_bytes()


@pytest.mark.parametrize("case", CASES)
def test_a_training_that_is_killed_again_and_again_gives_the_same_bytes(case, texts, tmp_path):
    of = asked(case, texts)
    iterations: list[Progress] = []
    whole = written(of, Run(tell=iterations.append), tmp_path / "whole")
    kept = str(tmp_path / "so-far")
    for between in (1, 5):
        told: list[Progress] = []
        for lives in count(1):  # noqa: B007
            left = iter(range(6))

            def tell(progress: Progress, left=left, told=told) -> None:
                told.append(progress)
                if next(left, None) is None:
                    raise Killed

            try:
                found = written(of, Run(tell=tell, checkpoint=Checkpoint(kept, between)), tmp_path / "found")
                break
            except Killed:
                assert os.path.exists(kept)
        assert found == whole
        assert lives > 1
        # What a checkpoint has is not done again: every life loses at most what lies between two checkpoints.
        assert len(iterations) <= len(told) <= len(iterations) + between * (lives - 1)
        os.unlink(kept)


def test_checkpoints_themselves_change_nothing(texts, tmp_path):
    of = asked("crf", texts)
    plain = written(of, Run(), tmp_path / "plain")
    kept = Checkpoint(str(tmp_path / "so-far"), 3)
    assert written(of, Run(checkpoint=kept), tmp_path / "with") == plain
    said: list[str] = []
    assert written(of, Run(checkpoint=kept, warn=said.append, tell=lambda one: 1 / 0), tmp_path / "again") == plain
    assert said == [f"going on from {tmp_path / 'so-far'}: the end of climb 1"]


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_training(texts, tmp_path, monkeypatch, caplog):
    of = asked("crf", texts)
    plain = written(of, Run(), tmp_path / "plain")
    times = count()

    def full(path: str, *arguments: object) -> None:
        if next(times) in (1, 2, 4):
            raise DataError("no space left on device", path)
        write_archive(path, *arguments)

    monkeypatch.setattr(checkpoint, "write_archive", full)
    kept = Checkpoint(str(tmp_path / "so-far"), 3)
    assert written(of, Run(checkpoint=kept), tmp_path / "with") == plain
    assert [record.message for record in caplog.records] == 2 * [
        f"{kept.path}: no space left on device: the training goes on without its checkpoint, and tries again"
    ]
    assert str(kept.failed) == f"{kept.path}: no space left on device"
    assert next(times) == 5
    assert Checkpoint(kept.path, 3).begin(kept._of) == f"going on from {kept.path}: iteration 12 of climb 1"


def test_the_command_says_that_there_was_no_checkpoint(tmp_path, monkeypatch):
    path = tmp_path / "so-far"

    def full(*arguments: object) -> None:
        raise DataError("no space left on device", str(path))

    monkeypatch.setattr(checkpoint, "write_archive", full)
    run = CliRunner().invoke(command, [*files(tmp_path), "--model", str(tmp_path / "m"), "--checkpoint", str(path)])
    assert run.exit_code == 0, run.output
    assert (tmp_path / "m").exists()
    end = f"{path}: no space left on device: the model is whole, but there was no checkpoint at the end"
    assert run.output.splitlines()[-1] == end


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda of: replace(of, seed=2), "seed was 1 there, and is 2 here"),
        (lambda of: replace(of, parameters=replace(of.parameters, l2=2.0)), "parameters l2 was 0.1 there, and is 2.0"),
        (lambda of: replace(of, method="partial"), 'method was "crf" there, and is "partial" here'),
        (lambda of: replace(of, inputs=replace(of.inputs, labelled=made_ads(13, 1))), "data train sentences was 12"),
        (lambda of: replace(of, inputs=replace(of.inputs, labelled=made_ads(12, 9))), "data train tokens was"),
        (
            lambda of: replace(of, inputs=replace(of.inputs, template=ads_template("minimum_count: 2\n"))),
            "minimum_count",
        ),
        (lambda of: replace(of, inputs=replace(of.inputs, development=made_ads(3, 3))), "data dev was not given there"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused_by_name(change, named, texts, tmp_path):
    kept = Checkpoint(str(tmp_path / "so-far"), 5)
    of = asked("crf", texts)
    trained(of, Run(checkpoint=kept))
    before = (tmp_path / "so-far").read_bytes()
    with pytest.raises(ConfigError, match=f"so-far: is of another training: .*{named}"):
        trained(change(of), Run(checkpoint=kept))
    assert (tmp_path / "so-far").read_bytes() == before


def test_words_and_labels_of_texts_without_a_file_count(texts, tmp_path):
    kept = Checkpoint(str(tmp_path / "so-far"), 5)
    one, other = (Inputs(ads_template(), corpus([[("a", "X"), (word, "Y")]])) for word in "bc")
    trained(task(one), Run(checkpoint=kept))
    with pytest.raises(ConfigError, match="texts train was"):
        trained(task(other), Run(checkpoint=kept))


def test_files_that_are_no_checkpoints_are_refused(texts, tmp_path):
    of, path = asked("crf", texts), tmp_path / "so-far"
    for content, message in (
        (b"PK\x03\x04 nothing", "damaged"),
        (b"text", "is no model"),
        (None, "not a checkpoint"),
    ):
        if content is None:
            path.unlink()
            save(trained(of, Run()), str(path))
        else:
            path.write_bytes(content)
        with pytest.raises(ModelError, match=message):
            trained(of, Run(checkpoint=Checkpoint(str(path), 5)))
    trained(of, Run(checkpoint=Checkpoint(str(tmp_path / "whole"), 5)))
    data = bytearray((tmp_path / "whole").read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(ModelError, match="damaged"):
        trained(of, Run(checkpoint=Checkpoint(str(path), 5)))


def test_what_cannot_be_kept_is_said(texts, tmp_path):
    labelled, raw, _ = texts
    kept = Run(checkpoint=Checkpoint(str(tmp_path / "so-far"), 5))
    with pytest.raises(ConfigError, match="hmm counts"):
        trained(task(Inputs(ads_template(), labelled), "hmm"), kept)
    objectives = [{"likelihood": {}}, {"posterior": {"expectations": WORDS}}]
    with pytest.raises(ConfigError, match="posterior goes on from its last evaluation"):
        trained(task(Inputs(ads_template(), labelled, raw), "composed", {"objectives": objectives}), kept)


def files(folder: Path) -> list[str]:
    (folder / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..1], 'suffix(word[0], 1..3)']\n")
    text = made_ads(60, 4)
    with (folder / "train.txt").open("w") as file:
        for sentence in range(text.sentences):
            pairs = zip(text.words("word", sentence), text.words("label", sentence), strict=True)
            file.write("".join(f"{word} {label}\n" for word, label in pairs) + "\n")
    return ["--template", str(folder / "t.yaml"), "--train", str(folder / "train.txt"), "--set", "tolerance=1e-9"]


@posix
def test_a_process_that_is_killed_goes_on(tmp_path):
    said = [*files(tmp_path), "--threads", "1"]
    assert CliRunner().invoke(command, [*said, "--model", str(tmp_path / "whole")]).exit_code == 0
    kept = tmp_path / "so-far"
    said += ["--model", str(tmp_path / "m"), "--checkpoint", str(kept), "--checkpoint-every", "1"]
    process = subprocess.Popen([sys.executable, "-m", "sstag", "train", *said])
    while process.poll() is None and not kept.exists():
        pass
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert kept.exists()
    run = CliRunner().invoke(command, said)
    assert run.exit_code == 0, run.output
    assert f"going on from {kept}: iteration " in run.output
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not kept.exists()
    assert not [one for one in os.listdir(tmp_path) if "so-far" in one and not one.startswith(".so-far")]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--checkpoint-every", "3"], "--checkpoint-every needs --checkpoint"),
        (["--checkpoint", "c", "--tune", "l2=1,2"], "--checkpoint is of one training"),
        (["--checkpoint", "m"], "is the name of two outputs"),
    ],
)
def test_options_that_do_not_go_together_are_said(more, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(command, [*files(tmp_path), "--model", "m", *more])
    assert run.exit_code in (1, 2)
    assert message in (run.output + str(run.exception))


def test_python_has_checkpoints(tmp_path):
    files(tmp_path)
    given = str(tmp_path / "t.yaml"), str(tmp_path / "train.txt")
    kept = tmp_path / "so-far"

    def kill(progress: Progress) -> None:
        if progress.iteration == 5:
            raise Killed

    with pytest.raises(Killed):
        train(*given, checkpoint=kept, checkpoint_every=2, tell=kill)
    assert kept.exists()
    told: list[Progress] = []
    found = train(*given, checkpoint=kept, checkpoint_every=2, tell=told.append)
    assert told[0].iteration == 5
    assert found.theta.tobytes() == train(*given).theta.tobytes()
    assert not kept.exists()
