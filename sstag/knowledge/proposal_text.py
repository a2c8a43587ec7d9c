"""Features to label, as text: a list for `train --expectations`, with what is known of them in comments.

# 812 occurrences; rent 97.1 %, features 2.0 %
#   … Monthly [rent] : $ 1,725 utilities paid
lower(word[0])=rent<TAB>rent
"""

from collections.abc import Sequence

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import counted as so_many
from sstag.knowledge.expectation_list import OPEN, is_label
from sstag.knowledge.proposals import Proposals, majority, sampled
from sstag.knowledge.target_shares import counted, heuristic, standard_errors, written

AROUND = 6  # words on either side
MOST = 3  # labels in a comment


def entry(attribute: str, target: str, comments: Sequence[str]) -> str:
    """A feature with its target, below its comments."""
    return "".join(f"# {comment}\n" for comment in comments) + f"{attribute}\t{target}\n"


def known_of(of: Proposals, attribute: int) -> str:
    """How often a feature occurs, and which labels it has."""
    counts = of.counts[attribute]
    shares = [
        f"{of.labels[place]} {100 * counts[place] / counts.sum():.1f} %"
        for place in np.argsort(-counts, kind="stable")[:MOST].tolist()
        if counts[place]
    ]
    times = so_many(int(of.occurrences[attribute]), "occurrence")
    return "; ".join([times, *([f"labelled {counts.sum():,}: {', '.join(shares)}"] if shares else [])])


def target_text(
    of: Proposals, attribute: int, kind: str, samples: int, smoothing: float, rng: np.random.Generator
) -> tuple[str, list[str]]:
    """What is said of a feature, and how sure that is."""
    if kind in ("estimated", "sampled") and not of.counts[attribute].any():
        return OPEN, ["no labelled occurrence"]
    match kind:
        case "estimated":
            return written(of.labels, counted(of.counts[attribute].astype(np.float64), smoothing)), []
        case "sampled":
            return of_samples(of.labels, sampled(of, attribute, samples, rng), smoothing)
        case "majority":
            return usual(of.labels, majority(of, attribute)), []
    return OPEN, []


def usual(labels: Sequence[str], named: Sequence[str]) -> str:
    """These labels; what a list would not read as labels stands there with the shares that are meant."""
    if all(map(is_label, named)):
        return " ".join(named) or OPEN
    return written(labels, heuristic([labels.index(label) for label in named], len(labels)))


def of_samples(labels: Sequence[str], counts: Longs, smoothing: float) -> tuple[str, list[str]]:
    """The shares that some occurrences tell of, and their standard errors."""
    target: Floats = counted(counts.astype(np.float64), smoothing)
    errors = standard_errors(target, int(counts.sum()))
    said = [
        f"{labels[place]} {100 * target[place]:.1f} ± {100 * errors[place]:.1f} %"
        for place in np.argsort(-target, kind="stable")[:MOST].tolist()
        if counts[place]
    ]
    return written(labels, target), [f"{so_many(int(counts.sum()), 'occurrence')} looked at: {', '.join(said)}"]


def in_context(corpus: Corpus, token: int, around: int = AROUND) -> str:
    """A token in [brackets], between the words around it."""
    sentence = int(np.searchsorted(corpus.offsets, token, side="right")) - 1
    begin, end = corpus.offsets[sentence : sentence + 2].tolist()
    first, last = max(token - around, begin), min(token + 1 + around, end)
    column = corpus.word_column
    words = [corpus.values[column][code] for code in corpus.codes[column][first:last].tolist()]
    words[token - first] = f"[{words[token - first]}]"
    return " ".join([*(["…"] if first > begin else []), *words, *(["…"] if last < end else [])])
