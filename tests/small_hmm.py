"""An HMM of two labels and two symbols, and the probability of a sequence under it, by its definition."""

from itertools import pairwise

import numpy as np

from sstag.experiments.samples.hmm import Matrices

SMALL = Matrices(
    ("y1", "y2"),
    ("x1", "x2"),
    np.array([0.7, 0.3]),
    np.array([[0.9, 0.1], [0.2, 0.8]]),
    np.array([[0.85, 0.15], [0.1, 0.9]]),
)


def joint(made: Matrices, x: tuple[int, ...], y: tuple[int, ...]) -> float:
    p = made.begin[y[0]] * np.prod([made.steps[a, b] for a, b in pairwise(y)])
    return float(p * np.prod([made.emissions[label, symbol] for symbol, label in zip(x, y, strict=True)]))
