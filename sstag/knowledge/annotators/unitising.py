"""Agreement on where chunks are: Krippendorff's α for unitising (1995; 2004, ch. 11), by type and of all types.

    α_c = 1 − D_o / D_e,     α = 1 − Σ_c D_o / Σ_c D_e

    D_o = Σ_{i≠j} Σ_{g,h} δ²(g, h) / (m (m − 1) L²)
    D_e = (2 / L) Σ_g [ (N − 1)/3 · (2v³ − 3v² + v) + v² Σ_{gaps ≥ v} (gap − v + 1) ] / (mL (mL − 1) − Σ_g v (v − 1))

m sources, L tokens, N chunks of the type with lengths v; gaps are runs of tokens without a chunk of it. Two chunks
that overlap differ by δ² = (difference of first tokens)² + (difference of ends)², a chunk within a gap of the other
source by v², and nothing else differs.

Differs: a gap ends with its sentence, since no chunk reaches into the next one. So everything is a sum over sentences,
and for a text of one sentence it is the published coefficient.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools, Floats, Longs
from sstag.foundation.ranges import sentences_of
from sstag.labels.schemes.tagset import Chunks

OBSERVED, TOKENS = 0, 1  # the first two columns of `rows`; then chunks by length, then gaps by length


@dataclass(frozen=True, eq=False)
class Units:
    """Sums over sentences, of one type of chunks: all that the coefficient is made of."""

    sources: int
    lengths: Longs  # of chunks, distinct
    gaps: Longs  # lengths of gaps, distinct
    rows: Floats  # (S, 2 + lengths + gaps)


def units(sources: Sequence[Chunks], kind: int, offsets: Longs) -> Units:
    """The sums for one type of chunks of several sources."""
    spans = [np.stack([one.first, one.stop], axis=1)[one.type == kind] for one in sources]
    observed = np.zeros(len(offsets) - 1)
    for i, mine in enumerate(spans):
        for theirs in spans[:i]:
            _add_differences(mine, theirs, offsets, observed)
    lengths, length_rows = _histogram([one[:, 1] - one[:, 0] for one in spans], [one[:, 0] for one in spans], offsets)
    gaps = [_gaps(one, offsets) for one in spans]
    gap_lengths, gap_rows = _histogram([one[:, 1] - one[:, 0] for one in gaps], [one[:, 0] for one in gaps], offsets)
    rows = np.column_stack([observed, np.diff(offsets), length_rows, gap_rows]).astype(np.float64)
    return Units(len(sources), lengths, gap_lengths, rows)


def disagreements(of: Units, sums: Floats) -> tuple[Floats, Floats]:
    """D_o and D_e of sums of rows."""  # (…, columns) → (…), (…)
    m, v = of.sources, of.lengths.astype(np.float64)
    total = sums[..., TOKENS]
    count, gaps = sums[..., 2 : 2 + len(v)], sums[..., 2 + len(v) :]
    observed = 2 * sums[..., OBSERVED] / (m * (m - 1) * np.maximum(total, 1.0) ** 2)
    places = np.maximum(of.gaps[:, None] - of.lengths[None, :] + 1, 0).astype(np.float64)  # of a chunk in a gap
    apart = (gaps[..., :, None] * places).sum(axis=-2) * v**2
    together = (count.sum(axis=-1)[..., None] - 1) / 3 * (2 * v**3 - 3 * v**2 + v)
    expected = 2 / np.maximum(total, 1.0) * (count * (together + apart)).sum(axis=-1)
    pairs = m * total * (m * total - 1) - (count * v * (v - 1)).sum(axis=-1)
    return observed, expected / np.maximum(pairs, 1.0)


def alpha(observed: Floats, expected: Floats) -> Floats:
    """1 − D_o / D_e; not a number where there is no chunk."""
    ratio: Floats = np.divide(observed, expected, out=np.full(np.shape(expected), np.nan), where=expected > 0)
    return 1 - ratio


def _histogram(sizes: Sequence[Longs], firsts: Sequence[Longs], offsets: Longs) -> tuple[Longs, Floats]:
    """The distinct sizes, and how many of each begin in each sentence."""  # (V,), (S, V)
    every = np.concatenate(sizes)
    distinct, code = np.unique(every, return_inverse=True)
    rows = np.zeros((len(offsets) - 1, len(distinct)))
    np.add.at(rows, (sentences_of(offsets, np.concatenate(firsts)), code), 1.0)
    return distinct, rows


def _gaps(spans: Longs, offsets: Longs) -> Longs:
    """The runs of tokens between chunks, and between these and the ends of sentences."""  # (G, 2)
    firsts = np.sort(np.concatenate([offsets[:-1], spans[:, 1]]), kind="stable")
    stops = np.sort(np.concatenate([spans[:, 0], offsets[1:]]), kind="stable")
    return np.stack([firsts, stops], axis=1)[stops > firsts]


def _add_differences(mine: Longs, theirs: Longs, offsets: Longs, sums: Floats) -> None:
    """Adds δ² of two sources' chunks to the sums of their sentences."""
    for one, other, both in ((mine, theirs, True), (theirs, mine, False)):
        begin = np.searchsorted(other[:, 1], one[:, 0], side="right")  # the first that ends behind our beginning
        end = np.searchsorted(other[:, 0], one[:, 1], side="left")  # the first that begins behind our end
        alone: Bools = begin >= end
        sizes = (one[:, 1] - one[:, 0]).astype(np.float64)
        sentence = sentences_of(offsets, one[:, 0])
        np.add.at(sums, sentence[alone], sizes[alone] ** 2)
        if both:
            for place in np.flatnonzero(~alone).tolist():
                differences = (other[begin[place] : end[place]] - one[place]).astype(np.float64)
                sums[sentence[place]] += (differences**2).sum()
