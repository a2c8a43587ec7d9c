"""Clusters and vectors of words whose text the workers of a cluster read: the bytes of one process."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sstag.corpus import volumes
from sstag.interfaces.cli import clusters, vectors
from tests.with_cluster.texts import SMALL, files


@pytest.mark.parametrize(
    ("command", "more"),
    [
        (clusters.command, ["--count", "8"]),
        (vectors.command, ["--dimensions", "4", "--lower"]),
        (vectors.command, ["--dimensions", "4", "--together", "--contexts", "20"]),
    ],
)
def test_workers_count_and_the_file_has_the_bytes_of_one_process(command, more, local, tmp_path, monkeypatch):
    paths = files(tmp_path)
    monkeypatch.setattr(volumes, "VOLUME", SMALL)
    for way, name in (([], "alone"), (["--scheduler", local.scheduler_address], "shared")):
        run = CliRunner().invoke(command, [*paths, *more, *way, "-o", str(tmp_path / name)])
        assert run.exit_code == 0, run.output
        assert ("volumes with 2 workers" in run.output) == bool(way)
    assert (tmp_path / "alone").read_bytes() == (tmp_path / "shared").read_bytes()


def test_a_text_of_one_volume_is_counted_here(local, tmp_path):
    (path, _), outputs = files(tmp_path), []
    for way in ([], ["--scheduler", local.scheduler_address]):
        run = CliRunner().invoke(clusters.command, [path, *way, "-o", str(tmp_path / "made")])
        assert run.exit_code == 0, run.output
        outputs.append((run.output, Path(tmp_path / "made").read_bytes()))
    assert outputs[0] == outputs[1]


def test_standard_input_is_refused(local, tmp_path):
    run = CliRunner().invoke(clusters.command, ["-", "--scheduler", local.scheduler_address, "-o", str(tmp_path / "x")])
    assert run.exit_code == 1
    assert "standard input cannot be shared among workers" in str(run.exception or run.output)
