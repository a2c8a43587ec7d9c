"""How far several annotators agree: each figure with an interval, of pairs, of all, and by kind of label.

Intervals are percentile bootstraps that draw whole sentences (`evaluation/significance.py`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise

import numpy as np

from sstag.evaluation.gold import f1, scored_chunks, share
from sstag.evaluation.significance import INTERVAL
from sstag.foundation.arrays import Bools, Floats, Ints
from sstag.foundation.ranges import row_of_each
from sstag.knowledge.annotators import coefficients, unitising
from sstag.knowledge.annotators.coefficients import Patterns, patterns
from sstag.knowledge.annotators.unitising import Units
from sstag.knowledge.annotators.votes import Votes
from sstag.labels.schemes.rules import UNDECIDED
from sstag.labels.schemes.tagset import Chunks, chunks

DRAWS = 2**22  # numbers that are drawn at a time
OUTSIDE = "O"

Statistic = Callable[[Floats], Floats]  # sums of rows → a figure, for any number of samples at once


@dataclass(frozen=True)
class Figure:
    """A figure and its interval; None where there is nothing to agree on."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Agreement:
    """The figures of each pair of sources, of all sources, and of each kind of label."""

    pairs: Mapping[tuple[str, str], Mapping[str, Figure]]
    every: Mapping[str, Figure]
    by_kind: Mapping[str, Mapping[str, Figure]]
    disagreeing: Bools  # (T,) tokens at which two sources give different labels
    compared: int  # tokens that two sources or more label


KAPPA, FLEISS, ALPHA, UNITS = "Cohen's κ", "Fleiss' κ", "Krippendorff's α", "unitising α"
CHUNK_F, ACCURACY = "chunk F", "equal labels"


def agreement(votes: Votes, resamples: int, seed: int, tell: Callable[[str], None]) -> Agreement:
    """The agreement of some votes; a token at which a source allows several labels is one that it does not label."""
    single, tags, offsets = votes.single, votes.tags, votes.offsets
    found = patterns(single, len(votes.labels), offsets)
    draws = _Draws(len(offsets) - 1, resamples, seed)
    plain = tags.scheme == "plain"
    spans = [] if plain else [chunks(tags, row, offsets) for row in single]
    pairs: dict[tuple[str, str], dict[str, Figure]] = {}
    of_pair: dict[str, list[Floats]] = {}
    for i, j in combinations(range(len(votes.names)), 2):
        tell(f"agreement: {votes.names[i]} and {votes.names[j]}")
        one = pairs[votes.names[i], votes.names[j]] = {}
        if plain:
            one[ACCURACY] = draws.figure(_equal_rows(votes, i, j), lambda sums: _share(sums[..., 1], sums[..., 0]))
        else:
            by_type = _chunk_rows(votes, i, j)
            one[CHUNK_F] = draws.figure(sum(by_type.values(), np.zeros((len(offsets) - 1, 3))), _f)
            for kind, rows in by_type.items():
                of_pair.setdefault(kind, []).append(rows)
        one[KAPPA] = draws.of(found, partial(coefficients.cohen, found, i, j))
    tell("agreement of all")
    every = {FLEISS: draws.of(found, partial(coefficients.fleiss, found))} if len(votes.names) > 2 else {}
    every[ALPHA] = draws.of(found, partial(coefficients.krippendorff, found))
    by_kind = {name: {ALPHA: one} for name, one in _alphas(votes, draws)}
    if not plain:
        every[UNITS] = _unit_figures(votes, spans, draws, by_kind)
        for kind, each in of_pair.items():
            by_kind[kind] = {CHUNK_F: draws.figure(np.hstack(each), _mean_f)} | by_kind[kind]
    differing = np.array([len({y for y in row if y != UNDECIDED}) > 1 for row in found.votes.tolist()], bool)
    several = np.array([sum(y != UNDECIDED for y in row) > 1 for row in found.votes.tolist()], bool)
    return Agreement(
        pairs=pairs,
        every=every,
        by_kind=by_kind,
        disagreeing=_tokens_with(single, differing, found),
        compared=int(found.total[several].sum()),
    )


class _Draws:
    """Samples of sentences: how often each is drawn, the same for every figure."""

    def __init__(self, sentences: int, resamples: int, seed: int) -> None:
        self.sentences, self.resamples, self.seed = sentences, resamples, seed

    def times(self) -> Iterator[Floats]:
        """How often each sentence is in each sample, some samples at a time."""  # (B, S)
        rng, step = np.random.default_rng(self.seed), max(1, DRAWS // max(self.sentences, 1))
        for begin in range(0, self.resamples, step):
            size = min(step, self.resamples - begin)
            drawn = rng.integers(self.sentences, size=(size, self.sentences))
            drawn += self.sentences * np.arange(size)[:, None]
            yield np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)

    def figure(self, rows: Floats, statistic: Statistic) -> Figure:
        """The figure of all sentences, and its interval."""
        return _figure(statistic(rows.sum(axis=0)), [statistic(times @ rows) for times in self.times()])

    def of(self, found: Patterns, statistic: Statistic) -> Figure:
        """The figure of some patterns of votes, and its interval."""
        return _figure(statistic(found.total), [statistic(times @ found.rows) for times in self.times()])


def _figure(value: Floats, samples: list[Floats]) -> Figure:
    """A figure and the middle 95 % of its samples, those left out that have nothing to agree on."""
    every = np.concatenate(samples) if samples else np.zeros(0)
    every = every[np.isfinite(every)]
    tail = (1 - INTERVAL) / 2
    low, high = np.quantile(every, [tail, 1 - tail]).tolist() if len(every) else (None, None)
    return Figure(float(value) if np.isfinite(value) else None, low, high)


def _share(part: Floats, whole: Floats) -> Floats:
    return share(part, whole, np.full(np.shape(whole), np.nan))


def _f(sums: Floats) -> Floats:
    """F₁ of sums of chunks of one, of the other, and of both; not a number where there are none."""
    first, second, both = (sums[..., place] for place in range(3))
    return np.where(first + second > 0, f1(first, second, both), np.nan)


def _mean_f(sums: Floats) -> Floats:
    """The mean F₁ of all pairs that have a chunk."""
    each = np.stack([_f(sums[..., place : place + 3]) for place in range(0, sums.shape[-1], 3)])
    known = np.isfinite(each)
    return _share(np.where(known, each, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))


def _chunk_rows(votes: Votes, first: int, second: int) -> dict[str, Floats]:
    """For each type the chunks of two sources and those that both have, by sentence; only where both label."""
    one, two = votes.single[first], votes.single[second]
    gold = np.where(two == UNDECIDED, UNDECIDED, one).astype(np.int32)
    true, found = scored_chunks(votes.tags, gold, two, votes.offsets)
    sentence, count = row_of_each(votes.offsets), len(votes.offsets) - 1
    result = {}
    for kind, name in enumerate(votes.tags.types):
        parts = []
        for side, mask in ((true, true.counts), (found, found.counts), (true, true.right)):
            chosen = side.chunks.first[mask & (side.chunks.type == kind)]
            parts.append(np.bincount(sentence[chosen], minlength=count))
        result[name or "-"] = np.stack(parts, axis=1).astype(np.float64)
    return result


def _equal_rows(votes: Votes, first: int, second: int) -> Floats:
    """The tokens that two sources label, and those that they label alike, by sentence."""
    one, two = votes.single[first], votes.single[second]
    both = (one != UNDECIDED) & (two != UNDECIDED)
    sentence, count = row_of_each(votes.offsets), len(votes.offsets) - 1
    parts = [np.bincount(sentence[mask], minlength=count) for mask in (both, both & (one == two))]
    return np.stack(parts, axis=1).astype(np.float64)


def _alphas(votes: Votes, draws: _Draws) -> Iterator[tuple[str, Figure]]:
    """α of each kind of label against all others: of the types of chunks, and of what is outside."""
    tags = votes.tags
    kinds = tags.type[: len(votes.labels)] + 1  # 0: outside
    codes = np.where(votes.single == UNDECIDED, UNDECIDED, kinds[votes.single]).astype(np.int32)
    names = [OUTSIDE, *(name or "-" for name in tags.types)]
    found = patterns(codes, len(names), votes.offsets)
    for kind in [*range(1, len(names)), *([0] if (kinds == 0).any() else [])]:
        one = found.as_one(kind)
        yield names[kind], draws.of(one, partial(coefficients.krippendorff, one))


def _unit_figures(votes: Votes, spans: list[Chunks], draws: _Draws, by_kind: dict[str, dict[str, Figure]]) -> Figure:
    """The unitising α of all types, and those of each, which are added to the figures by kind."""
    parts, widths = [], [0]
    open_ones = np.logical_or.reduceat((votes.single == UNDECIDED).any(axis=0), votes.offsets[:-1])
    for kind, name in enumerate(votes.tags.types):
        one = unitising.units(spans, kind, votes.offsets)
        one.rows[open_ones] = 0.0  # a sentence that somebody left open in part is none of the text
        parts.append(one)
        widths.append(widths[-1] + one.rows.shape[1])
        by_kind[name or "-"][UNITS] = draws.figure(one.rows, partial(_unit_alpha, [one], [0, one.rows.shape[1]]))

    if not parts:
        return Figure(None, None, None)
    return draws.figure(np.hstack([one.rows for one in parts]), partial(_unit_alpha, parts, widths))


def _unit_alpha(parts: Sequence[Units], widths: Sequence[int], sums: Floats) -> Floats:
    """The unitising α of some types, whose sums stand one after another."""
    observed, expected = (np.zeros(sums.shape[:-1]) for _ in range(2))
    for one, (begin, end) in zip(parts, pairwise(widths), strict=True):
        more, chance = unitising.disagreements(one, sums[..., begin:end])
        observed, expected = observed + more, expected + chance
    return unitising.alpha(observed, expected)


def _tokens_with(single: Ints, chosen: Bools, found: Patterns) -> Bools:
    """The tokens whose pattern of votes is one of those chosen."""
    _, code = np.unique(single.T, axis=0, return_inverse=True)
    result: Bools = chosen[code.reshape(-1)]
    return result
