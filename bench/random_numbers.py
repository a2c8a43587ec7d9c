"""Numbers that are drawn at random, in place of vectors of words and of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.template import Dense, Source, Template
from sstag.foundation.arrays import Halves, Longs, Singles

SOME = 2**14  # tokens that are drawn together


@dataclass(frozen=True)
class RandomNumbers:
    """A vector for each word that is asked for, or for each token of a text."""

    dimensions: int
    digest: str = "random"
    column: str | None = None

    def of(self, words: Sequence[str]) -> tuple[Longs, Singles]:
        rng = np.random.default_rng(1)
        return np.arange(len(words)), rng.normal(size=(len(words), self.dimensions)).astype(np.float32)

    def listed(self) -> tuple[list[str], Singles]:
        return [], self.of([])[1]

    def numbers(self, corpus: Corpus) -> Halves:
        rng = np.random.default_rng(1)
        drawn = np.empty((corpus.tokens, self.dimensions), np.float16)
        for begin in range(0, corpus.tokens, SOME):
            some = drawn[begin : begin + SOME]
            some[:] = rng.normal(size=some.shape)
        return drawn


def with_numbers(template: Template, numbers: str) -> Template:
    """The template, with 100 numbers a word (`words`) or 384 a token (`tokens`) besides."""
    if numbers == "words":
        return replace(template, dense=(Dense("words", "it", Source(0), 0, None),), vectors={"it": RandomNumbers(100)})
    if numbers == "tokens":
        return replace(template, dense=(Dense("tokens", "it", None, 0, None),), encoders={"it": RandomNumbers(384)})
    return template
