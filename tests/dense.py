"""Dense features for tests: vectors of words and of tokens that are made, and models with them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.features.dense import Standard, Table, TokenTable, WordTable
from sstag.features.incidence import Incidence
from sstag.features.reading import beside, template
from sstag.features.template import Template
from sstag.model.dataset import Dataset
from sstag.model.model import Model


class MadeVectors:
    """A vector for each word that has an even number of letters, from its letters."""

    dimensions, digest = 5, "made"

    def of(self, words: Sequence[str]):
        places = np.array([place for place, word in enumerate(words) if len(word) % 2 == 0], np.int64)
        return places, np.array([letters(words[place], 5) for place in places.tolist()], np.float32).reshape(-1, 5)

    def listed(self):
        words = ["rent", "pets", "cozy"]
        return words, self.of(words)[1]


class MadeEncoder:
    """A vector for each token, from its letters and those of the token before it, in half precision."""

    dimensions, digest, column = 3, "made too", "word"

    def numbers(self, corpus: Corpus):
        words = [corpus.values[0][code] for code in corpus.codes[0].tolist()]
        return np.array([letters(a + b, 3) for a, b in zip(["", *words], words, strict=False)], np.float16)


def letters(word: str, size: int) -> list[float]:
    return [np.sin(sum(map(ord, word)) * (d + 1)) for d in range(size)]


def dense_template(text: str) -> Template:
    """A template in whose lines vectors and encoders may have any name."""
    sources = replace(beside(""), vectors=lambda name: MadeVectors(), encoder=lambda name, settings: MadeEncoder())
    return template(text, "made.yaml", sources)


DENSE = """columns: [word, label]
encoders: {mini: {model: made}}
features:
  - word[-1..1]
  - shape(word[0])
  - suffix(word[0], 2)
  - vector(word[-1..1], made)
  - vector(lower(word[0]), made, 0.5)
  - encoded(mini[0..1], 0.7)
"""
WITHOUT_STEPS = """columns: [word, label]
features: ['vector(word[-1..0], made)', 'encoded(mini[0])']
edges: []
encoders: {mini: {model: made}}
"""


def dense_numbers(tagger: Model, how: Template, text: Corpus):
    """The numbers that each token of a text has by the dense features of a template, standardised."""  # (T, D)
    words = [text.values[0][code] for code in text.codes[0].tolist()]
    encoded, columns = MadeEncoder().numbers(text).astype(float), []
    for feature, standard in zip(how.dense, tagger.weight_map.dense, strict=True):
        x = np.zeros((text.tokens, len(standard.mean)))
        for begin, end in pairwise(text.offsets.tolist()):
            for t in range(max(begin - feature.offset, begin), end):
                _, found = MadeVectors().of([words[t + feature.offset]]) if feature.source else ([], encoded[t : t + 1])
                if len(found):
                    x[t] = standard.factor * (found[0].astype(np.float64) - standard.mean)
        columns.append(x)
    return np.concatenate(columns, axis=1)


def with_dense(rng, data: Dataset, attributes: int) -> tuple[Dataset, tuple[Standard, ...]]:
    """A dataset with three dense features more, of which the first two are of words: rows before any bundle.

    The numbers of tokens, and what they are standardised by, have few digits, so that their products with weights that
    have few digits are exact in single precision, and tests of gradients by differences are as sharp as those of words.
    """
    tokens, entries = int(data.offsets[-1]), [[] for _ in range(int(data.offsets[-1]))]
    blocks: list[Table] = []
    standards, first = [], attributes
    for of_words, dimensions in ((True, 4), (True, 9), (False, 2)):
        rows = rng.integers(-1, 6, tokens).astype(np.int32)
        if of_words:
            numbers = rng.normal(size=(6, dimensions)).astype(np.float32)
            standards.append(Standard(rng.normal(size=dimensions), rng.uniform(0.5, 2, dimensions), 0.5))
            blocks.append(WordTable(numbers, rows, ("",) * 6))
            for token in np.flatnonzero(rows >= 0).tolist():
                entries[token].append(first + rows[token])
            first += len(numbers)
        else:
            mean, factor = (rng.integers(1, 4, dimensions) / 4 for _ in range(2))
            standards.append(Standard(mean, factor, 0.5))
            blocks.append(TokenTable((rng.integers(-4, 5, (6, dimensions)) / 4).astype(np.float16), rows))
    unary = data.unary
    for token, own in enumerate(entries):
        own[:0] = unary.indices[unary.indptr[token] : unary.indptr[token + 1]].tolist()
    indptr = np.concatenate([[0], np.cumsum([len(own) for own in entries])])
    values = None if unary.values is None else rng.normal(size=indptr[-1])
    indices = np.array([one for own in entries for one in own], np.int32)
    return replace(data, unary=Incidence(indptr, indices, values), dense=tuple(blocks)), tuple(standards)


def few_digits(theta):
    """Weights whose products with the numbers of `with_dense` single precision has room for."""
    return np.round(theta * 256) / 256
