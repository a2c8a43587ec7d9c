"""Vectors that workers make of words in their sentences are those of one machine, to the byte."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from sstag.foundation.errors import DataError
from sstag.interfaces.cli.encode import command
from sstag.interfaces.cluster import encoding
from tests.encoder_models import model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SSTAG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(encoding, "PART", 60)
    model(tmp_path / "mini")
    (tmp_path / "a.txt").write_text("a O\nbad O\n\ncafe O\n\na O\nbad O\n\n\n\n" * 20 + "bad O\n\n")
    (tmp_path / "b.txt").write_text("# columns = word label\n\nbad O\nbad O\n\na O\nbad O\n\n" * 3)
    return tmp_path


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_any_number_of_workers_makes_the_same_file(count, folder, tmp_path):
    from distributed import LocalCluster

    said = [str(folder / "a.txt"), str(folder / "b.txt"), "--encoder", str(folder / "mini"), "--case", "lower"]
    with LocalCluster(
        n_workers=count, threads_per_worker=1, dashboard_address=None, processes=False, protocol="tcp"
    ) as some:
        ways = {"many": ["--scheduler", some.scheduler_address], "one": []}
        runs = [CliRunner().invoke(command, [*said, "-o", str(tmp_path / name), *way]) for name, way in ways.items()]
    assert [run.exit_code for run in runs] == [0, 0], runs[0].output
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()
    assert [line for line in runs[0].stderr.splitlines() if "many" not in line] == runs[1].stderr.splitlines()[:2]
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_a_file_without_a_sentence_is_told(local, folder, tmp_path):
    (folder / "empty.txt").write_text("\n\n")
    said = [
        str(folder / "a.txt"),
        str(folder / "empty.txt"),
        "--encoder",
        str(folder / "mini"),
        "-o",
        str(tmp_path / "v"),
    ]
    run = CliRunner().invoke(command, [*said, "--scheduler", local.scheduler_address])
    assert isinstance(run.exception, DataError)
    assert str(run.exception).endswith("empty.txt: no sentence in it")
    assert not (tmp_path / "v").exists()


def test_rows_of_others_are_not_shared(folder):
    run = CliRunner().invoke(command, [str(folder / "a.txt"), "--encoder", str(folder / "mini"), "--workers", "2"])
    assert run.exit_code == 2
    assert "with a cluster say FILE, --encoder and --output" in run.output
