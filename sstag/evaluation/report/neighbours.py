"""Labelled sentences that mean nearly the same as wrong ones: what a tagger has learned that is like them, or lacks."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sstag.evaluation.alignment import LabelColumn


@dataclass(frozen=True)
class Near:
    """A labelled sentence, counted from 0, and the cosine of what it means and what a wrong one means."""

    sentence: int
    cosine: float


@dataclass(frozen=True)
class Neighbours:
    """Labelled sentences, and which of them is nearest to a wrong one."""

    of: LabelColumn
    nearest: Mapping[int, Near]  # by the wrong sentence; there is none where nothing tells what it means

    def place(self, near: Near) -> str:
        """The path and the line of a labelled sentence."""
        return f"{self.of.corpus.path}:{self.line(near)}"

    def line(self, near: Near) -> int:
        return int(self.of.corpus.lines[self.of.corpus.offsets[near.sentence]])

    def words(self, near: Near) -> list[str]:
        corpus = self.of.corpus
        return corpus.words(corpus.columns[corpus.word_column], near.sentence)

    def labels(self, near: Near) -> list[str]:
        bounds = self.of.corpus.offsets[near.sentence : near.sentence + 2].tolist()
        return [self.of.labels.values[code] for code in self.of.labels.codes[slice(*bounds)].tolist()]

    def marked(self, near: Near) -> list[str]:
        """The words of a labelled sentence, each with its label unless that is the commonest of all."""
        codes = self.of.labels.codes
        usual = self.of.labels.values[int(np.bincount(codes).argmax())]
        words = zip(self.words(near), self.labels(near), strict=True)
        return [word if label == usual else f"{word}/{label}" for word, label in words]
