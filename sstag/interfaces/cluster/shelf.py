"""A shelf on a cluster: a volume has its home with a worker, which looks at it, and adds up what its neighbours give.

Dask's scheduler and transport do all of it. The volumes of a lost worker are made again by others, from the file on,
and those of a late one as well. Whatever is common to all volumes, such as θ, goes from worker to worker; what comes
back is a sum.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from sstag.foundation.errors import counted
from sstag.foundation.shelves import Asked, Shelf, sum_of_subtrees
from sstag.interfaces.cluster import at_worker
from sstag.interfaces.cluster.common import Cluster, Sent
from sstag.interfaces.cluster.dispatch import Job, Jobs, waited
from sstag.interfaces.cluster.homes import Homes

if TYPE_CHECKING:
    from distributed import Future

T = TypeVar("T")
R = TypeVar("R")


class _Level:
    """How the things of a shelf are made of those of the one before, and where that was done."""

    def __init__(self, cluster: Cluster, function: Callable[..., object], common: Sequence[object]) -> None:
        self._cluster, self._function = cluster, function
        self._common = [cluster.common(one) for one in common]
        self._made: dict[str, Future] = {}

    def at(self, worker: str) -> tuple[object, ...]:
        """The level as tasks of a worker are given it (`at_worker.Level`)."""
        if worker not in self._made or self._made[worker].status in ("cancelled", "lost"):
            self._made[worker] = self._cluster.submit(worker, at_worker.Made)
        return self._made[worker], self._function, _at(worker, self._common)


class OnCluster(Generic[T]):
    """A shelf whose things are with the workers of a cluster."""

    def __init__(self, cluster: Cluster, homes: Homes, levels: Sequence[_Level]) -> None:
        self.cluster, self._homes, self._levels = cluster, homes, levels
        cluster.steadily(lambda: self._jobs("make", self._single(), at_worker.make).futures())

    @property
    def where(self) -> str:
        return f"{counted(len(self), 'volume')} with {counted(len(self.cluster.slots()), 'worker')}"

    def __len__(self) -> int:
        return len(self._homes)

    def given(self, thing: object) -> object:
        return self.cluster.common(thing)

    def each(self, function: Callable[..., R], *common: object) -> list[R]:
        of = [self.cluster.common(one) for one in common]
        name = function.__qualname__
        return self.cluster.steadily(
            lambda: self.cluster.gathered(self._jobs(name, self._single(), at_worker.summed, function, of).futures())
        )

    def made(self, function: Callable[..., R], *common: object) -> Shelf[R]:
        return OnCluster(self.cluster, self._homes, [*self._levels, _Level(self.cluster, function, common)])

    def summed(self, function: Callable[..., R], *common: object) -> R:
        of = [self.cluster.common(one) for one in common]

        def attempt() -> R:
            parts = self._parts()
            jobs = self._jobs(function.__qualname__, parts, at_worker.summed, function, of)
            result: R = self._come(jobs, [self._tree(parts, jobs.futures())])[0]
            return result

        return self.cluster.steadily(attempt)

    def sums(self, asked: Sequence[Asked[R]]) -> list[R]:
        found: list[R] = []
        rest = iter(asked)
        while some := [*islice(rest, sum(self.cluster.slots().values()))]:
            found += self.cluster.steadily(partial(self._some_sums, some))
        return found

    def _some_sums(self, asked: Sequence[Asked[R]]) -> list[R]:
        parts = self._parts()
        every = [self._jobs("sums", parts, at_worker.summed, function, ()) for function, _ in asked]
        roots = [
            self.cluster.client.submit(end, self._tree(parts, jobs.futures()), pure=False)
            for jobs, (_, end) in zip(every, asked, strict=True)
        ]
        return self._come(every[-1], roots)

    def _single(self) -> list[tuple[str, range]]:
        """Every volume alone, and the worker that has it."""
        self._homes.settle(self.cluster.steady_slots())
        return [(worker, range(number, number + 1)) for number, worker in enumerate(self._homes)]

    def _parts(self) -> list[tuple[str, range]]:
        slots = self.cluster.steady_slots()
        self._homes.settle(slots)
        return [*self._homes.parts(slots)]

    def _jobs(
        self,
        kind: str,
        parts: Sequence[tuple[str, range]],
        task: Callable[..., object],
        function: Callable[..., object] | None = None,
        common: Sequence[object] = (),
    ) -> Jobs:
        """A task for each part; of a function and what it is given, if there is one."""

        def job(worker: str, numbers: range) -> Job:
            def begin(at: str) -> "Future":
                asked = (function, _at(at, common)) if function else ()
                return self.cluster.submit(at, task, numbers, [level.at(at) for level in self._levels], *asked)

            return Job(worker, len(numbers), self._homes.usual(numbers), begin)

        return Jobs(self.cluster, kind, [job(*part) for part in parts])

    def _tree(self, parts: Sequence[tuple[str, range]], sums: "Sequence[Future]") -> "Future":
        """The root of the tree above some subtrees."""

        def plus(one: "Future", other: "Future") -> "Future":
            return self.cluster.client.submit(at_worker.plus, one, other, pure=False)

        return sum_of_subtrees(zip((len(numbers) for _, numbers in parts), sums, strict=True), plus)

    def _come(self, jobs: Jobs, roots: "Sequence[Future]") -> list[R]:
        """The sums of jobs that are done, when they are there."""
        while not waited(self.cluster, roots):
            jobs.check_alive()
            jobs.check_heard()
        return self.cluster.gathered(roots)


def first_shelf(cluster: Cluster, homes: Homes, function: Callable[..., R], *common: object) -> OnCluster[R]:
    """A shelf with what a function makes of each number."""
    return OnCluster(cluster, homes, [_Level(cluster, function, common)])


def _at(worker: str, common: Sequence[object]) -> list[object]:
    return [one.at(worker) if isinstance(one, Sent) else one for one in common]
