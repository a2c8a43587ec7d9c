"""Calibration: whether a tagger is right as often as its probabilities say, and whether they rank right above wrong.

Predictions are *calibrated* if a share p of those with probability p is right. The expected calibration error (Guo et
al. 2017) is Σ_b n_b/n |right_b − mean p_b| over BINS bins of the same width. Predictions *rank* well if the sure ones
are right: the risk at coverage k/n is the share of wrong ones among the k surest, and the area under that curve
(El-Yaniv & Wiener 2010) is the mean risk over k = 1..n.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sstag.evaluation.scoring import Evaluation
from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.errors import DataError
from sstag.labels.schemes.tagset import Chunks

BINS = 10


@dataclass(frozen=True, eq=False)
class Confidences:
    """The probabilities that a tagger gave its predictions; None for a kind that it gave none."""

    tokens: Floats | None  # (T,)
    sentences: Floats | None  # (S,)
    chunks: Chunks | None  # in order
    types: tuple[str, ...]  # of the chunks
    of_chunks: Floats  # (C,)


@dataclass(frozen=True)
class Bin:
    """The predictions with a probability from `low` to `high`: their mean probability, and the share that is right."""

    low: float
    high: float
    count: int
    confidence: float
    right: float


@dataclass(frozen=True)
class Point:
    """The surest predictions: their share of all, the share of them that is wrong, and their least probability."""

    coverage: float
    risk: float
    confidence: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predictions with their probabilities, and which of them are right."""

    confidence: Floats  # (N,)
    right: Bools  # (N,)

    @cached_property
    def bins(self) -> list[Bin]:
        """The bins that are not empty."""
        place = np.minimum((self.confidence * BINS).astype(np.int64), BINS - 1)
        counts, sure, right = (
            np.bincount(place, weights, BINS) for weights in (None, self.confidence, self.right.astype(np.float64))
        )
        return [
            Bin(b / BINS, (b + 1) / BINS, int(counts[b]), sure[b] / counts[b], right[b] / counts[b])
            for b in np.flatnonzero(counts).tolist()
        ]

    @property
    def error(self) -> float:
        """The expected calibration error."""
        return sum(one.count * abs(one.right - one.confidence) for one in self.bins) / len(self.right)

    @cached_property
    def risks(self) -> Floats:
        return risks(self.confidence, ~self.right)

    def curve(self, points: int) -> list[Point]:
        """The risk at coverages that lie evenly up to 1."""
        sorted_ = -np.sort(-self.confidence)
        ranks = -(-len(self.right) * np.arange(1, points + 1) // points)
        return [Point(k / len(self.right), float(self.risks[k - 1]), float(sorted_[k - 1])) for k in ranks.tolist()]


def risks(sure: Floats, wrong: Bools) -> Floats:
    """The share of wrong ones among the k surest, k = 1..N; equally sure ones count as wrong in equal parts."""
    order = np.argsort(-sure, kind="stable")
    _, group = np.unique(-sure[order], return_inverse=True)
    share = np.bincount(group, wrong[order].astype(np.float64)) / np.bincount(group)
    result: Floats = np.cumsum(share[group]) / np.arange(1, len(sure) + 1)
    return result


def area(sure: Floats, wrong: Bools) -> float:
    """The area under the risk–coverage curve: the share of wrong ones if confidence says nothing, else less."""
    return float(risks(sure, wrong).mean())


def least_area(wrong: Bools) -> float:
    """The area if every right prediction were surer than every wrong one."""
    return area((~wrong).astype(np.float64), wrong)


def calibrations(one: Evaluation, sure: Confidences, path: str) -> dict[str, Calibration]:
    """The calibration of tokens, of chunks and of sentences, by name, where they are scored and have probabilities.

    A sentence counts if all its tokens are scored, because its probability is that of all its labels.
    """
    found: dict[str, Calibration] = {}
    if sure.tokens is not None:
        found["tokens"] = Calibration(sure.tokens[one.scored], ~one.wrong[one.scored])
    if sure.chunks is not None and one.chunks is not None:
        side = one.chunks[1]
        found[one.unit] = Calibration(_of_chunks(one, sure, path)[side.counts], side.right[side.counts])
    if sure.sentences is not None:
        whole, right = (np.logical_and.reduceat(mask, one.offsets[:-1]) for mask in (one.scored, ~one.wrong))
        found["sentences"] = Calibration(sure.sentences[whole], right[whole])
    return {unit: calibration for unit, calibration in found.items() if len(calibration.right)}


def _of_chunks(one: Evaluation, sure: Confidences, path: str) -> Floats:
    """The probability of each chunk that is found."""
    assert one.chunks is not None
    assert sure.chunks is not None
    ours, theirs = one.chunks[1].chunks, sure.chunks
    number = {name: index for index, name in enumerate(sure.types)}
    kinds = np.array([number.get(name, -1) for name in one.tags.types], np.int64)[ours.type]
    place = np.searchsorted(theirs.first, ours.first)
    known = np.flatnonzero(place < len(theirs.first))
    there = place[known]
    same = (theirs.first[there] == ours.first[known]) & (theirs.stop[there] == ours.stop[known])
    if len(known) < len(place) or not (same & (theirs.type[there] == kinds[known])).all():
        raise DataError(
            f"read as {one.tags.scheme.upper()}, its labels make other chunks than those whose probability is known "
            "(`sstag tag --confidence --format jsonl` writes labels and probabilities that belong together)",
            path,
        )
    return sure.of_chunks[place]
