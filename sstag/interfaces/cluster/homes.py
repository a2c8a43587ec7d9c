"""Which worker has which volumes: neighbours together, and as few moved as can be when workers come and go."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise

from sstag.foundation.shelves import subtrees

FINE = 8  # pieces of a worker's part, of which a whole number goes to each


class Homes:
    """The worker of each of some volumes, which are known by their numbers."""

    def __init__(self, count: int, even: bool = True) -> None:
        self._home = [""] * count
        self._even = even  # whether all but the last are about as large

    def usual(self, numbers: range) -> bool:
        """Whether the time that some volumes take tells how long others take."""
        return self._even and numbers.stop < len(self._home)

    def settle(self, slots: Mapping[str, int]) -> None:
        """Gives every volume a worker among those that are there, each of which does some tasks at a time."""
        count, total = len(self._home), sum(slots.values())
        if not any(one in slots for one in self._home):
            shares = [slots[worker] for worker in slots]
            bounds = [_aligned(count, sum(shares[:place]), total) for place in range(len(shares) + 1)]
            for worker, (begin, end) in zip(slots, pairwise(bounds), strict=True):
                self._home[begin:end] = [worker] * (end - begin)
            return
        have = Counter(self._home)
        room = {worker: -(-count * slots[worker] // total) - have[worker] for worker in slots}
        without = [number for number, worker in enumerate(self._home) if worker not in slots]
        if any(not have[worker] for worker in slots):
            for worker in slots:
                own = [number for number, home in enumerate(self._home) if home == worker]
                without += own[len(own) + min(room[worker], 0) :]
                room[worker] = max(room[worker], 0)
        for number in sorted(without):
            before = self._home[number - 1] if number else ""
            worker = before if room.get(before, 0) > 0 else max(slots, key=room.__getitem__)
            self._home[number] = worker
            room[worker] -= 1

    def parts(self, slots: Mapping[str, int]) -> Iterator[tuple[str, range]]:
        """The whole subtrees that workers have, in order; a worker that does several tasks at a time has as many."""
        for worker, some in groupby(range(len(self._home)), self._home.__getitem__):
            numbers = [*some]
            bounds = [numbers[0] + len(numbers) * place // slots[worker] for place in range(slots[worker] + 1)]
            for begin, end in pairwise(bounds):
                for part in subtrees(begin, end):
                    yield worker, part

    def __len__(self) -> int:
        return len(self._home)

    def __iter__(self) -> Iterator[str]:
        return iter(self._home)


def _aligned(count: int, part: int, total: int) -> int:
    """Where a part of the volumes ends: at a subtree that is small beside what a worker has."""
    if part == total:
        return count
    size = 1 << max(count // (FINE * total), 1).bit_length() - 1
    return min(round(count * part / total / size) * size, count)
