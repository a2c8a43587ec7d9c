"""The candidates of a pool: whole sentences, or spans of them, that were not asked for before."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus
from sstag.corpus.fingerprints import fingerprints
from sstag.features.lexicon import Lexicon
from sstag.features.lexicon_places import PLACES, lexicon_places
from sstag.features.sentence_vectors import SentenceVectors, fitted
from sstag.features.template import Template
from sstag.foundation.arrays import Bools, Floats, Ints, Longs, Singles
from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import Over
from sstag.foundation.ranges import offsets_of, sentences_of
from sstag.labels.schemes.tagset import chunks, tolerant_tagset
from sstag.model.model import Model
from sstag.model.runs import asked_in_runs
from sstag.selection.density import Density
from sstag.selection.density.file import density_of_text


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates as runs of tokens in the order of the pool; each is a sentence or a part of one."""

    first: Longs  # (C,)
    stop: Longs  # (C,)
    sentence: Longs  # (C,)
    whole: bool
    asked: Bools | None = None  # (T,) the tokens of the pool that may be asked for; None: all
    sizes: Longs | None = None  # (C,) how many tokens of each are asked for, where `asked` is somewhere else

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def lengths(self) -> Longs:
        """How many tokens of each candidate are asked for."""  # (C,)
        if self.sizes is not None:
            return self.sizes
        if self.asked is None:
            return self.stop - self.first
        before = np.concatenate([[0], np.cumsum(self.asked)])
        result: Longs = before[self.stop] - before[self.first]
        return result

    def where(self, kept: Bools | Longs) -> "Candidates":
        sizes = None if self.sizes is None else self.sizes[kept]
        return Candidates(self.first[kept], self.stop[kept], self.sentence[kept], self.whole, self.asked, sizes)

    @property
    def tokens(self) -> Longs:
        """The tokens that are asked for, candidate by candidate; one that is in two candidates stands there twice."""
        each = [np.arange(first, stop) for first, stop in zip(self.first.tolist(), self.stop.tolist(), strict=True)]
        every: Longs = np.concatenate([np.zeros(0, np.int64), *each])
        return every if self.asked is None else every[self.asked[every]]


@dataclass(frozen=True, eq=False)
class Pool:
    """Sentences to choose from, with the model, the density and the terms that say something of them."""

    corpus: Corpus
    label: str | None  # the column of the labels, which nothing here looks at
    over: Over
    model: Model | None = None
    density: Density | None = None
    terms: Lexicon | None = None
    meaning: Template | None = None  # its dense features say what sentences mean; None: those of the model do

    @cached_property
    def vectors(self) -> tuple[SentenceVectors, Singles]:
        """How sentences become vectors of what they mean, and those of the pool."""
        return fitted(self.meaning or template_of_meaning(self.model), self.corpus)

    @cached_property
    def log_q(self) -> np.ndarray:
        """log q(x) of each sentence, under the density, or the trigrams of the pool itself."""  # (S,)
        density = self.density or density_of_text([self.corpus], label=self.label)
        return density.log_q(self.corpus, self.over)

    @cached_property
    def labels_found(self) -> Ints:
        """The model's best labels."""  # (T,)
        assert self.model
        found = asked_in_runs(self.model, self.corpus, self.over, lambda first, lattice: lattice.viterbi()[0])
        return np.concatenate([np.zeros(0, np.int32), *found])

    @cached_property
    def confidence(self) -> Floats:
        """How probable the model's best label of each token is, p_t(ŷ_t|x)."""  # (T,)
        assert self.model
        found = asked_in_runs(self.model, self.corpus, self.over, lambda first, lattice: _sureness(lattice))
        return np.concatenate([np.zeros(0), *found])

    @cached_property
    def spans(self) -> Candidates:
        """The places of the terms, or else the chunks that the model finds."""
        corpus = self.corpus
        if self.terms is None:
            assert self.model
            tags = tolerant_tagset(self.model.labels, self.model.scheme)
            found = chunks(tags, self.labels_found, corpus.offsets)
            return _within_sentences(found.first, found.stop, corpus)
        at = lexicon_places(
            self.terms, corpus.values[corpus.word_column], corpus.codes[corpus.word_column], corpus.offsets
        )
        single, begin, _, end = (at == number for number in range(len(PLACES)))
        return _within_sentences(np.flatnonzero(single | begin), np.flatnonzero(single | end) + 1, corpus)


def template_of_meaning(model: Model | None) -> Template:
    """The template that says what sentences mean, if nobody names another one."""
    if model is None:
        raise ConfigError(
            "what do sentences mean? name a template with dense features, or a file of vectors (--meaning)"
        )
    return model.template


def _sureness(lattice: Lattice) -> Floats:
    labels, _ = lattice.viterbi()
    result: Floats = lattice.nodes[np.arange(len(labels)), labels]
    return result


def _within_sentences(first: Longs, stop: Longs, corpus: Corpus) -> Candidates:
    return Candidates(first, stop, sentences_of(corpus.offsets, first), whole=False)


def whole_sentences(pool: Pool) -> Candidates:
    """All sentences as candidates; with a list of terms, those that have one."""
    offsets = pool.corpus.offsets
    every = Candidates(offsets[:-1], offsets[1:], np.arange(pool.corpus.sentences), whole=True)
    return every if pool.terms is None else every.where(np.isin(every.sentence, pool.spans.sentence))


def unsure_parts(pool: Pool, confidence: float) -> Candidates:
    """Sentences in which only those tokens are asked for whose best label is less probable than `confidence` (SeSAL).

    A sentence without such a token is no candidate.
    """
    every = replace(whole_sentences(pool), asked=pool.confidence < confidence)
    return every.where(every.lengths > 0)


def single_tokens(pool: Pool) -> Candidates:
    """All tokens as candidates; with a list of terms, the tokens of the terms."""
    tokens = np.arange(pool.corpus.tokens)
    if pool.terms is not None:
        tokens = tokens[_covered(pool.spans, pool.corpus.tokens)]
    return _within_sentences(tokens, tokens + 1, pool.corpus)


def _covered(spans: Candidates, tokens: int) -> Bools:
    """The tokens that are in one of the spans."""  # (T,)
    change = np.bincount(spans.first, minlength=tokens + 1) - np.bincount(spans.stop, minlength=tokens + 1)
    result: Bools = np.cumsum(change)[:-1] > 0
    return result


@dataclass(frozen=True, eq=False)
class Earlier:
    """The sentences that were asked for before, and which of their tokens are labelled."""

    numbers: Longs  # (E,) fingerprints of their words, ascending
    offsets: Longs  # (E + 1,)
    labelled: Bools


def asked_before(before: Iterable[Corpus], label: str, mark: str) -> Earlier:
    """The sentences of earlier files; in one without labels every token counts as labelled."""
    known: dict[int, Bools] = {}
    for corpus in before:
        labelled = np.ones(corpus.tokens, bool)
        if label in corpus.columns:
            column = corpus.column(label)
            labelled = np.array([text != mark for text in corpus.values[column]])[corpus.codes[column]]
        words = [corpus.columns[corpus.word_column]]
        for sentence, number in enumerate(fingerprints(corpus, words).tolist()):
            here = labelled[corpus.offsets[sentence] : corpus.offsets[sentence + 1]]
            known[number] = known.get(number, False) | here
    numbers = sorted(known)
    sizes = np.array([len(known[one]) for one in numbers], np.int64)
    every = np.concatenate([np.zeros(0, bool), *map(known.__getitem__, numbers)])
    return Earlier(np.array(numbers, np.int64), offsets_of(sizes), every)


def not_asked_before(candidates: Candidates, pool: Corpus, before: Earlier) -> Bools:
    """Whether each candidate is new: a sentence in no earlier file, or a span without a token labelled there."""
    asked = np.zeros(pool.tokens + 1, np.int64)
    if len(before.numbers):
        numbers = fingerprints(pool, [pool.columns[pool.word_column]])
        place = np.minimum(np.searchsorted(before.numbers, numbers), len(before.numbers) - 1)
        for sentence in np.flatnonzero(before.numbers[place] == numbers).tolist():
            own = slice(*before.offsets[place[sentence] : place[sentence] + 2].tolist())
            tokens = slice(int(pool.offsets[sentence]) + 1, int(pool.offsets[sentence + 1]) + 1)
            asked[tokens] = True if candidates.whole else before.labelled[own]
    sums = np.cumsum(asked)
    result: Bools = sums[candidates.stop] == sums[candidates.first]
    return result
