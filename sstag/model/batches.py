"""Batches: some sentences of a dataset, and a whole dataset cut into batches small enough for the cache.

Batches depend on the data alone, never on the number of threads. The edge matrices that a batch needs are numbered
here: positions whose steps have the same attributes share one.
"""

from dataclasses import dataclass, replace

import numpy as np

from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Bools, Ints, Longs
from sstag.foundation.ranges import end_of_run, rows_of
from sstag.model.dataset import Dataset

CELLS = 120_000  # positions × labels of a batch: 1 MB an array
MATRICES = 500_000  # cells of the edge matrices of a batch: 4 MB


@dataclass(frozen=True)
class Batch:
    """Some sentences of a dataset, and the edge matrices of their steps."""

    sentences: slice
    tokens: slice
    offsets: Longs  # (S + 1,) from 0
    edge_index: Ints  # (T,) the edge matrix that leads into each position
    steps: Incidence  # the attributes of each of the batch's edge matrices, (K,) rows


def in_batches(data: Dataset, labels: int, tokens_together: int | None = None) -> list[Batch]:
    """The batches of a dataset, in order; of about so many tokens each, or as many as the cache holds."""
    kinds, examples = _kinds_of_steps(data.edge)
    few = len(examples) * labels * labels <= MATRICES
    result = []
    start = 0
    while start < len(data.offsets) - 1:
        stop = end_of_run(data.offsets, start, tokens_together or CELLS // labels)
        if not few:
            stop = _with_few_kinds(kinds, data.offsets, start, stop, MATRICES // labels**2)
        tokens = slice(int(data.offsets[start]), int(data.offsets[stop]))
        distinct, index = np.unique(kinds[tokens], return_inverse=True)
        steps = _rows(data.edge, examples[distinct])
        offsets = data.offsets[start : stop + 1] - tokens.start
        result.append(Batch(slice(start, stop), tokens, offsets, index.astype(np.int32), steps))
        start = stop
    return result


def selected(data: Dataset, sentences: Bools) -> Dataset:
    """Some sentences of a dataset."""
    return data if sentences.all() else taken(data, np.flatnonzero(sentences))


def taken(data: Dataset, sentences: Longs) -> Dataset:
    """Sentences of a dataset by their numbers, in any order and as often as they are named."""
    offsets, tokens = rows_of(data.offsets, sentences)
    return Dataset(
        offsets=offsets,
        unary=_rows(data.unary, tokens),
        edge=_rows(data.edge, tokens),
        sets=None if data.sets is None else data.sets[tokens],
        allowed=data.allowed,
        weights=None if data.weights is None else data.weights[sentences],
        bundles=data.bundles,
        dense=tuple(replace(block, rows=block.rows[tokens]) for block in data.dense),
    )


def _with_few_kinds(kinds: Longs, offsets: Longs, start: int, stop: int, most: int) -> int:
    """How far sentences from `start` go, at least one of them and at most to `stop`, with no more kinds of steps."""
    seen: set[int] = set()
    for sentence in range(start, stop):
        seen.update(kinds[offsets[sentence] : offsets[sentence + 1]].tolist())
        if len(seen) > most:
            return max(sentence, start + 1)
    return stop


def _kinds_of_steps(edge: Incidence) -> tuple[Longs, Longs]:
    """For each position the number of its kind of step, and for each kind a position that has it.

    Steps are of one kind if they have the same attributes, with the same values. Kinds are numbered place by place:
    after the first n places, positions have the same number if their first n attributes agree.
    """
    tokens = len(edge.indptr) - 1
    sizes = np.diff(edge.indptr)
    kinds = np.zeros(tokens, np.int64)
    weighed = edge.indices.astype(np.int64)  # (N,) a number for each attribute and its value
    if edge.values is not None:
        values, value = np.unique(edge.values, return_inverse=True)
        weighed = weighed * len(values) + value
    _, weighed = np.unique(weighed, return_inverse=True)
    radix = int(weighed.max(initial=-1)) + 2
    for place in range(int(sizes.max(initial=0))):
        has = place < sizes
        attribute = np.zeros(tokens, np.int64)  # 0: the position has fewer attributes
        attribute[has] = weighed[edge.indptr[:-1][has] + place] + 1
        _, kinds = np.unique(kinds * radix + attribute, return_inverse=True)
    _, examples = np.unique(kinds, return_index=True)
    return kinds, examples


def _rows(incidence: Incidence, rows: Longs) -> Incidence:
    """Some rows of an incidence."""
    indptr, entries = rows_of(incidence.indptr, rows)
    values = None if incidence.values is None else incidence.values[entries]
    return Incidence(indptr, incidence.indices[entries], values)
