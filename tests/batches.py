"""Random batches for Hypothesis: it draws the shape and a seed, NumPy the numbers."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Bools


class Batch(NamedTuple):
    potentials: Potentials
    allowed: Bools | None
    magnitude: float  # of the scores
    seed: int
    whole: bool  # the scores are whole numbers, so that their sums are exact and ties are ties


@st.composite
def batches(draw, scales=(1.0, 30.0, 300.0, 3000.0), infinities=(0.0, 0.2, 0.6), max_labels=5, max_length=6) -> Batch:
    """Up to three sentences, up to three edge matrices, perhaps a mask; at least one path is always left."""
    labels = draw(st.integers(1, max_labels))
    # Enumeration of five labels at six positions is 15,625 paths: only short sentences have company.
    longest = max_length if labels < 4 else max_length - 1
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=3))
    matrices = draw(st.integers(1, 3))
    scale = draw(st.sampled_from(scales))
    holes = draw(st.sampled_from(infinities))
    ties = draw(st.booleans()) and draw(st.booleans())
    masked = draw(st.booleans())
    seed = draw(st.integers(0, 2**32 - 1))
    return random_batch(np.random.default_rng(seed), labels, lengths, matrices, scale, holes, ties, masked, seed)


def random_batch(rng, labels, lengths, matrices, scale, holes=0.0, ties=False, masked=False, seed=0) -> Batch:
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    tokens = int(offsets[-1])
    index = rng.integers(0, matrices, tokens).astype(np.int32)
    index[offsets[:-1]] = -7  # ignored
    unary, edge = rng.normal(size=(tokens, labels)), rng.normal(size=(matrices, labels, labels))
    if ties:
        unary, edge = np.round(unary), np.round(edge)
    unary, edge = unary * scale, edge * scale
    path = rng.integers(0, labels, tokens)
    open_unary, open_edge = unary.copy(), edge.copy()
    unary[rng.random(unary.shape) < holes] = -np.inf
    edge[rng.random(edge.shape) < holes] = -np.inf
    allowed = rng.random(unary.shape) < 0.6 if masked else None
    for t in range(tokens):
        unary[t, path[t]] = open_unary[t, path[t]]
        if allowed is not None:
            allowed[t, path[t]] = True
        if t not in offsets:
            edge[index[t], path[t - 1], path[t]] = open_edge[index[t], path[t - 1], path[t]]
    return Batch(Potentials(unary, edge, index, offsets), allowed, scale * 2 * max(lengths), seed, ties)
