"""Functions of many items in threads: results, and errors, in the order of the items."""

import threading
from collections.abc import Iterator

import pytest

from sstag.foundation.parallel import ahead

THREADS = [1, 2, 5]


def until(end: int) -> Iterator[int]:
    """Numbers, and then an item that cannot be made."""
    yield from range(end)
    raise ValueError("no item")


@pytest.mark.parametrize("threads", THREADS)
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    with ahead(threads) as through:
        assert [*through(lambda x: x * x, iter(range(20)))] == [x * x for x in range(20)]
        assert [*through(str, [])] == []


@pytest.mark.parametrize("threads", THREADS)
def test_an_item_that_cannot_be_made_is_an_error_after_the_results_before_it(threads: int) -> None:
    found: list[str] = []
    with ahead(threads) as through, pytest.raises(ValueError, match="no item"):
        found.extend(through(str, until(7)))
    assert found == ["0", "1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("threads", THREADS)
def test_an_error_of_the_function_is_the_first_in_order(threads: int) -> None:
    found: list[int] = []
    with ahead(threads) as through, pytest.raises(ZeroDivisionError):
        found.extend(through(lambda x: 6 // (3 - x), until(9)))
    assert found == [2, 3, 6]


def test_items_are_worked_on_while_the_caller_makes_the_next() -> None:
    started = threading.Event()

    def items() -> Iterator[int]:
        yield from (0, 1)
        assert started.wait(10)  # the first item is in work although the third has not been made
        yield 2

    def work(item: int) -> int:
        started.set()
        return item

    with ahead(2) as through:
        assert [*through(work, items())] == [0, 1, 2]


def test_one_item_alone_starts_no_thread() -> None:
    with ahead(2) as through:
        assert [*through(lambda _: threading.current_thread(), [1])] == [threading.main_thread()]
        assert threading.main_thread() not in through(lambda _: threading.current_thread(), [1, 2])
