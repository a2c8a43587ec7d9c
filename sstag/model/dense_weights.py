"""The weights of a dense feature, and the scores and slopes that come of its numbers: the dense half of the map.

    x_d = factor_d (n_d − mean_d)        Σ_d x_d θ_{d,y} = Σ_d (n_d − mean_d) (factor_d θ_{d,y})

The numbers n stay as they are, whatever they are standardised by. Numbers of words are multiplied once for each word,
and what is subtracted is the weight of a number 1. Those of tokens are multiplied once for each token of a batch, in
single precision (`chain/core/tokens.h`): the time of a pass is theirs.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sstag.chain import _core
from sstag.features.dense import Standard, TokenTable, WordTable
from sstag.foundation.arrays import Floats, Halves, Ints, Singles
from sstag.foundation.parallel import Over, even_slices

WIDE = 16  # numbers of single precision that the core computes together


@dataclass(frozen=True)
class DenseWords:
    """Numbers of words in a dataset, and the rows of the table that are their scores."""

    block: WordTable
    standard: Standard
    rows: slice

    def put_scores(self, theta: Floats, out: Floats, over: Over) -> None:
        """Puts the scores of each word into its row."""
        weights, numbers = standard_weights(self.standard, theta), self.block.numbers
        over(lambda some: _core.dense_scores(numbers[some], weights, out[some]), even_slices(len(out)))

    def no_slopes(self, labels: int) -> Floats:
        """Room for the slopes of the numbers as they are, and of the number 1."""  # (D + 1, L)
        return np.zeros((len(self.standard.mean) + 1, labels))

    def add_slopes(self, d: Floats, sums: Floats, over: Over) -> None:
        """Adds the slopes of all words, from those of their rows: in pieces, which are summed in their order."""

        def gathered(some: slice) -> Floats:
            found = np.zeros_like(sums)
            _core.dense_gradient(self.block.numbers[some], d[some], found)
            return found

        for found in over(gathered, even_slices(len(d))):
            sums += found

    def gradient(self, sums: Floats) -> Floats:
        """∂/∂θ of the slopes of the numbers as they are."""  # (D, L)
        found: Floats = self.standard.factor[:, None] * (sums[:-1] - self.standard.mean[:, None] * sums[-1])
        return found

    def curvature(self, sums: Floats) -> Floats:
        """About the curvature along each weight: a standardised number has the square of its scale on average."""
        return np.broadcast_to(self.standard.scale**2 * sums[-1], (len(sums) - 1, sums.shape[1]))


@dataclass(frozen=True)
class DenseTokens:
    """Numbers of tokens in a dataset."""

    block: TokenTable
    standard: Standard

    @property
    def width(self) -> int:
        """The places of a label's weights: whole vectors, with room for a number 1."""
        return (len(self.standard.mean) // WIDE + 1) * WIDE

    @cached_property
    def mean(self) -> Singles:
        """The mean of each dimension, which is subtracted."""  # (W,)
        mean = np.zeros(self.width, np.float32)
        mean[: len(self.standard.mean)] = self.standard.mean
        return mean

    def weights(self, theta: Floats) -> Singles:
        """The weights of the numbers as they are."""  # (L, W)
        weights = np.zeros((theta.shape[1], self.width), np.float32)
        weights[:, : len(theta)] = (self.standard.factor[:, None] * theta).T
        return weights

    def part(self, tokens: slice, weights: Singles | None, slopes: Floats | None) -> "TokenWeights":
        """The numbers of some tokens with weights, and with what their slopes are added to."""
        return TokenWeights(self.block.numbers, self.block.rows[tokens], self.mean, weights, slopes)

    def no_slopes(self, labels: int) -> Floats:
        """Room for the slopes of the numbers as they are, and of the number 1."""  # (L, W)
        return np.zeros((labels, self.width))

    def gradient(self, sums: Floats) -> Floats:
        """∂/∂θ of the slopes of the numbers as they are."""  # (D, L)
        found: Floats = self.standard.factor[:, None] * sums[:, : len(self.standard.mean)].T
        return found

    def curvature(self, sums: Floats) -> Floats:
        """About the curvature along each weight: a standardised number has the square of its scale on average."""
        dimensions = len(self.standard.mean)
        return np.broadcast_to(self.standard.scale**2 * sums[:, dimensions], (dimensions, len(sums)))


class TokenWeights(NamedTuple):
    """Numbers of tokens and their weights, as the core takes them (`chain/core/tokens.h`)."""

    numbers: Halves  # (R, D)
    rows: Ints  # (T,)
    mean: Singles  # (W,)
    weights: Singles | None  # (L, W)
    slopes: Floats | None  # (L, W), what slopes are added to


def standard_weights(standard: Standard, theta: Floats) -> Floats:
    """The weights of the numbers as they are, and of the number 1."""  # (D + 1, L)
    weights = standard.factor[:, None] * theta
    return np.concatenate([weights, -(standard.mean[:, None] * weights).sum(axis=0, keepdims=True)])
