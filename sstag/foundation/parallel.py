"""Functions of many items run in threads, with their results in the order of the items.

All parallel work goes through here. Sums stay the same for any number of threads, because the shards that are summed
depend on the data alone.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from sstag.foundation.errors import ConfigError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

NO_THREAD = "the system starts no more threads or processes for you (ulimit -u, or the limit of a container)"
PIECES = 8  # of an array that threads work on together

A = TypeVar("A")
R = TypeVar("R")


class Over(Protocol):
    """A function `over(function, items)` that returns the results in the order of the items."""

    def __call__(self, function: Callable[[A], R], items: Sequence[A], /) -> list[R]: ...


@contextmanager
def shards(threads: int) -> Iterator[Over]:
    """An `over(function, items)` that runs in this number of threads."""
    if threads < 1:
        raise ConfigError(f"at least one thread is needed, not {threads}")
    if threads == 1:
        yield one_by_one
        return
    with _pool(threads) as pool:

        def together(function: Callable[[A], R], items: Sequence[A], /) -> list[R]:
            return list(pool.map(function, items)) if len(items) > 1 else one_by_one(function, items)

        yield together


class Through(Protocol):
    """A function `through(function, items)` that yields the results in the order of the items."""

    def __call__(self, function: Callable[[A], R], items: Iterable[A], /) -> Iterator[R]: ...


@contextmanager
def ahead(threads: int) -> Iterator[Through]:
    """A `through(function, items)` that works on the next items while the caller makes items and uses results.

    An item that cannot be made is an error after the results of those before it. One thread does nothing ahead, and one
    item alone needs no thread: to start some takes as long as to label a sentence.
    """
    if threads == 1:
        yield map
        return
    with ExitStack() as stack:

        def through(function: Callable[[A], R], items: Iterable[A], /) -> Iterator[R]:
            waiting: deque[Future[R]] = deque()
            held: list[A] = []  # the first item, until there is another
            coming, fault, pool = iter(items), None, None
            while fault is None:
                try:
                    held.append(next(coming))
                    if pool is None and len(held) == 1:
                        continue
                    pool = pool or stack.enter_context(_pool(threads))
                    waiting.extend(pool.submit(function, item) for item in held)
                    held.clear()
                except Exception as error:  # StopIteration, too: the results that are still to come go first
                    fault = error
                while waiting and (fault or len(waiting) > threads):
                    yield waiting.popleft().result()
            yield from map(function, held)
            if not isinstance(fault, StopIteration):
                raise fault

        yield through


def _pool(threads: int) -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor

    class Pool(ThreadPoolExecutor):
        """Threads of a pool, each started when there is work for it."""

        def _adjust_thread_count(self) -> None:
            try:
                super()._adjust_thread_count()
            except RuntimeError as error:
                if is_want_of_threads(error):
                    raise ConfigError(f"{NO_THREAD}; --threads 1 needs no more of them") from error
                raise

    return Pool(threads, thread_name_prefix="sstag")


def is_want_of_threads(error: RuntimeError) -> bool:
    """Whether an error of Python says that the system starts no more threads."""
    return "can't start new thread" in str(error)


def one_by_one(function: Callable[[A], R], items: Sequence[A], /) -> list[R]:
    """The results of a function of each item, computed in the thread that calls this: an `over` without threads."""
    return [function(item) for item in items]


def even_slices(count: int) -> list[slice]:
    """Slices of nearly one size that cut an array of this length into PIECES, or fewer."""
    bounds = [count * piece // PIECES for piece in range(PIECES + 1)]
    return [slice(begin, end) for begin, end in pairwise(bounds) if begin < end]


def even_shards(sizes: Sequence[int], count: int) -> list[range]:
    """The indices of `sizes`, cut into at most `count` runs of about the same total."""
    total = sum(sizes)
    result: list[range] = []
    begin, done = 0, 0
    for index, size in enumerate(sizes):
        done += size
        if done * count >= total * (len(result) + 1) or index == len(sizes) - 1:
            result.append(range(begin, index + 1))
            begin = index + 1
    return result
