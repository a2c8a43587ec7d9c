"""Regions where a sentence is wrong: gold and predicted chunks that overlap, or single tokens."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from sstag.evaluation.gold import Scored
from sstag.evaluation.scoring import Evaluation
from sstag.foundation.ranges import sentences_of

Span = tuple[int, int, str]  # first token of the sentence, the one after the last, type or label


@dataclass(frozen=True)
class Region:
    """Overlapping wrong chunks of both sides; or a wrong token that is in none, with its labels."""

    first: int
    stop: int
    gold: list[Span]
    found: list[Span]
    tokens: bool


def wrong_sentences(one: Evaluation, most: int) -> Iterator[tuple[int, list[Region]]]:
    """The first `most` sentences in which a scored token is wrong, and the regions that are wrong."""
    wrong = one.wrong
    sentences = sentences_of(one.offsets, np.flatnonzero(wrong))
    for sentence in np.unique(sentences)[:most].tolist():
        begin, end = one.offsets[sentence : sentence + 2].tolist()
        gold, found = [_wrong_chunks(one, side, begin, end) for side in one.chunks] if one.chunks else ([], [])
        regions = _united(gold, found)
        covered = np.zeros(end - begin, bool)
        for region in regions:
            covered[region.first : region.stop] = True
        for token in np.flatnonzero(wrong[begin:end] & ~covered).tolist():
            true, guess = (one.labels[codes[begin + token]] for codes in (one.gold, one.predicted))
            spans = [(token, token + 1, true)], [(token, token + 1, guess)]
            regions.append(Region(token, token + 1, *spans, tokens=True))
        yield sentence, sorted(regions, key=lambda region: region.first)


def _wrong_chunks(one: Evaluation, side: Scored, begin: int, end: int) -> list[Span]:
    first, last = np.searchsorted(side.chunks.first, [begin, end])
    chosen = first + np.flatnonzero((side.counts & ~side.right)[first:last])
    firsts, stops = (side.chunks.first[chosen] - begin).tolist(), (side.chunks.stop[chosen] - begin).tolist()
    kinds = [one.tags.types[kind] for kind in side.chunks.type[chosen]]
    return list(zip(firsts, stops, kinds, strict=True))


def _united(gold: list[Span], found: list[Span]) -> list[Region]:
    """The unions of spans that overlap."""
    bounds: list[tuple[int, int]] = []
    for first, stop, _ in sorted(gold + found):
        if bounds and first < bounds[-1][1]:
            first, stop = bounds[-1][0], max(stop, bounds[-1][1])
            bounds.pop()
        bounds.append((first, stop))

    def within(side: list[Span], first: int, stop: int) -> list[Span]:
        return side[bisect_left(side, first, key=itemgetter(0)) : bisect_left(side, stop, key=itemgetter(0))]

    return [Region(a, b, within(gold, a, b), within(found, a, b), tokens=False) for a, b in bounds]
