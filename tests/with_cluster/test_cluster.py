"""A cluster gives the bytes of one process: with any number of workers, of which some are slow, killed, or replaced."""

import time

import numpy as np
import pytest
from click.testing import CliRunner
from distributed import Client, LocalCluster
from numpy.testing import assert_array_equal

import sstag
from sstag.corpus import volumes
from sstag.corpus.reading import read_files
from sstag.corpus.volumes import whole
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import Over, one_by_one
from sstag.interfaces.cli.train import command
from sstag.interfaces.cluster import joining
from sstag.interfaces.cluster.at_worker import Parcel
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.joining import checked, joined
from sstag.interfaces.cluster.reading import read_by_workers
from sstag.interfaces.cluster.wanted import Joining
from sstag.training.criterion import Criterion
from sstag.training.inputs import Progress, Run
from sstag.training.run import trained
from tests.test_volumes import CASES, written
from tests.training import made_ads
from tests.with_cluster.texts import HOW, SMALL, same, task_of

pytestmark = pytest.mark.usefixtures("small_volumes")


def itself(thing: object, over: Over) -> object:
    return thing


@pytest.mark.parametrize("method", CASES)
def test_two_workers_give_the_bytes_of_one_process(method, cluster, paths):
    assert same(trained(task_of(paths, method, cluster), Run()), trained(task_of(paths, method), Run()))


@pytest.mark.parametrize("count", [1, 3, 7, 12])
def test_any_number_of_workers_gives_the_same_bytes(count, paths):
    expected = trained(task_of(paths, "composed"), Run())
    with (
        LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None, processes=False) as some,
        Client(some) as client,
    ):
        task = task_of(paths, "composed", Cluster(client))
        assert (len(task.inputs.large.volumes) < count) == (count == 12)
        assert same(trained(task, Run()), expected)


def test_weights_go_to_the_workers_once_where_objectives_look_twice(cluster, paths, monkeypatch):
    sent: list[object] = []  # arrays, of which θ is one
    of_passes = []

    def scattered(self: Cluster, thing: Parcel, worker: str) -> object:
        if isinstance(thing.thing, np.ndarray):
            sent.append(thing)
        return scatter(self, thing, worker)

    def seen(self: Criterion, *given: object) -> object:
        before = len(sent)
        found = see(self, *given)
        of_passes.append(len(sent) - before)
        return found

    scatter, see = Cluster.scattered, Criterion._with_volumes
    monkeypatch.setattr(Cluster, "scattered", scattered)
    monkeypatch.setattr(Criterion, "_with_volumes", seen)
    trained(task_of(paths, "expectation", cluster), Run())
    assert len(of_passes) > 6
    assert {*of_passes} == {1}


def test_workers_read_what_the_files_say(cluster, paths):
    found = read_by_workers(cluster, paths, HOW.raw_layout, HOW.label, lambda text: None)
    every = read_files(paths, HOW.raw_layout, HOW.label)
    expected = volumes.in_volumes(every, one_by_one, SMALL)
    assert (found.tokens, found.sentences, found.head.digest) == (every.tokens, every.sentences, every.digest)
    assert found.head.values == every.values
    for one, other in zip(found.volumes.each(itself), expected.volumes, strict=True):
        assert one.first == other.first
        mine, wanted = whole(one, found.head), whole(other, expected.head)
        assert_array_equal(mine.codes[0], wanted.codes[0])
        assert_array_equal(mine.offsets, wanted.offsets)
        assert [mine.place(token) for token in (0, -1)] == [wanted.place(token) for token in (0, -1)]


def test_two_trainings_at_once_do_not_meet(cluster, paths):
    first, second = (task_of(paths, method, cluster) for method in ("entropy", "label-regularization"))
    done = []

    def other(progress: Progress) -> None:
        if progress.iteration == 2:
            done.append(trained(second, Run()))

    assert same(trained(first, Run(tell=other)), trained(task_of(paths, "entropy"), Run()))
    assert same(done[0], trained(task_of(paths, "label-regularization"), Run()))


def test_versions_that_differ_are_refused_by_name(cluster, monkeypatch):
    versions = {**joining.versions(), "numpy": "0.1"}
    monkeypatch.setattr(cluster.client, "run", lambda function: {"tcp://there:1": versions})
    with pytest.raises(ConfigError, match=r"worker tcp://there:1 has numpy 0\.1, and here is "):
        checked(cluster.client)


def test_faults_of_files_have_their_place(cluster, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("a\tb\tc\td\te\n\nf\n")
    with pytest.raises(DataError, match=r"bad\.txt:1"):
        read_by_workers(cluster, [str(path)], HOW.raw_layout, HOW.label, lambda text: None)
    path.write_text("")
    with pytest.raises(DataError, match="no sentence in it"):
        read_by_workers(cluster, [str(path)], HOW.raw_layout, HOW.label, lambda text: None)
    with pytest.raises(DataError, match="no such file"):
        read_by_workers(cluster, [str(tmp_path / "none")], HOW.raw_layout, HOW.label, lambda text: None)


def test_a_text_of_one_volume_is_read_here(cluster, paths, monkeypatch):
    monkeypatch.setattr(volumes, "VOLUME", 10**6)
    found = read_by_workers(cluster, paths, HOW.raw_layout, HOW.label, lambda text: None)
    assert found.tokens == read_files(paths, HOW.raw_layout, HOW.label).tokens
    assert not hasattr(found, "volumes")


def test_a_scheduler_that_is_not_there_is_said():
    began = time.monotonic()
    with (
        pytest.raises(ConfigError, match=r"tcp://127\.0\.0\.1:18799: no scheduler answers there"),
        joined(Joining(scheduler="tcp://127.0.0.1:18799", timeout=1)),
    ):
        pass
    assert time.monotonic() - began < 60


def test_workers_that_do_not_come_are_said(local):
    with (
        pytest.raises(ConfigError, match="2 workers after 1 seconds, and not 5"),
        joined(Joining(scheduler=local.scheduler_address, wait_workers=5, timeout=1)),
    ):
        pass


def test_the_command_and_python_take_a_cluster(local, paths, tmp_path):
    (tmp_path / "t.yaml").write_text("columns: [word, label]\nfeatures: [word[-1..1], 'suffix(word[0], 2)']\n")
    written(tmp_path / "train.txt", made_ads(6, 1), True)
    given = str(tmp_path / "t.yaml"), str(tmp_path / "train.txt")
    raw = [word for path in paths for word in ("--unlabeled", path)]
    said = ["--template", given[0], "--train", given[1], *raw, "--method", "entropy", "--set", "max_iterations=4"]
    for more, name in (([], "alone"), (["--scheduler", local.scheduler_address], "shared")):
        run = CliRunner().invoke(command, [*said, "--model", str(tmp_path / name), *more])
        assert run.exit_code == 0, run.output
        assert ("volumes with 2 workers" in run.output) == bool(more)
    assert (tmp_path / "alone").read_bytes() == (tmp_path / "shared").read_bytes()
    with Client(local) as client:
        found = sstag.train(*given, unlabeled=paths, method="entropy", max_iterations=4, client=client)
    assert found.theta.tobytes() == sstag.load(str(tmp_path / "alone")).theta.tobytes()
