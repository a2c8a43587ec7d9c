"""The contract of a program that runs encoders: the pieces of a word, and the states of pieces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sstag.foundation.arrays import Longs, Singles

Changed = Mapping[str, Singles]  # weights in place of those in the files, by their names there


@dataclass(frozen=True)
class Files:
    """The files of an encoder: weights, and what says how words become pieces and how the weights are used."""

    weights: str
    others: tuple[str, ...]  # configuration and tokenizer, and further files of the weights

    @property
    def all(self) -> tuple[str, ...]:
        return (self.weights, *self.others)

    def named(self, name: str) -> str | None:
        """The path of a file by its name, if it is there."""
        return next((path for path in self.others if path.replace("\\", "/").rpartition("/")[2] == name), None)


class Backend(Protocol):
    """An encoder that has been loaded."""

    @property
    def width(self) -> int:
        """The numbers of a vector."""

    @property
    def longest(self) -> int:
        """The pieces of a window, those at its ends included."""

    @property
    def ends(self) -> tuple[Sequence[int], Sequence[int]]:
        """The pieces before and after those of the words."""

    @property
    def has_threads(self) -> bool:
        """Whether a product is shared among threads already, so that windows are computed one batch at a time."""

    def pieces(self, word: str) -> list[int]:
        """The pieces of a word, at least one."""

    def states(self, pieces: Longs) -> Singles:
        """The vector of each piece: the mean of the layers that were asked for. (B, P) → (B, P, width)"""


class MakesBackend(Protocol):
    """Loads an encoder from its files; `layers` are the numbers of those to read, 0 before the first one."""

    def __call__(self, files: Files, layers: Sequence[int] | None, changed: Changed, /) -> Backend: ...


class Blocks(Protocol):
    """The last blocks of an encoder, whose weights can change; windows stand one below the other."""

    @property
    def arrays(self) -> Sequence[Singles]:
        """The weights, which may be changed in place."""

    @property
    def named(self) -> Changed:
        """The weights by the names that files have for them."""

    def below(self, windows: Sequence[Sequence[int]]) -> Singles:
        """The numbers of each piece that the blocks begin with, which stay when their weights change. (N, B)"""

    def up(self, below: Singles, windows: Sequence[Sequence[int]]) -> tuple[Singles, object]:
        """The vector of each piece, as `Backend.states` has it, and what `down` needs. (N, width)"""

    def down(self, way: object, d: Singles) -> Sequence[Singles]:
        """∂/∂ each of `arrays`, where ∂/∂ the vectors is `d`."""


@runtime_checkable
class Learns(Protocol):
    """A back end whose last blocks can change."""

    def blocks(self, count: int) -> Blocks: ...


def middle(layers: int) -> tuple[int, ...]:
    """The middle third of the layers, whose states tell most of a word: 2 to 4 of 6, 4 to 8 of 12."""
    return tuple(range(round(layers / 3), round(2 * layers / 3) + 1))
