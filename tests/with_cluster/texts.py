"""A text in small volumes, whichever way it is read, and trainings on it."""

from dataclasses import replace
from pathlib import Path

from sstag.corpus import volumes
from sstag.corpus.corpus import Corpus
from sstag.corpus.reading import read_files
from sstag.interfaces.cluster.common import Cluster
from sstag.interfaces.cluster.reading import read_by_workers
from sstag.model.model import Model
from sstag.training.inputs import Inputs
from sstag.training.run import Task
from tests.test_volumes import CASES, written
from tests.training import ads_template, made_ads, task

SMALL = 100  # tokens of a volume
HOW = ads_template()


def files(folder: Path) -> list[str]:
    """Two files of raw text, one of them compressed."""
    return [written(folder / "a.txt", made_ads(12, 2), False), written(folder / "b.txt.gz", made_ads(5, 3), False)]


def task_of(paths: list[str], method: str, cluster: Cluster | None = None) -> Task:
    """A training on raw text in memory, or with the workers of a cluster."""
    assert volumes.VOLUME == SMALL
    given = {"max_iterations": 6, **CASES[method]}
    raw: Corpus | None = None if cluster else read_files(paths, HOW.raw_layout, HOW.label)
    made = task(Inputs(HOW, made_ads(6, 1), raw), method, given)
    if cluster is None:
        return made
    large = read_by_workers(cluster, paths, HOW.raw_layout, HOW.label, lambda text: None)
    return replace(made, inputs=replace(made.inputs, large=large))


def same(one: Model, other: Model) -> bool:
    return one.theta.tobytes() == other.theta.tobytes() and one.about == other.about
