"""Densities that workers count, and how probable sentences are: the bytes of one machine."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from distributed import LocalCluster

from sstag.foundation.errors import DataError
from sstag.interfaces.cli.density import command
from sstag.interfaces.cluster import density
from tests.test_volumes import written
from tests.training import made_ads


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(density, "PART", 1500)
    written(tmp_path / "a.txt", made_ads(30, 1), True)
    written(tmp_path / "b.txt.gz", made_ads(5, 2), True)
    (tmp_path / "a.txt").write_bytes(b"\n\n" * 2000 + (tmp_path / "a.txt").read_bytes())
    return tmp_path


def run(*said: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in said])


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_any_number_of_workers_writes_the_same_bytes(count, folder):
    texts = "--text", folder / "a.txt", "--text", folder / "b.txt.gz"
    with LocalCluster(
        n_workers=count, threads_per_worker=1, dashboard_address=None, processes=False, protocol="tcp"
    ) as some:
        for name, more in {"one": (), "many": ("--scheduler", some.scheduler_address)}.items():
            made = run(folder / "a.txt", *texts, "--save", folder / f"{name}.density", "-o", folder / name, *more)
            assert made.exit_code == 0, made.output
    assert (folder / "one").read_bytes() == (folder / "many").read_bytes()
    assert (folder / "one.density").read_bytes() == (folder / "many.density").read_bytes()
    assert len((folder / "one").read_text().splitlines()) == 31
    assert not [name for name in os.listdir(folder) if name.startswith(".")]


@pytest.mark.parametrize(
    "said", [("--kind", "empirical"), ("--order", "1", "--smoothing", "0"), ("--of", "label,word", "--order", "2")]
)
def test_whatever_is_counted_is_the_same(local, folder, said):
    for name, more in {"one": (), "two": ("--scheduler", local.scheduler_address)}.items():
        assert run("--text", folder / "a.txt", "--save", folder / name, *said, *more).exit_code == 0
        loaded = run("--load", folder / name, folder / "b.txt.gz", "-o", folder / f"{name}.table", *more)
        assert loaded.exit_code == 0, loaded.output
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    assert (folder / "one.table").read_bytes() == (folder / "two.table").read_bytes()


def test_a_text_without_a_sentence_is_told(local, folder):
    (folder / "empty.txt").write_text("\n\n")
    told = run("--text", folder / "a.txt", "--text", folder / "empty.txt", "--save", folder / "x",
               "--scheduler", local.scheduler_address)  # fmt: skip
    assert isinstance(told.exception, DataError)
    assert str(told.exception).endswith("empty.txt: no sentence in it")


def test_output_goes_to_a_file(folder):
    told = run(folder / "a.txt", "--workers", "2")
    assert told.exit_code == 2
    assert "with a cluster say FILE and --output" in told.output
