"""The vectors of a text by an encoder whose last blocks change, and the way back from vectors to their weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.encoders.contract import Backend, Blocks
from sstag.features.encoders.encoding import PieceWindow, in_windows, of_words
from sstag.features.encoders.settings import Reading
from sstag.foundation.arrays import Halves, Longs, Singles

MOST_KEPT = 2**30  # bytes of what comes below the blocks; what does not fit is computed again whenever it is asked for


@dataclass(frozen=True)
class Way:
    """Vectors that were computed, and what the way back needs."""

    vectors: Halves  # (T, width)
    windows: list[PieceWindow]
    of_blocks: object


class LearningVectors:
    """The vectors of a text."""

    def __init__(self, corpus: Corpus, column: str, backend: Backend, how: Reading, blocks: Blocks) -> None:
        self.corpus, self.how, self.blocks = corpus, how, blocks
        index = corpus.column(column)
        words = corpus.values[index]
        pieces = [backend.pieces(word.lower() if how.case == "lower" else word) for word in words]
        bounds = corpus.offsets.tolist()
        codes = corpus.codes[index]
        self._windows = [
            in_windows([pieces[code] for code in codes[begin:end].tolist()], backend, how)
            for begin, end in pairwise(bounds)
        ]
        self._below: dict[int, Singles] = {}
        self._room = MOST_KEPT

    def way(self, sentences: Sequence[int]) -> Way:
        """The vectors of the tokens of some sentences, one sentence after another."""
        windows = [window for sentence in sentences for window in self._windows[sentence]]
        pieces = [window.pieces for window in windows]
        states, way = self.blocks.up(np.concatenate([self._of(sentence) for sentence in sentences]), pieces)
        begins = accumulate(map(len, pieces), initial=0)
        vectors = [
            of_words(states[begin : begin + len(window.pieces)], window.bounds, self.how.pieces)
            for begin, window in zip(begins, windows, strict=False)
        ]
        return Way(np.concatenate(vectors), windows, way)

    def slopes(self, way: Way, d: Singles) -> Sequence[Singles]:
        """∂/∂ the weights of the blocks, where ∂/∂ the vectors is `d`."""
        states = np.zeros((sum(len(window.pieces) for window in way.windows), d.shape[1]), np.float32)
        begin, token = 0, 0
        for window in way.windows:
            own = d[token : token + len(window.bounds) - 1]
            first, last = begin + np.array(window.bounds[:-1]), begin + np.array(window.bounds[1:])
            if self.how.pieces == "mean":
                counts = last - first
                states[first[0] : last[-1]] = np.repeat(own / counts[:, None].astype(np.float32), counts, axis=0)
            else:
                states[first if self.how.pieces == "first" else last - 1] = own
            begin, token = begin + len(window.pieces), token + len(own)
        return self.blocks.down(way.of_blocks, states)

    def rows(self, sentences: Sequence[int]) -> Longs:
        """The tokens of some sentences."""
        offsets = self.corpus.offsets
        return np.concatenate([np.arange(offsets[one], offsets[one + 1]) for one in sentences])

    def _of(self, sentence: int) -> Singles:
        """The numbers of the pieces of a sentence that its blocks begin with."""
        if sentence in self._below:
            return self._below[sentence]
        below = self.blocks.below([window.pieces for window in self._windows[sentence]])
        if below.nbytes <= self._room:
            self._below[sentence] = below
            self._room -= below.nbytes
        return below
