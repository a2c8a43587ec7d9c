"""Words and other features worth a label: proposals of the raw text, with what is known of each."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np

from sstag.corpus.corpus import Corpus, corpus_of
from sstag.features.grammar import features as features_in
from sstag.features.plain_words import attribute_in_words, feature_in_words
from sstag.features.reading import load_template
from sstag.features.template import Feature, Template, Text
from sstag.foundation.arrays import Bools
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.json_values import Json
from sstag.foundation.ranges import sentence_of
from sstag.interfaces.annotate.effects import Means, means, shares_at
from sstag.interfaces.annotate.knowledge import Knowledge, merged_columns
from sstag.interfaces.annotate.project import Project
from sstag.interfaces.annotate.proposing import PROPOSED_BY, best_proposals, sought
from sstag.interfaces.annotate.ranking import Sample, sample
from sstag.interfaces.annotate.records import in_context
from sstag.interfaces.annotate.saying import OUTSIDE, column
from sstag.interfaces.annotate.suggester import Suggester, Work
from sstag.knowledge.function_words import says_little
from sstag.knowledge.labelled_features import attribute_of
from sstag.knowledge.proposals import Proposals, every_proposal, with_features
from sstag.labels.marks import Marks
from sstag.labels.schemes.tagset import tolerant_tagset

LOOKED_AT = 5_000  # texts that features are counted in
CONTEXTS, AROUND = 5, 6
SEARCH = "search"
WAYS = (*PROPOSED_BY, SEARCH)


@dataclass(frozen=True)
class Wish:
    """A request for proposals."""

    kind: str  # of features, such as word[0]
    way: str
    count: int
    search: str


class Features:
    """The features of a project."""

    def __init__(self, project: Project, suggester: Suggester) -> None:
        self.project, self.suggester = project, suggester
        self._lock = Lock()
        self._means: tuple[Work, Means] | None = None

    @cached_property
    def template(self) -> Template:
        """The template of the project, with names for its columns."""
        names = self.project.pool.parts[0].corpus.columns
        return load_template(self.project.settings.template).named((*names, "label"))

    @cached_property
    def kinds(self) -> list[str]:
        """The features that look at the token alone: its word, and what the template makes of it."""
        own = [
            one.name
            for one in self.template.features
            if one.terms and all(isinstance(term, Text) and term.offset == 0 for term in one.terms)
        ]
        return list(dict.fromkeys([f"{self.project.word}[0]", *own]))

    @cached_property
    def drawn(self) -> Sample:
        """The texts that features are counted in."""
        return sample(self.project.pool, LOOKED_AT, np.random.default_rng(0))

    @property
    def texts(self) -> Corpus:
        return self.drawn.corpus

    def in_words(self, said: str) -> str:
        """A feature as people say it; as it stands, if it is of another template."""
        try:
            feature, attribute = attribute_of(said, self.template)
        except ConfigError:
            return said
        return attribute_in_words(feature, attribute, self.template.columns or (), self.project.word)

    @cached_property
    def kinds_in_words(self) -> list[dict[str, Json]]:
        """The kinds of features with what people call them."""
        columns = self.template.columns or ()
        return [
            {"feature": kind, "says": feature_in_words(self._feature(kind), columns, self.project.word)}
            for kind in self.kinds
        ]

    def checked(self, said: str) -> str:
        """A feature as a list has it; one that looks into a file is refused, since no path comes from a client."""
        try:
            feature, attribute = attribute_of(said, self.template)
        except ConfigError as error:
            raise DataError(error.message) from error
        if not all(isinstance(term, Text) for term in feature.terms) and feature.name not in self.kinds:
            raise DataError(f"{feature.name:.60}: only features of columns can be labelled here")
        return attribute

    def proposed(self, wish: Wish, known: Knowledge) -> list[dict[str, Json]]:
        """The features that are proposed, with what is known of each."""
        if wish.kind not in self.kinds:
            raise DataError(f"'feature' is one of {', '.join(self.kinds)}")
        if wish.way not in WAYS:
            raise DataError(f"'by' is one of {', '.join(WAYS)}")
        made = self._feature(wish.kind)
        labelled = self._labelled(known)
        with self._lock:
            of = every_proposal(with_features(self.template, [made]), labelled, self.texts, Marks())
            shares = self._shares()
        names = of.vocabulary.texts()
        values = [name.removeprefix(f"{made.name}=") for name in names]
        if wish.way == SEARCH:
            chosen = sought(of, values, wish.search, self._little)
        else:
            done = {*known.lines, *known.nothing}
            doubts = None if shares is None else 1.0 - shares[0].max(axis=1)
            left = np.array([name not in done for name in names], bool)
            chosen = best_proposals(of, wish.way, wish.count, left, doubts, self._little)
        return [self._about(of, at, names[at], known, shares) for at in chosen[: wish.count]]

    @cached_property
    def _little(self) -> Bools:
        """The tokens of the texts that are function words or punctuation."""  # (T,)
        place = self.texts.column(self.project.word)
        values, codes = self.texts.values[place], self.texts.codes[place]
        little: Bools = says_little(values, np.bincount(codes, minlength=len(values)))[codes]
        return little

    def _feature(self, kind: str) -> Feature:
        return features_in(kind, self.template.columns or (), self.template.label)[0]

    def _labelled(self, known: Knowledge) -> Corpus | None:
        """The answered texts as labelled sentences."""
        settings, names = self.project.settings, self.project.pool.parts[0].corpus.columns
        rows = []
        for one in known.texts.values():
            if whole := one.whole():
                labels = [column(said, len(one.text.tokens), settings.scheme, settings.outside) for said in whole]
                cells = [one.text.columns[name] for name in names]
                rows.append(list(zip(*cells, merged_columns(labels, settings.tags), strict=True)))
        return corpus_of(rows, (*names, self.template.label)) if rows else None

    def _shares(self) -> Means | None:
        """The probabilities of the model at work on the texts that features are counted in."""
        work = self.suggester.work
        if work is None:
            return None
        if self._means is None or self._means[0] is not work:
            self._means = work, means(work.model, self.texts)
        return self._means[1]

    def _about(self, of: Proposals, at: int, name: str, known: Knowledge, shares: Means | None) -> dict[str, Json]:
        tokens = of.tokens(at)
        drawn = np.random.default_rng(at).permutation(tokens)[:CONTEXTS].tolist()
        line = known.lines.get(name)
        said: Json = dict(line.said) if line else {"nothing": True} if name in known.nothing else None
        return {
            "feature": name,
            "says": self.in_words(name),
            "occurrences": int(of.occurrences[at]),
            "contexts": [self._context(token) for token in drawn],
            "labelled": self._counts(of, at),
            "model": shares_at(tokens, shares) if shares else None,
            "said": said,
        }

    def _context(self, token: int) -> Json:
        sentence = sentence_of(self.texts.offsets, token)
        text = self.project.pool.text(int(self.drawn.numbers[sentence]))
        first = token - int(self.texts.offsets[sentence])
        return in_context(text, first, first + 1, AROUND)

    def _counts(self, of: Proposals, at: int) -> dict[str, Json]:
        """How often answered tokens with a feature have each label, the most frequent first."""
        tags = tolerant_tagset(of.labels, self.project.settings.scheme)
        counts: Counter[str] = Counter()
        for place, times in enumerate(of.counts[at].tolist()):
            if times:
                kind = int(tags.type[place])
                counts[OUTSIDE if kind < 0 else tags.types[kind]] += times
        return dict(counts.most_common())
