"""Ways to combine the votes of several sources into one label column.

`sets` allows at each token whatever some source does, so `partial` learns from every answer. A product of sets that
has the answers of all sources has at least their union token by token, so nothing smaller says as much; where the union
of two answers allows a third labelling, which nobody wrote, a set for each token cannot say it, and it is counted.
Schemes differ in this: in BIOES fewer mixtures are well-formed than in IOB2.

`majority` decides a region at a time for the answer of most sources; where answers are equally frequent, or no source
has labelled the whole region, the labels with the most votes at each token stay, perhaps several.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools, Floats, Longs
from sstag.knowledge.annotators.regions import decided_answers, labellings, mixtures, regions, runs_in_conflict
from sstag.knowledge.annotators.votes import Votes


@dataclass(frozen=True, eq=False)
class Merged:
    """The labels that are allowed at each token, every one if nobody said anything; and how probable each is."""

    allowed: Bools  # (T, L)
    probabilities: Floats | None  # (T, L) of ways that weigh sources
    conflicts: int  # regions where no labelling is allowed by all sources
    mixed: int  # those of them whose sets allow a well-formed labelling that nobody wrote


Combines = Callable[[Votes, Callable[[str], None]], tuple[Bools, Floats | None]]


def merged(votes: Votes, combine: Combines, tell: Callable[[str], None] = lambda text: None) -> Merged:
    """The votes combined, with how many regions are in conflict, and how many allow a mixture."""
    allowed, probabilities = combine(votes, tell)
    places = regions(votes)
    found = list(runs_in_conflict(votes, places))
    edges = np.zeros(len(allowed) + 1, bool)
    edges[votes.offsets] = True
    mixed = sum(_is_mixed(votes, allowed, edges, first, stop) for first, stop in found)
    return Merged(allowed, probabilities, len(found), mixed)


def _is_mixed(votes: Votes, allowed: Bools, edges: Bools, first: int, stop: int) -> bool:
    """Whether the sets of a region allow a well-formed labelling that no source does."""
    if stop - first < 2 or (allowed[first:stop].sum(axis=1) == 1).all():
        return False
    answers = [votes.sets[list(rows)] & allowed[first:stop] for rows in labellings(votes, first, stop)]
    left, right = (np.zeros(len(votes.labels) + 1, bool) for _ in range(2))
    left[-1], right[-1] = edges[first], edges[stop]
    left[:-1] = False if edges[first] else allowed[first - 1]
    right[:-1] = False if edges[stop] else allowed[stop]
    return mixtures(votes.tags, answers, left, right) > 0


def as_sets(votes: Votes, tell: Callable[[str], None]) -> tuple[Bools, None]:
    """Every label that some source allows, token by token; every label where nobody says anything."""
    return _most(votes.counts, 1), None


def _most(counts: Longs, least: int | None = None) -> Bools:
    """The labels with the most votes of each token, or with at least so many; all of them where there are none."""
    bar = counts.max(axis=1, keepdims=True) if least is None else least
    result: Bools = (counts >= bar) & (counts > 0)
    result[~result.any(axis=1)] = True
    return result


def by_majority(votes: Votes, tell: Callable[[str], None]) -> tuple[Bools, None]:
    """The answer of most sources to each region."""
    allowed = _most(votes.counts)
    for first, stop in runs_in_conflict(votes, regions(votes)):
        answers = decided_answers(votes, first, stop)
        most = max((len(sources) for sources in answers.values()), default=0)
        if most:
            allowed[first:stop] = False
            for answer, sources in answers.items():
                if len(sources) == most:
                    allowed[np.arange(first, stop), list(answer)] = True
    return allowed, None
