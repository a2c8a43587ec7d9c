"""Vectors of sentences: the mean of the vectors of their words, in which rare words count most (Arora et al. 2017).

    v_s = Σ_t w_t n_t / Σ_t w_t        w_t = a / (a + the share of the word of t in the text)

over the tokens t that have a vector n_t. Each number is then standardised over the sentences of the text, vectors from
different places count alike however long they are, and the whole is scaled to length 1, so that ‖v − u‖² is
2 − 2 cos(v, u). A sentence without any vector is 0, as is one whose numbers are all the means. The order of every sum
is fixed, as everywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sstag.chain import _core
from sstag.corpus.corpus import Corpus
from sstag.features.dense import Table, tables
from sstag.features.template import Dense, Source, Template
from sstag.features.term_values import View
from sstag.foundation.arrays import Bools, Floats, Longs, Singles
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.grouping import ABSENT
from sstag.foundation.parallel import Over, even_slices
from sstag.foundation.ranges import end_of_run, row_of_each

RARE = 1e-3  # a: a word with this share of all tokens counts half as much as one that never occurs
SOME = 2**13  # tokens, or sentences, that are looked at together
ROUNDING = 1e-5  # a number that varies by less than this share of its mean says nothing, nor does a shorter vector
MOST_BYTES = 2 * 2**30  # of the vectors of all sentences

Means: TypeAlias = tuple[Singles, Bools]  # (S, D) of the numbers of each sentence, (S,) whether it has any
Place = tuple[str, Source | None]  # where numbers come from: a file of vectors and its words, or an encoder


@dataclass(frozen=True, eq=False)
class SentenceVectors:
    """How the sentences of any text become vectors, as it was fitted to one text."""

    features: tuple[Dense, ...]  # one for each place that numbers come from
    template: Template
    shares: Mapping[str, float]  # of the words among the tokens of that text
    standards: tuple[tuple[Floats, Floats], ...]  # by how much the numbers of each place are moved and multiplied

    def of(self, corpus: Corpus) -> Singles:
        """A row for each sentence, of length 1, or 0 where nothing tells it from the mean."""  # (S, D)
        weights = _weights(corpus, self.shares)
        found = tables(View(corpus, self.template), self.features)
        return self._joined([_means(found[one.of], corpus.offsets, weights) for one in self.features])

    def _joined(self, means: Sequence[Means]) -> Singles:
        sizes = [own.shape[1] for own, _ in means]
        result = np.zeros((len(means[0][0]), sum(sizes)), np.float32)
        for begin in range(0, len(result), SOME):
            some = slice(begin, begin + SOME)
            rows = [
                np.where(has[some, None], (own[some] - mean) * factor, 0.0)
                for (own, has), (mean, factor) in zip(means, self.standards, strict=True)
            ]
            row = np.concatenate(rows, axis=1)
            length = np.sqrt((row**2).sum(axis=1, keepdims=True))
            result[some] = row / np.where(length > ROUNDING, length, np.inf)
        return result


def fitted(template: Template, corpus: Corpus) -> tuple[SentenceVectors, Singles]:
    """How sentences become vectors by the dense features of a template, fitted to a text, and the vectors of that."""
    codes, values = corpus.codes[corpus.word_column], corpus.values[corpus.word_column]
    counts = np.bincount(codes, minlength=len(values)) / max(corpus.tokens, 1)
    shares = dict(zip(values, counts.tolist(), strict=True))
    return standardised(template, shares, means_of(template, shares, corpus))


def means_of(template: Template, shares: Mapping[str, float], corpus: Corpus) -> list[Means]:
    """The means of each sentence, for each place that numbers come from; `shares` are those of words."""
    features = places_of(template)
    found = tables(View(corpus, template), features)
    refuse_large(corpus.sentences, sum(table.numbers.shape[1] for table in found.values()), corpus.path)
    weights = _weights(corpus, shares)
    return [_means(found[one.of], corpus.offsets, weights) for one in features]


def refuse_large(sentences: int, dimensions: int, path: str) -> None:
    """Raises an error if the vectors of so many sentences are too large to be looked at together."""
    size = 4 * sentences * dimensions
    if size > MOST_BYTES:
        raise DataError(
            f"the vectors of {sentences:,} sentences take {size / 2**30:.1f} GiB (at most "
            f"{MOST_BYTES / 2**30:.0f}): choose from a part of them",
            path,
        )


def standardised(
    template: Template, shares: Mapping[str, float], means: Sequence[Means]
) -> tuple[SentenceVectors, Singles]:
    """How sentences become vectors by the means of a whole text, and the vectors of that."""
    how = SentenceVectors(places_of(template), template, shares, tuple(_standard(*one) for one in means))
    return how, how._joined(means)


def cosines(vectors: Singles, of: Singles, over: Over) -> Floats:
    """The cosine of each vector with each of some others; all of them have length 1, or are 0."""  # (S, N)
    weights = np.zeros((vectors.shape[1] + 1, len(of)))
    weights[:-1] = of.T
    result = np.empty((len(vectors), len(of)))
    over(lambda some: _core.dense_scores(vectors[some], weights, result[some]), even_slices(len(vectors)))
    return result


def places_of(template: Template) -> tuple[Dense, ...]:
    """A feature for each place that numbers come from, at the token itself."""
    if not template.dense:
        raise ConfigError(
            "no feature is vector(…) or encoded(…), so nothing says what sentences mean: "
            "name a template that has one, or a file of vectors (--meaning)"
        )
    return tuple({one.of: replace(one, offset=0) for one in template.dense}.values())


def _weights(corpus: Corpus, shares: Mapping[str, float]) -> Floats:
    """The weight of each token: the rarer its word, the more it counts."""  # (T,)
    values = corpus.values[corpus.word_column]
    of_word = np.array([RARE / (RARE + shares.get(word, 0.0)) for word in values])
    result: Floats = of_word[corpus.codes[corpus.word_column]]
    return result


def _means(table: Table, offsets: Longs, weights: Floats) -> Means:
    """The weighted mean of the numbers of each sentence, and whether one of its tokens has any."""
    count, dimensions = len(offsets) - 1, table.numbers.shape[1]
    sums, sentences = np.zeros((count, dimensions), np.float32), row_of_each(offsets)
    stop = 0
    while stop < count:
        first, stop = stop, end_of_run(offsets, stop, SOME)  # whole sentences: what stands beside one changes nothing
        begin, end = offsets[first], offsets[stop]
        tokens = begin + np.flatnonzero(table.rows[begin:end] != ABSENT)
        if not len(tokens):
            continue
        own = sentences[tokens]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        weighed = table.numbers[table.rows[tokens]].astype(np.float64) * weights[tokens, None]
        sums[own[starts]] += np.add.reduceat(weighed, starts, axis=0)
    having = table.rows != ABSENT
    total = np.bincount(sentences[having], weights[having], minlength=count)
    sums /= np.where(total > 0, total, 1.0)[:, None].astype(np.float32)
    return sums, total > 0


def _standard(means: Singles, has: Bools) -> tuple[Floats, Floats]:
    """By how much each number is moved and multiplied, so that its mean is 0 and all together vary by 1."""
    count, dimensions = max(int(has.sum()), 1), means.shape[1]
    mean, squares = np.zeros(dimensions), np.zeros(dimensions)
    for begin in range(0, len(means), SOME):
        some = slice(begin, begin + SOME)
        mean += means[some][has[some]].sum(axis=0, dtype=np.float64)
    mean /= count
    for begin in range(0, len(means), SOME):
        some = slice(begin, begin + SOME)
        squares += ((means[some][has[some]] - mean) ** 2).sum(axis=0)
    deviation = np.sqrt(squares / count)
    if not np.isfinite(deviation).all():
        raise ConfigError("a vector has a number that is not finite")
    varies = deviation > ROUNDING * np.abs(mean)
    return mean, np.where(varies, 1.0 / (np.where(varies, deviation, 1.0) * np.sqrt(dimensions)), 0.0)
