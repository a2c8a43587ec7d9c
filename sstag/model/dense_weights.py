"""The weights of a dense feature, and the scores and slopes that come of its numbers: the dense half of the map.

    x_d = factor_d (n_d − mean_d)        Σ_d x_d θ_{d,y} = Σ_d n_d (factor_d θ_{d,y}) − 1 · Σ_d mean_d factor_d θ_{d,y}

so the numbers n stay as they are, whatever they are standardised by; what is subtracted is the weight of a number 1.
Numbers of words are multiplied once for each word, those of tokens once for each token of a batch.
"""

from dataclasses import dataclass

import numpy as np

from sstag.chain import _core
from sstag.features.dense import Block, Standard
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import Over, even_slices


@dataclass(frozen=True)
class DenseRows:
    """The numbers of a dense feature in a dataset, and the rows of the table that they have if they are of words."""

    block: Block
    standard: Standard
    rows: slice | None

    def score_words(self, weights: Floats, out: Floats, over: Over) -> None:
        """Adds the scores of each word to its row."""
        numbers = self.block.numbers
        over(lambda some: _core.dense_scores(numbers[some], None, weights, out[some]), even_slices(len(out)))

    def add_scores(self, weights: Floats, tokens: slice, out: Floats) -> None:
        """Adds the scores of some tokens."""
        _core.dense_scores(self.block.numbers, self.block.rows[tokens], weights, out)

    def no_gradient(self, labels: int) -> Floats:
        """Room for the slopes of the numbers as they are, and of the number 1."""  # (D + 1, L)
        return np.zeros((len(self.standard.mean) + 1, labels))

    def add_gradient(self, d: Floats, tokens: slice, sums: Floats) -> None:
        """Adds the slopes of some tokens, from those of their scores."""
        _core.dense_gradient(self.block.numbers, self.block.rows[tokens], d, sums)

    def gather_words(self, d: Floats, sums: Floats, over: Over) -> None:
        """Adds the slopes of all words, from those of their rows: in pieces, which are summed in their order."""

        def gathered(some: slice) -> Floats:
            found = np.zeros_like(sums)
            _core.dense_gradient(self.block.numbers[some], None, d[some], found)
            return found

        for found in over(gathered, even_slices(len(d))):
            sums += found

    def slopes(self, sums: Floats) -> Floats:
        """∂/∂θ of the slopes of the numbers as they are."""  # (D, L)
        found: Floats = self.standard.factor[:, None] * (sums[:-1] - self.standard.mean[:, None] * sums[-1])
        return found

    def curvature(self, sums: Floats) -> Floats:
        """About the curvature along each weight: a standardised number has the square of its scale on average."""
        _, dimensions = self.block.numbers.shape
        return np.repeat(self.standard.scale**2 * sums[-1:], dimensions, axis=0)


def standard_weights(standard: Standard, theta: Floats) -> Floats:
    """The weights of the numbers as they are, and of the number 1."""  # (D + 1, L)
    weights = standard.factor[:, None] * theta
    return np.concatenate([weights, -(standard.mean[:, None] * weights).sum(axis=0, keepdims=True)])
