"""The text of proposed features: a list for `train --expectations`, with counts and contexts in comments.

# 812 occurrences; rent 97.1 %, features 2.0 %
#   … Monthly [rent] : $ 1,725 utilities paid
lower(word[0])=rent<TAB>rent
"""

from collections.abc import Sequence

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import counted
from sstag.foundation.ranges import sentence_of
from sstag.knowledge.expectation_list import OPEN, are_labels
from sstag.knowledge.proposals import Proposals, majority_labels, sampled_counts
from sstag.knowledge.target_shares import counted_shares, heuristic, shares_text, standard_errors

AROUND = 6  # words on either side
MOST = 3  # labels in a comment


def proposal_entry(attribute: str, target: str, comments: Sequence[str]) -> str:
    """The lines of a feature: its comments, and below them the feature and its target."""
    return "".join(f"# {comment}\n" for comment in comments) + f"{attribute}\t{target}\n"


def occurrences_text(of: Proposals, attribute: int) -> str:
    """The number of a feature's occurrences, and the shares of its most frequent labels, for a comment."""
    counts = of.counts[attribute]
    shares = [
        f"{of.labels[place]} {100 * counts[place] / counts.sum():.1f} %"
        for place in np.argsort(-counts, kind="stable")[:MOST].tolist()
        if counts[place]
    ]
    times = counted(int(of.occurrences[attribute]), "occurrence")
    return "; ".join([times, *([f"labelled {counts.sum():,}: {', '.join(shares)}"] if shares else [])])


def target_text(
    of: Proposals, attribute: int, kind: str, samples: int, smoothing: float, rng: np.random.Generator
) -> tuple[str, list[str]]:
    """The label shares proposed for a feature, as list text, and comment lines."""
    if kind in ("estimated", "sampled") and not of.counts[attribute].any():
        return OPEN, ["no labelled occurrence"]
    match kind:
        case "estimated":
            return shares_text(of.labels, counted_shares(of.counts[attribute].astype(np.float64), smoothing)), []
        case "sampled":
            return sampled_shares_text(of.labels, sampled_counts(of, attribute, samples, rng), smoothing)
        case "majority":
            return labels_text(of.labels, majority_labels(of, attribute)), []
    return OPEN, []


def labels_text(labels: Sequence[str], named: Sequence[str]) -> str:
    """The text of a target with these labels. Labels that a list would not read as such are written with shares."""
    if not named:
        return OPEN
    if are_labels(named):
        return " ".join(named)
    return shares_text(labels, heuristic([labels.index(label) for label in named], len(labels)))


def sampled_shares_text(labels: Sequence[str], counts: Longs, smoothing: float) -> tuple[str, list[str]]:
    """The text of the shares that counts of some occurrences give, and a comment with their standard errors."""
    target: Floats = counted_shares(counts.astype(np.float64), smoothing)
    errors = standard_errors(target, int(counts.sum()))
    said = [
        f"{labels[place]} {100 * target[place]:.1f} ± {100 * errors[place]:.1f} %"
        for place in np.argsort(-target, kind="stable")[:MOST].tolist()
        if counts[place]
    ]
    return shares_text(labels, target), [f"{counted(int(counts.sum()), 'occurrence')} looked at: {', '.join(said)}"]


def in_context(corpus: Corpus, token: int, around: int = AROUND) -> str:
    """A token in [brackets] among the words around it."""
    sentence = sentence_of(corpus.offsets, token)
    begin, end = corpus.offsets[sentence : sentence + 2].tolist()
    first, last = max(token - around, begin), min(token + 1 + around, end)
    column = corpus.word_column
    words = [corpus.values[column][code] for code in corpus.codes[column][first:last].tolist()]
    words[token - first] = f"[{words[token - first]}]"
    return " ".join([*(["…"] if first > begin else []), *words, *(["…"] if last < end else [])])
