"""Dense features: the numbers that tokens have in a text, as rows of a table.

A vector of a word has a row for each word that occurs, and a token at a distance from it looks at the row of its word;
vectors of tokens in their sentences have a row for each token. The numbers stay as they are in the file: what is
subtracted from each dimension, and by what it is divided, is said beside them (`Standard`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeAlias

import numpy as np

from sstag.features.template import Dense, Joined, Source, Template
from sstag.features.term_values import View
from sstag.foundation.arrays import Floats, Halves, Ints, Singles
from sstag.foundation.errors import ConfigError
from sstag.foundation.grouping import ABSENT

SOME = 2**14  # rows that are added up at a time
USUAL, OF_CHARACTERS, OF_PREDICTED = 0.3, 0.1, 0.25  # scales
ENOUGH = 400  # labelled tokens from which on vectors beside clusters have the whole scale


@dataclass(frozen=True)
class WordTable:
    """Numbers of words that occur in a text, and the word at each token, or at a distance from it."""

    numbers: Singles  # (R, D)
    rows: Ints  # (T,) the row of each token, or ABSENT
    words: tuple[str, ...]  # (R,)


@dataclass(frozen=True)
class TokenTable:
    """Numbers of the tokens of a text, which may stay in a file, and the one at each token or near it."""

    numbers: Halves  # (R, D)
    rows: Ints  # (T,) the row of each token, or ABSENT


Table: TypeAlias = WordTable | TokenTable
Tables: TypeAlias = Mapping[tuple[str, Source | Joined | None], Table]  # by where they come from


@dataclass(frozen=True)
class Standard:
    """By how much each dimension is moved and multiplied, so that its mean is 0 and its deviation the scale."""

    mean: Floats  # (D,)
    factor: Floats  # (D,)
    scale: float


def scaled(template: Template, standards: Sequence[Standard]) -> Template:
    """The template with the scale of each dense feature."""
    dense = (replace(one, scale=own.scale) for one, own in zip(template.dense, standards, strict=True))
    return replace(template, dense=tuple(dense))


def tables(view: View, features: Sequence[Dense]) -> Tables:
    """The numbers that the features of a text look at."""
    found: dict[tuple[str, Source | Joined | None], Table] = {}
    for feature in features:
        if feature.of not in found:
            found[feature.of] = _words(view, feature, feature.source) if feature.source else _tokens(view, feature)
    return found


def blocks(view: View, features: Sequence[Dense], known: Tables) -> tuple[Table, ...]:
    """The numbers of each dense feature at the tokens of a text."""
    return tuple(replace(known[one.of], rows=view.moved(known[one.of].rows, one.offset)) for one in features)


def _tokens(view: View, feature: Dense) -> TokenTable:
    numbers = view.template.encoders[feature.table].numbers(view.corpus)
    return TokenTable(numbers, np.arange(len(numbers), dtype=np.int32))


def _words(view: View, feature: Dense, source: Source | Joined) -> WordTable:
    codes, words = view.own_values(source)
    used = np.flatnonzero(np.bincount(codes[codes != ABSENT], minlength=len(words)))
    known = [words[code] for code in used.tolist()]
    having, numbers = view.template.vectors[feature.table].of(known)
    row_of = np.full(len(words) + 1, ABSENT, np.int32)  # the last stands for ABSENT
    row_of[used[having]] = np.arange(len(having))
    return WordTable(numbers, row_of[codes], tuple(known[place] for place in having.tolist()))


def standards(template: Template, every: Sequence[Tables], labelled: View | None) -> list[Standard]:
    """How the numbers of each feature are standardised: over all words, or all tokens, of the texts together.

    Where neither a feature nor the template says a scale, the labelled text does.
    """
    moments = {of: _moments([one[of] for one in every]) for of in every[0]} if every else {}
    usual: dict[Source | None, float] = {}
    found = []
    for one in template.dense:
        mean, deviation = moments[one.of]
        scale = template.scale if one.scale is None else one.scale
        if scale is None and one.predicted:
            scale = OF_PREDICTED
        elif scale is None:
            assert not isinstance(one.source, Joined)
            if one.source not in usual:  # a word and its neighbours have one
                usual[one.source] = usual_scale(labelled, one.source) if labelled and one.source else USUAL
            scale = usual[one.source]
        found.append(Standard(mean, scale / deviation, scale))
    return found


def usual_scale(labelled: View, source: Source) -> float:
    """The scale of vectors of words for which nobody says one.

    Single characters are few, and labelled text has most of them again and again, so that their vectors have little to
    add to what the characters themselves say. And where clusters of words have said the most part with a few weights, a
    hundred numbers add more noise than news as long as tokens are few: scale² is smaller in proportion to them.
    """
    codes, words = labelled.own_values(source)
    times = np.bincount(codes[codes != ABSENT], minlength=len(words))
    tokens = int(times.sum())
    single = sum(count for word, count in zip(words, times.tolist(), strict=True) if len(word) == 1)
    scale = OF_CHARACTERS if 2 * single > tokens else USUAL
    return scale * sqrt(min(1.0, max(tokens, 1) / ENOUGH)) if labelled.template.clusters else scale


def _moments(texts: Sequence[Table]) -> tuple[Floats, Floats]:
    """The mean and the deviation of each dimension; a dimension that never changes has the deviation 1."""
    dimensions = texts[0].numbers.shape[1]
    count, mean, squares = 0, np.zeros(dimensions), np.zeros(dimensions)
    for some in _some(texts):
        mean += some.sum(axis=0)
        count += len(some)
    mean /= max(count, 1)
    for some in _some(texts):
        squares += ((some - mean) ** 2).sum(axis=0)
    deviation = np.sqrt(squares / max(count, 1))
    if not np.isfinite(deviation).all():
        raise ConfigError("a vector has a number that is not finite")
    return mean, np.where(deviation > 0, deviation, 1.0)


def _some(texts: Sequence[Table]) -> Iterator[Floats]:
    """The rows of texts, some at a time; those of a word that is in several texts once."""
    seen: set[str] = set()
    for text in texts:
        words = text.words if isinstance(text, WordTable) else ()
        new = [place for place, word in enumerate(words) if word not in seen]
        seen.update(words)
        for begin in range(0, len(new) if words else len(text.numbers), SOME):
            some = slice(begin, begin + SOME)
            yield text.numbers[new[some] if words else some].astype(np.float64)
