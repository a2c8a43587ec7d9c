"""Spans of characters as runs of tokens: what cuts a token, overlaps or has several pieces is settled as asked."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sstag.corpus.text.documents import Span
from sstag.corpus.text.options import TextOptions
from sstag.corpus.text.tokenizer import Place
from sstag.foundation.errors import DataError

LONG = 40  # characters of a span that a message shows


class CutError(DataError):
    """A span that cuts a token, where nobody said what is to be done about it."""


class Run(NamedTuple):
    """Tokens first:stop, and the span that they stand for."""

    first: int
    stop: int
    span: Span


def split_tokens(tokens: Sequence[Place], spans: Sequence[Span]) -> Sequence[Place]:
    """The tokens, of which those that a span cuts are split at its ends."""
    if not spans:
        return tokens
    starts, stops = [start for start, _ in tokens], [stop for _, stop in tokens]
    cuts: dict[int, set[int]] = {}
    for span in spans:
        for place in (span.start, span.stop):
            token = bisect_right(stops, place)
            if token < len(tokens) and starts[token] < place:
                cuts.setdefault(token, set()).add(place)
    if not cuts:
        return list(tokens)
    made: list[Place] = []
    for token, (start, stop) in enumerate(tokens):
        bounds = [start, *sorted(cuts.get(token, ())), stop]
        made += pairwise(bounds)
    return made


def token_runs(
    text: str, tokens: Sequence[Place], spans: Sequence[Span], options: TextOptions, counts: Counter[str]
) -> list[Run]:
    """The tokens of each accepted span in their order, then those of the rejected ones."""
    if not spans:
        return []
    starts, stops = [start for start, _ in tokens], [stop for _, stop in tokens]
    accepted: list[Run] = []
    rejected: list[Run] = []
    for span in spans:
        first, stop = bisect_right(stops, span.start), bisect_left(starts, span.stop)
        if first >= stop:
            raise DataError(f"{shown(text, span)} holds no token")
        if starts[first] < span.start or stops[stop - 1] > span.stop:
            first, stop = _settled(text, tokens, span, first, stop, options.cut)
            if first >= stop:
                counts[f"left out, without a whole token (--cut {options.cut})"] += 1
                continue
            counts[f"fitted to tokens (--cut {options.cut})"] += 1
        elif starts[first] > span.start or stops[stop - 1] < span.stop:
            counts["without the blanks at their ends"] += 1
        if span.pieces:
            if options.parted == "error":
                raise DataError(f"{shown(text, span)} has several pieces (--discontinuous join makes one span of them)")
            counts["of several pieces (--discontinuous join)"] += 1
        (accepted if span.accepted else rejected).append(Run(first, stop, span))
    return [*_apart(text, accepted, options.overlaps, counts), *rejected]


def _settled(text: str, tokens: Sequence[Place], span: Span, first: int, stop: int, cut: str) -> tuple[int, int]:
    """The run of a span that cuts tokens; none of its tokens may be whole, so that nothing is left."""
    if cut == "error":
        token = tokens[first] if tokens[first][0] < span.start else tokens[stop - 1]
        raise CutError(f"{shown(text, span)} cuts the token '{text[slice(*token)]}' (--cut expand, shrink or split)")
    if cut == "shrink":
        first += tokens[first][0] < span.start
        stop -= tokens[stop - 1][1] > span.stop
    return first, stop


def _apart(text: str, runs: list[Run], overlaps: str, counts: Counter[str]) -> list[Run]:
    """Runs in their order without overlaps; a span that is there twice counts once."""
    runs.sort(key=lambda run: (run.first, run.stop))
    if all(left.stop <= right.first for left, right in pairwise(runs)):
        return runs
    unlike: list[Run] = []
    for run in runs:
        twin = unlike and (unlike[-1].first, unlike[-1].stop) == (run.first, run.stop)
        if not (twin and unlike[-1].span.labels == run.span.labels):
            unlike.append(run)
    if overlaps == "error":
        for left, right in pairwise(unlike):
            if left.stop > right.first:
                both = f"{shown(text, left.span)} and {shown(text, right.span)}"
                raise DataError(f"{both} overlap (--overlaps outermost or innermost)")
        return unlike
    outer = overlaps == "outermost"
    kept: list[Run] = []  # in order, none overlapping
    for run in sorted(unlike, key=lambda run: (run.first - run.stop if outer else run.stop - run.first, run.first)):
        place = bisect_left(kept, run.first, key=lambda one: one.stop - 1)
        if place < len(kept) and kept[place].first < run.stop:
            counts[f"left out for another one (--overlaps {overlaps})"] += 1
        else:
            kept.insert(place, run)
    return kept


def shown(text: str, span: Span) -> str:
    """A span in a message."""
    words = text[span.start : span.stop]
    short = words if len(words) <= LONG else f"{words[:LONG]}…"
    return f"the span {span.start}–{span.stop} '{short}' ({'|'.join(span.labels)})"
