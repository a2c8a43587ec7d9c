"""Words whose labels are known: M08's labelled features, and what is said of them (§5).

Prototypes are the three most frequent words of each label that no other label has more often (HK06), counted in the
sentences to train on; six and nine of each are two and three sets. Their labels are the usual ones (heuristic), or
those of some occurrences (sampled), looked at where sentences are to train on or to choose by. Beside labelled
sentences a set can also be `own` to them: nobody is asked anything more, and nothing but raw text is added.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sstag.corpus.corpus import Corpus, together
from sstag.experiments.mann2008.texts import OCCURRENCES, SEED, Texts
from sstag.features.grammar import features
from sstag.features.reading import beside
from sstag.features.template import Template
from sstag.features.words.context_vectors import Contexts, context_vectors
from sstag.features.words.prototypes import near
from sstag.foundation.arrays import Floats, Longs
from sstag.knowledge.proposals import (
    Proposals,
    chosen_proposals,
    every_proposal,
    majority_labels,
    sampled_counts,
    with_features,
)
from sstag.knowledge.target_shares import counted_shares, shares_text
from sstag.labels.marks import Marks

HEURISTIC, ALL = "heuristic", "all"  # and "1", "2", … occurrences that are looked at
OF_EACH = 3  # words of a label in a set
SMOOTHING = 0.1
OWN_LEAST = 2  # occurrences in raw text
WORD, KIND, SEEN_KINDS = "word[0]", "kind(word[0])", "kind(word[-1..1])"
DIMENSIONS, AROUND, LEAST, COSINE = 50, Contexts(window=3, together=True), 2, 0.35


@dataclass(frozen=True)
class Words:
    """The words of so many sets, as attributes of the sentences to train on, and of those and the choosing ones."""

    train: Proposals
    both: Proposals
    chosen: tuple[int, ...]
    sets: int

    @cached_property
    def texts(self) -> list[str]:
        """As a list of expectations has them."""
        return self.train.texts(self.chosen)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.both.labels

    @property
    def missing(self) -> int:
        """How many there are too few."""
        return OF_EACH * self.sets * len(self.labels) - len(self.chosen)

    def majority(self, place: int) -> list[str]:
        """The usual label of a word, or labels."""
        return majority_labels(self.train, self.chosen[place])

    def counts(self, samples: int | None, draw: int) -> Longs:
        """How often each label is found at so many occurrences of each word, or at all of them."""  # (M, L)
        places = self._places
        if samples is None:
            return self.both.counts[places]
        generators = (np.random.default_rng([SEED, draw, OCCURRENCES, place]) for place in range(len(places)))
        return np.stack([sampled_counts(self.both, a, samples, rng) for a, rng in zip(places, generators, strict=True)])

    @cached_property
    def _places(self) -> list[int]:
        number = {text: attribute for attribute, text in enumerate(self.both.vocabulary.texts())}
        return [number[text] for text in self.texts]


def words(template: Template, texts: Texts, sets: int, punctuation: bool, kinds: bool = False) -> Words:
    """Some sets of prototypes, with what is no word or number, or without; and kinds of tokens among them, or not."""
    looking = _looking_at(template, [WORD, *([KIND] if kinds else [])])
    train, both = (
        every_proposal(looking, part, None, Marks()) for part in (texts.train, together(texts.train, texts.development))
    )
    allowed = train
    if not punctuation:
        speaks = [any(char.isalnum() for char in text.partition("=")[2]) for text in train.vocabulary.texts()]
        allowed = replace(train, counts=train.counts * np.array(speaks)[:, None])
    return Words(train, both, tuple(chosen_proposals(allowed, "prototypes", OF_EACH * sets, 1, SMOOTHING)), sets)


def entropies(of: Words) -> Floats:
    """How ambiguous each word is: the entropy of its labels at all occurrences."""  # (M,)
    share = targets(of.counts(None, 0))
    found: Floats = -(share * np.log(share)).sum(axis=1)
    return found


def targets(counts: Longs) -> Floats:
    """The shares that counts tell of."""
    return counted_shares(counts.astype(np.float64), SMOOTHING)


def word_list(of: Words, said: str, draw: int) -> tuple[str, int]:
    """A list for `--expectations`, and how many occurrences were looked at."""
    if said == HEURISTIC:
        lines = [f"{text}\t{' '.join(of.majority(place))}\n" for place, text in enumerate(of.texts)]
        return "".join(lines), 0
    counts = of.counts(None if said == ALL else int(said), draw)
    shares = targets(counts)
    lines = [f"{text}\t{shares_text(of.labels, share)}\n" for text, share in zip(of.texts, shares, strict=True)]
    return "".join(lines), int(counts.sum())


def own(template: Template, labelled: Corpus, raw: Corpus) -> Words:
    """A set of prototypes of labelled sentences, as `sstag expectations` finds them, with their labels there."""
    found = every_proposal(_looking_at(template, [WORD]), labelled, raw, Marks())
    return Words(found, found, tuple(chosen_proposals(found, "prototypes", OF_EACH, OWN_LEAST, SMOOTHING)), 1)


def _looking_at(template: Template, lines: Sequence[str]) -> Template:
    columns = template.columns or ()
    return with_features(template, [one for line in lines for one in features(line, columns, template.label)])


def with_kinds(template: Template) -> Template:
    """A template that also looks at the kinds of a token and its neighbours."""
    added = features(SEEN_KINDS, template.columns or (), template.label)
    return replace(template, features=(*template.features, *added))


def with_similar(template: Template, raw: Corpus, of: Words) -> Template:
    """A template that also looks at the words of a list to which a word is similar, by what stands around it in a text.

    As HK06 for fields: 50 dimensions of the words that are up to three away on either side, and a cosine of 0.35.
    """
    listed = tuple(text.removeprefix(f"{WORD}=") for text in of.texts if text.startswith(f"{WORD}="))
    found = near(context_vectors(raw, "word", DIMENSIONS, AROUND, LEAST), listed, COSINE)
    added = features(f"similar({WORD}, words.tsv, raw.vectors, {COSINE})", template.columns or (), template.label)
    sources = replace(beside(""), near=lambda likeness: found)
    return sources.added(added, replace(template, features=(*template.features, *added)))
