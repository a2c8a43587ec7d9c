"""The last blocks of an encoder in NumPy, whose weights can change."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from sstag.features.encoders.contract import Changed
from sstag.features.encoders.layers import Layer
from sstag.features.encoders.with_numpy import OTHERS, PARTS, NumpyBackend
from sstag.foundation.arrays import Singles


@dataclass(frozen=True)
class NumpyBlocks:
    """The last blocks of an encoder, whose weights can change."""

    encoder: NumpyBackend
    layers: Sequence[Layer]

    @property
    def arrays(self) -> list[Singles]:
        return [array for layer in self.layers for array in layer.arrays]

    @property
    def named(self) -> Changed:
        kind = self.encoder.configuration.kind
        found: dict[str, Singles] = {}
        for number, layer in enumerate(self.layers, start=self._first):
            found |= _named(kind, number, layer)
        return found

    @property
    def _first(self) -> int:
        return len(self.encoder.layers) - len(self.layers)

    def below(self, windows: Sequence[Sequence[int]]) -> Singles:
        own = self.encoder
        embedded = [own.embedded[list(window)] + own.places[: len(window)] for window in windows]
        x = own.norm(np.concatenate(embedded)[None])[0]
        total = x.copy() if 0 in own.read else np.zeros_like(x)
        bounds, biases = self._laid_out(windows)
        for number, layer in enumerate(own.layers[: self._first], start=1):
            x, _ = layer.up(x, bounds, biases)
            if number in own.read:
                total += x
        return np.concatenate([x, total], axis=1)

    def up(self, below: Singles, windows: Sequence[Sequence[int]]) -> tuple[Singles, object]:
        x, total = below[:, : self.encoder.width], below[:, self.encoder.width :].copy()
        bounds, biases = self._laid_out(windows)
        ways = []
        for number, layer in enumerate(self.layers, start=self._first + 1):
            x, way = layer.up(x, bounds, biases)
            ways.append(way)
            if number in self.encoder.read:
                total += x
        total /= np.float32(len(self.encoder.read))
        return total, ways

    def down(self, way: object, d: Singles) -> list[Singles]:
        assert isinstance(way, list)
        d = d / np.float32(len(self.encoder.read))
        below, found = np.zeros_like(d), []
        for number in range(len(self.layers), 0, -1):
            if self._first + number in self.encoder.read:
                below += d
            below, slopes = self.layers[number - 1].down(way[number - 1], below)
            found.append(slopes)
        return [array for slopes in reversed(found) for array in slopes]

    def _laid_out(self, windows: Sequence[Sequence[int]]) -> tuple[list[tuple[int, int]], list[Singles | None]]:
        """Where each window stands, and what is added to its attention."""
        lengths = [len(window) for window in windows]
        biases = {length: self.encoder.bias(length) for length in set(lengths)}
        return [*pairwise(accumulate(lengths, initial=0))], [biases[length] for length in lengths]


def _named(kind: str, number: int, layer: Layer) -> Changed:
    """The weights of a block by the names that files have for them."""
    three = [np.split(array, 3, axis=-1) for array in (layer.attention.weights, layer.attention.bias)]
    pairs = [*zip(*three, strict=True), *((one.weights, one.bias) for one in layer.parts[1:])]
    found = {}
    for name, (weights, bias) in zip((*PARTS[kind], *OTHERS), pairs, strict=True):
        found[f"encoder.layer.{number}.{name}.weight"] = weights.T  # a vector stays as it is
        found[f"encoder.layer.{number}.{name}.bias"] = bias
    return found
