"""Mentions of genes by the rule of GENETAG's own scorer, for which each of several texts may be right.

Beside its gold mentions the corpus lists others that are as good (Tanabe et al. 2005). A found mention is right if it
is a gold one or an alternative; a gold one is found if it was, or if an alternative that overlaps it was.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from sstag.evaluation.scoring import Evaluation
from sstag.experiments.corpora import Corpora
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import DataError
from sstag.foundation.ranges import sentences_of

LISTED, NAMED = FILES = ("bc1gm/release/Correct.Data", "bc1gm/release/TAGGED_GENE_CORPUS")  # the latter has the order
SENTENCES = 7_500
Span = tuple[int, int]  # the first token of a mention and its last, counted from the beginning of the sentence


def listed_alternatives(corpora: Corpora) -> list[frozenset[Span]]:
    """The alternatives of each sentence of the corpus; a name that is no sentence's is a slip of the release."""
    with open(corpora.path(NAMED), encoding="latin-1") as file:
        order = [line.split(maxsplit=1)[0] for line in file if line.strip()]
    if len(set(order)) != len(order) or len(order) != SENTENCES:
        raise DataError(f"{len(order):,} sentences; the corpus has {SENTENCES:,}, each with a name of its own", NAMED)
    known = defaultdict[str, set[Span]](set)
    with open(corpora.path(LISTED), encoding="latin-1") as file:
        for number, line in enumerate(file, 1):
            try:
                name, bounds, _ = line.split("|", 2)
                first, last = map(int, bounds.split())
            except ValueError as error:
                raise DataError("is no mention (NAME|FIRST LAST|TEXT)", LISTED, number) from error
            known[name].add((first, last))
    return [frozenset(known[name]) for name in order]


def mentions_of(of: Evaluation) -> tuple[list[list[Span]], list[list[Span]]]:
    """The gold mentions of each sentence, and those found."""
    assert of.chunks is not None
    sides = []
    for side in of.chunks:
        spans: list[list[Span]] = [[] for _ in of.offsets[1:]]
        owners = sentences_of(of.offsets, side.chunks.first)
        first, last = (place - of.offsets[owners] for place in (side.chunks.first, side.chunks.stop - 1))
        for owner, span in zip(owners.tolist(), zip(first.tolist(), last.tolist(), strict=True), strict=True):
            spans[owner].append(span)
        sides.append(spans)
    return sides[0], sides[1]


def counts(gold: Sequence[Sequence[Span]], found: Sequence[Sequence[Span]], others: Sequence[frozenset[Span]]) -> Longs:
    """How many gold mentions of each sentence were found, how many not, and how many found ones are wrong."""  # (S, 3)
    rows = []
    for here, ours, also in zip(gold, found, others, strict=True):
        good = [one for one in ours if one in also]
        hit = sum(one in ours or any(_overlap(one, other) for other in good) for one in here)
        wrong = sum(one not in here and one not in also for one in ours)
        rows.append((hit, len(here) - hit, wrong))
    return np.array(rows, np.int64).reshape(-1, 3)


def figures(sums: Floats) -> Floats:
    """Precision, recall and F of sums of counts."""
    hit, missed, wrong = (sums[..., place] for place in range(3))
    precision, recall = hit / np.maximum(hit + wrong, 1), hit / np.maximum(hit + missed, 1)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
    result: Floats = np.stack([precision, recall, f1], axis=-1)
    return result


def overlapping(gold: Sequence[Sequence[Span]], found: Sequence[Sequence[Span]]) -> float:
    """The share of found mentions that have a token of a gold one: no alternatives could make more of them right."""
    every = [
        any(_overlap(one, other) for other in here) for here, ours in zip(gold, found, strict=True) for one in ours
    ]
    return float(np.mean(every)) if every else 0.0


def _overlap(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
