"""Why a token has its label: what speaks for it and for the second one, and what would have to change.

    score(y) = Σ_t u_t(y_t) + Σ_t e_t(y_{t-1}, y_t)        u_t(y) = Σ of the lines of token t

The second label of a token is the one whose best labelling of the sentence has the highest score after the best. What
both labellings have at the token and in the steps beside it adds up to a part of the difference of their scores; the
rest is what the second label changes elsewhere in the sentence.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.features.predictions import shares_of_numbers
from sstag.foundation.arrays import Floats, Ints, Singles
from sstag.foundation.errors import ConfigError
from sstag.foundation.grouping import ABSENT
from sstag.foundation.parallel import one_by_one
from sstag.model.batches import Batch, in_batches
from sstag.model.dataset import Dataset
from sstag.model.legality import Legality
from sstag.model.model import Model
from sstag.model.weight_map import DataMap, Weights

BEGIN, END, BIAS = "(begin)", "(end)", "(bias)"
SMALL = 1e-12  # a difference of scores that is rounding


@dataclass(frozen=True)
class Reason:
    """A line of a token: an attribute, or a feature of numbers, and what it adds to the scores of the two labels."""

    text: str
    value: float  # of the attribute; 1 unless it is a number
    first: float
    second: float


@dataclass(frozen=True)
class Step:
    """A step beside the token, with the labels that it has with the first and with the second label of the token."""

    first_labels: tuple[str, str]
    second_labels: tuple[str, str]
    first: float
    second: float


@dataclass(frozen=True)
class Explanation:
    """Why a token has its label and not the second one."""

    token: int  # in its sentence, from 0
    word: str
    label: str
    probability: float
    second: str
    second_probability: float
    margin: float  # by how much the labelling with the first label scores above the best one with the second
    reasons: tuple[Reason, ...]  # the largest difference first
    steps: tuple[Step, ...]
    elsewhere: float  # of the margin, what the rest of the sentence adds
    enough: tuple[str, ...] | None  # lines without which the token has another label; None if none are enough
    instead: str | None  # the label that it then has


def explained(model: Model, corpus: Corpus, sentence: int, legality: Legality | None = None) -> list[Explanation]:
    """An explanation for each token of a sentence, by the scores of the model without rules."""
    if len(model.labels) < 2:
        raise ConfigError("the model has one label: there is nothing to choose")
    part = corpus.part(slice(sentence, sentence + 1))
    data = model.dataset(part)
    (batch,) = in_batches(data, len(model.labels))
    weights = Weights(DataMap(model.weight_map, data, once=True), model.theta, one_by_one)
    scores = weights.potentials(batch)
    if model.biases is not None:
        scores = scores.with_values(scores.unary + model.biases, scores.edge)
    scores = legality.imposed(scores) if legality else scores
    lattice = Lattice(scores)
    labels, totals = lattice.viterbi()
    words = part.words(part.columns[part.word_column], 0)
    own = _Lines(model, part, data)
    return [
        _explained(model, lattice, scores, batch, labels, float(totals[0]), token, word, own)
        for token, word in enumerate(words)
    ]


def _explained(
    model: Model,
    lattice: Lattice,
    scores: Potentials,
    batch: Batch,
    labels: Ints,
    total: float,
    token: int,
    word: str,
    own: "_Lines",
) -> Explanation:
    first = int(labels[token])
    other, path, score = _second(lattice, token, first)
    reasons = tuple(sorted(own.of(token, first, other), key=lambda one: -abs(one.first - one.second)))
    steps = tuple(_steps(model, scores, labels, path, token))
    here = sum(one.first - one.second for one in reasons) + sum(one.first - one.second for one in steps)
    enough, instead = _enough(lattice, own, token, first, other)
    nodes = lattice.nodes[token]
    return Explanation(
        token=token,
        word=word,
        label=model.labels[first],
        probability=float(min(nodes[first], 1.0)),
        second=model.labels[other],
        second_probability=float(min(nodes[other], 1.0)),
        margin=total - score,
        reasons=reasons,
        steps=steps,
        elsewhere=total - score - here,
        enough=enough,
        instead=None if instead is None else model.labels[instead],
    )


def _second(lattice: Lattice, token: int, first: int) -> tuple[int, Ints, float]:
    """The second label of a token, the best labelling of the sentence with it, and the score of that."""
    allowed = np.ones(lattice.potentials.unary.shape, bool)
    allowed[token, first] = False
    labels, totals = lattice.restricted(allowed).viterbi()
    return int(labels[token]), labels, float(totals[0])


def _steps(model: Model, scores: Potentials, labels: Ints, path: Ints, token: int) -> Iterator[Step]:
    """The steps into the token and out of it, with the labels of the best labelling and with those of the other."""
    names = model.labels
    for place in (token, token + 1):
        if 0 < place < len(labels):
            edge = scores.edge[scores.edge_index[place]]
            pairs = [(int(one[place - 1]), int(one[place])) for one in (labels, path)]
            a, b = ((names[left], names[right]) for left, right in pairs)
            yield Step(a, b, float(edge[pairs[0]]), float(edge[pairs[1]]))


def _enough(
    lattice: Lattice, own: "_Lines", token: int, first: int, second: int
) -> tuple[tuple[str, ...] | None, int | None]:
    """Lines of the token without which it has another label, and that label.

    Those that speak most for the first label against the second one are taken away, one after another.
    """
    scores = lattice.potentials
    unary = scores.unary.copy()
    taken: list[str] = []
    for text, row, _ in sorted(own.table(token), key=lambda line: line[1][second] - line[1][first]):
        if row[first] - row[second] <= SMALL:
            break
        taken.append(text)
        unary[token] -= row
        found = int(Lattice(scores.with_values(unary, scores.edge)).viterbi()[0][token])
        if found != first:
            return tuple(taken), found
    return None, None


class _Lines:
    """The lines that add up to the scores of a token: attributes, features of numbers, and the ends of the sentence."""

    def __init__(self, model: Model, corpus: Corpus, data: Dataset) -> None:
        self._model, self._data = model, data
        self._parts = model.weight_map.parts(model.theta)
        self._last = corpus.tokens - 1
        indices = data.unary.indices
        self._texts = model.unary.texts(np.unique(indices[indices < model.unary.size]).astype(np.int64))

    def of(self, token: int, first: int, second: int) -> Iterator[Reason]:
        """The lines of a token, for two labels."""
        for text, weights, value in self.table(token):
            yield Reason(text, value, float(weights[first]), float(weights[second]))

    def table(self, token: int) -> list[tuple[str, Floats, float]]:
        """The text of each line, what it adds to each label, and the value of the attribute."""
        model, map_ = self._model, self._model.weight_map
        unary = self._data.unary
        places = range(int(unary.indptr[token]), int(unary.indptr[token + 1]))
        found = []
        for place in places:
            attribute = int(unary.indices[place])
            if attribute >= model.unary.size:  # a row of numbers, of which `_dense` tells
                continue
            value = 1.0 if unary.values is None else float(unary.values[place])
            row = np.zeros(map_.labels)
            own = slice(int(map_.unary.pairs.indptr[attribute]), int(map_.unary.pairs.indptr[attribute + 1]))
            row[map_.unary.pairs.labels[own]] = value * self._parts["unary"][own]
            found.append((self._texts[attribute], row, value))
        found += self._dense(token)
        if model.biases is not None:
            found.append((BIAS, model.biases, 1.0))
        for name, here in ((BEGIN, token == 0 and map_.begin), (END, token == self._last and map_.end)):
            if here:
                found.append((name, np.array(self._parts["begin" if name == BEGIN else "end"]), 1.0))
        return found

    def _predicted(self, name: str, numbers: Singles) -> str:
        """A feature with the label that the first stage finds most often for its value, and how often."""
        shares = shares_of_numbers(numbers)
        best = int(np.argmax(shares))
        return f"{name}={self._model.labels[best]} {shares[best]:.2f}"

    def _dense(self, token: int) -> list[tuple[str, Floats, float]]:
        """A line for each feature of numbers: what all its dimensions add up to."""
        map_ = self._model.weight_map
        if not map_.dense:
            return []
        found = []
        parts = map_.dense_parts(self._parts["dense"])
        for feature, block, standard, theta in zip(
            self._model.template.dense, self._data.dense, map_.dense, parts, strict=True
        ):
            row = int(block.rows[token])
            if row != ABSENT:
                numbers = (block.numbers[row].astype(np.float64) - standard.mean) * standard.factor
                text = self._predicted(feature.name, block.numbers[row]) if feature.predicted else feature.name
                found.append((text, (numbers[:, None] * theta).sum(axis=0), 1.0))
        return found
