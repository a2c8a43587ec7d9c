"""Counts of what many inputs came to, in memory that a process shares with its children."""

import json
import mmap
import struct
from collections.abc import Sequence
from pathlib import Path

from tests.attack.inputs import FILES, KINDS

NUMBERS = struct.Struct("<3Qd")  # of a kind: inputs, ended well, ended in a message; the longest, in seconds
HEAD = struct.Struct("<Q")


class Tally:
    """The number of the next input, and counts by kinds."""

    def __init__(self) -> None:
        self.kinds: Sequence[str] = [*(f"{name}, door" for name in dict.fromkeys(FILES)), *(name for name, _ in KINDS)]
        self._memory = mmap.mmap(-1, HEAD.size + NUMBERS.size * len(self.kinds))

    @property
    def next(self) -> int:
        number: int = HEAD.unpack_from(self._memory)[0]
        return number

    @next.setter
    def next(self, number: int) -> None:
        HEAD.pack_into(self._memory, 0, number)

    def _of(self, kind: str) -> tuple[int, tuple[int, int, int, float]]:
        at = HEAD.size + NUMBERS.size * self.kinds.index(kind)
        inputs, well, told, longest = NUMBERS.unpack_from(self._memory, at)
        return at, (inputs, well, told, longest)

    def add(self, kind: str, code: int, seconds: float) -> None:
        """Counts an input."""
        at, (inputs, well, told, longest) = self._of(kind)
        NUMBERS.pack_into(self._memory, at, inputs + 1, well + (not code), told + bool(code), max(longest, seconds))

    def table(self, failures: dict[str, int]) -> str:
        """The counts as a table."""
        rows = [f"{'kind':<20}{'inputs':>10}{'done':>10}{'refused':>10}{'failures':>10}{'longest, s':>12}"]
        sums = [0, 0, 0, 0]
        for kind in self.kinds:
            _, (inputs, well, told, longest) = self._of(kind)
            failed = failures.get(kind, 0)
            rows.append(f"{kind:<20}{inputs:>10,}{well:>10,}{told:>10,}{failed:>10,}{longest:>12.2f}")
            sums = [old + new for old, new in zip(sums, (inputs, well, told, failed), strict=True)]
        return "\n".join([*rows, f"{'all':<20}" + "".join(f"{one:>10,}" for one in sums)])

    def save(self, path: Path) -> None:
        """Writes the counts."""
        path.write_text(json.dumps({"next": self.next, "kinds": {kind: self._of(kind)[1] for kind in self.kinds}}))

    def load(self, path: Path) -> None:
        """Takes what `save` wrote."""
        found = json.loads(path.read_text())
        self.next = found["next"]
        for kind, numbers in found["kinds"].items():
            NUMBERS.pack_into(self._memory, self._of(kind)[0], *numbers)
