"""The workers of a cluster as the crew of an experiment: they run trials on corpora that they reach."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sstag.experiments.corpora import Corpora
from sstag.experiments.crews import Crew, Outcome, Work, outcome
from sstag.experiments.trials import Row, Trial, described
from sstag.foundation.errors import SstagError
from sstag.interfaces.cluster.common import Cluster, ClusterLost
from sstag.interfaces.cluster.joining import joined
from sstag.interfaces.cluster.wanted import Joining

if TYPE_CHECKING:
    from distributed import Future

TICK = 1.0  # seconds


@contextmanager
def in_cluster(joining: Joining, corpora: Corpora) -> Iterator[Crew]:
    """The workers of a cluster, which is left when the block ends."""
    with joined(joining) as cluster:
        assert cluster
        yield _Workers(cluster, corpora)


class _Workers:
    """Trials are tasks of any worker; one whose worker is lost is run again by another."""

    def __init__(self, cluster: Cluster, corpora: Corpora) -> None:
        self._cluster, self._corpora = cluster, corpora
        self._begun: dict[Future, tuple[str, Work]] = {}

    @property
    def size(self) -> int:
        return max(sum(self._cluster.slots().values()), 1)

    def begin(self, key: str, work: Work) -> None:
        digests = {name: self._corpora.digest(name) for name in work[0].data}
        future = self._cluster.client.submit(_outcome, *work, self._corpora, digests, pure=False)
        self._begun[future] = key, work

    def finished(self) -> list[tuple[str, Outcome]]:
        from distributed import wait

        with self._cluster.client.as_current():
            try:
                wait([*self._begun], timeout=TICK, return_when="FIRST_COMPLETED")
            except TimeoutError:
                return []
        return [self._answer(future) for future in [*self._begun] if future.done()]

    def _answer(self, future: "Future") -> tuple[str, Outcome]:
        key, (trial, _) = self._begun.pop(future)
        if future.status == "error":
            raise SstagError(f"{described(trial)}: it ended its workers, one after another (memory?)")
        if future.status != "finished":
            raise ClusterLost("the cluster does not answer any more; the same command goes on with what is kept")
        found: Outcome = future.result()
        return key, found


def _outcome(trial: Trial, needed: list[list[Row]], corpora: Corpora, digests: Mapping[str, str]) -> Outcome:
    """The outcome of a trial, if the corpora here have the bytes of those that its key names."""
    for name, digest in digests.items():
        if corpora.absent([name]) or corpora.digest(name) != digest:
            return "mistake", f"{name}: a worker does not have the same file", 0.0
    return outcome(trial, needed, corpora)
