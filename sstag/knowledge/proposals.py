"""Features worth a label, proposed from raw text and labelled sentences (Haghighi & Klein 2006; M08 §5).

    prototypes   the most frequent attributes of each label, of those that no other label has more often (HK06)
    entropy      the attributes whose label is surest: the least H(label | attribute) of smoothed counts
    coverage     one after another, the attribute of most tokens that have none of those before

Ties are broken by frequency in the first two, and then by the first occurrence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sstag.chain.functions import log
from sstag.corpus.corpus import Corpus
from sstag.features.template import Feature, Template, Text
from sstag.features.term_values import View
from sstag.features.vocabulary import Vocabulary, built
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.errors import ConfigError
from sstag.foundation.grouping import ABSENT
from sstag.knowledge.labelled_features import FeatureList
from sstag.knowledge.target_shares import counted_shares
from sstag.labels.column import labelled_text
from sstag.labels.marks import Marks


@dataclass(frozen=True)
class Proposals:
    """The attributes of some features in labelled sentences and in raw text, and how often each label has them."""

    vocabulary: Vocabulary
    labels: tuple[str, ...]
    counts: Longs  # (A, L) decided tokens; (A, 0) without labelled sentences
    ids: Ints  # (F, T) the attributes of the raw text, or without raw text of the labelled sentences
    decided: tuple[Ints, Longs] | None  # (F, D), (D,): attributes and labels of decided tokens
    occurrences: Longs  # (A,) in the raw text, or else in the labelled sentences

    def tokens(self, attribute: int) -> Longs:
        """The tokens that have an attribute, in the text whose occurrences are counted."""
        return np.flatnonzero((self.ids == attribute).any(axis=0))

    def texts(self, chosen: Sequence[int]) -> list[str]:
        """The attributes as a list of expectations writes them."""
        every = self.vocabulary.texts(np.array(chosen, np.int64))
        return [every[attribute] for attribute in chosen]


def every_proposal(template: Template, labelled: Corpus | None, raw: Corpus | None, marks: Marks) -> Proposals:
    """All attributes of a template's features as proposals; labels are counted where they are decided."""
    views = [View(corpus, template) for corpus in (labelled, raw) if corpus]
    vocabulary, ids = built(template.features, views)
    occurrences = np.bincount(ids[-1][ids[-1] != ABSENT], minlength=vocabulary.size)
    if labelled is None:
        return Proposals(vocabulary, (), np.zeros((vocabulary.size, 0), np.int64), ids[-1], None, occurrences)
    text = labelled_text(labelled, template.label, marks)
    sets, labels = text.sets, text.single
    has = labels >= 0
    decided, label = ids[0][:, has], labels[has]
    places = decided.astype(np.int64) * len(sets.labels) + label
    counts = np.bincount(places[decided != ABSENT], minlength=vocabulary.size * len(sets.labels))
    table = counts.reshape(vocabulary.size, len(sets.labels))
    return Proposals(vocabulary, sets.labels, table, ids[-1], (decided, label), occurrences)


def chosen_proposals(of: Proposals, way: str, count: int, least: int, smoothing: float) -> list[int]:
    """The numbers of the `count` best attributes that occur `least` times or more; for `prototypes` of each label."""
    if way == "coverage":
        return _covering(of, count, least)
    if of.decided is None:
        raise ConfigError(f"{way} needs labelled sentences (--train FILE); without any there is --by coverage")
    often = np.flatnonzero((of.occurrences >= least) & (of.counts.sum(axis=1) > 0))
    if way == "entropy":
        share = counted_shares(of.counts[often].astype(np.float64), max(smoothing, 1e-9))
        entropy = -(share * log(share)).sum(axis=1)
        order = np.lexsort((_first(of)[often], -of.counts[often].sum(axis=1), entropy))
        return [int(attribute) for attribute in often[order][:count]]
    return _prototypes(of, often, count)


def with_features(template: Template, features: Sequence[Feature]) -> Template:
    """The template with these features only, or if there are none with its first that looks at the token alone."""
    if features:
        return replace(template, features=tuple(features))
    for feature in template.features:
        if feature.terms and all(isinstance(term, Text) and term.offset == 0 for term in feature.terms):
            return replace(template, features=(feature,))
    raise ConfigError("no feature of the template looks at the token alone: which shall it be? (--feature word[0])")


def listed_attributes(of: Proposals, listed: FeatureList) -> tuple[dict[int, tuple[str, ...]], list[str]]:
    """The attributes of a list with the cells after them, and the names of its lines that never occur."""
    number = {text: attribute for attribute, text in enumerate(of.vocabulary.texts())}
    said = {number[line.attribute]: line.rest for line in listed.lines if line.attribute in number}
    missing = [line for line in listed.lines if line.attribute not in number]
    return said, [f"{listed.path}:{line.line}: '{line.attribute}'" for line in missing]


def majority_labels(of: Proposals, attribute: int) -> list[str]:
    """The label that an attribute has most often, or several that tie."""
    counts = of.counts[attribute]
    return [label for label, times in zip(of.labels, counts.tolist(), strict=True) if times == max(counts) > 0]


def sampled_counts(of: Proposals, attribute: int, count: int, rng: np.random.Generator) -> Longs:
    """The counts of labels at `count` occurrences drawn at random, or at all if there are no more."""  # (L,)
    assert of.decided is not None
    ids, labels = of.decided
    has = labels[(ids == attribute).any(axis=0)]
    return np.bincount(rng.permutation(has)[:count], minlength=len(of.labels))


def _prototypes(of: Proposals, often: Longs, count: int) -> list[int]:
    first, chosen = _first(of), dict[int, None]()
    for label in range(len(of.labels)):
        times = of.counts[often, label]
        own = often[(times > 0) & (times == of.counts[often].max(axis=1))]
        order = own[np.lexsort((first[own], -of.counts[own, label]))]
        chosen |= dict.fromkeys([a for a in order.tolist() if a not in chosen][:count])
    return list(chosen)


def _first(of: Proposals) -> Longs:
    """The first decided token that has each attribute."""  # (A,)
    assert of.decided is not None
    ids, tokens = of.decided[0], of.decided[0].shape[1]
    first = np.full(len(of.counts), tokens)
    for row in ids:
        np.minimum.at(first, row[row != ABSENT], np.flatnonzero(row != ABSENT))
    return first


def _covering(of: Proposals, count: int, least: int) -> list[int]:
    """The attributes that cover most tokens, chosen greedily; of equally good ones the first is taken."""
    left, open_ = of.occurrences.copy(), np.ones(of.ids.shape[1], bool)
    chosen: list[int] = []
    while len(chosen) < count and len(left) and left.max() >= least:
        attribute = int(left.argmax())
        chosen.append(attribute)
        covered = open_ & (of.ids == attribute).any(axis=0)
        open_ &= ~covered
        lost = of.ids[:, covered]
        np.subtract.at(left, lost[lost != ABSENT], 1)
    return chosen
