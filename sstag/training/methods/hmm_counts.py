"""An HMM as the probabilities that counts make; `hmm.py` has the formulas."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.chain.functions import log
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset


@dataclass(frozen=True)
class Counts:
    """How often tokens have labels, and sentences begin, go on, and end with them; weighed."""

    data: Dataset  # whose tokens they are
    tokens: Longs  # (N,) a token,
    labels: Longs  # (N,) a label that it has,
    weights: Floats  # (N,) and how often
    begin: Floats  # (L,)
    steps: Floats  # (L, L) [from, to]
    end: Floats  # (L,)


@dataclass(frozen=True)
class Probabilities:
    """An HMM."""

    emissions: Floats  # (A, L) p(v|y) of every attribute
    begin: Floats  # (L,)
    steps: Floats  # (L, L + 1) [from, to], the last one to the end

    @property
    def theta(self) -> Floats:
        """The weights of the model that it is."""
        parts = self.emissions, self.steps[:, :-1], self.begin, self.steps[:, -1]
        return np.concatenate([log(part).ravel() for part in parts])

    def mixed(self, other: "Probabilities", share: float) -> "Probabilities":
        """This one with a share of 1 − share of another one."""
        mine, theirs = vars(self), vars(other)
        return Probabilities(**{name: share * mine[name] + (1 - share) * theirs[name] for name in mine})


def counted_labels(data: Dataset, labels: Longs, count: int) -> Counts:
    """The counts of the labels (T,) of sentences, -1 where there is none."""
    omega = np.ones(len(data.offsets) - 1) if data.weights is None else data.weights
    weights = np.repeat(omega, np.diff(data.offsets))
    decided = np.flatnonzero(labels >= 0)
    return Counts(data, decided, labels[decided], weights[decided], *step_counts(data.offsets, labels, weights, count))


def probabilities(made: Compiled, counts: Sequence[Counts], smoothing: float) -> Probabilities:
    """The HMM of the counts of some texts."""
    begin, steps, end = (np.sum([getattr(one, name) for one in counts], axis=0) for name in ("begin", "steps", "end"))
    every = np.column_stack([steps, end]) + smoothing  # (L, L + 1)
    begin = begin + smoothing
    return Probabilities(
        _emissions(made, counts, smoothing), begin / begin.sum(), every / every.sum(axis=1, keepdims=True)
    )


def stepped(offsets: Longs, labels: Longs) -> Longs:
    """The tokens that a step leads to from one decided label to another."""
    before = np.concatenate([[-1], labels[:-1]])
    before[offsets[:-1]] = -1
    return np.flatnonzero((before >= 0) & (labels >= 0))


def step_counts(offsets: Longs, labels: Longs, weights: Floats, count: int) -> tuple[Floats, Floats, Floats]:
    """First labels, steps [from, to], and last labels, where they are decided."""  # (L,), (L, L), (L,)
    at = stepped(offsets, labels)
    steps = np.bincount(labels[at - 1] * count + labels[at], weights[at], count * count)
    ends = [tokens[labels[tokens] >= 0] for tokens in (offsets[:-1], offsets[1:] - 1)]
    begin, end = (np.bincount(labels[tokens], weights[tokens], count).astype(np.float64) for tokens in ends)
    return begin, steps.reshape(count, count).astype(np.float64), end


def _emissions(made: Compiled, counts: Sequence[Counts], smoothing: float) -> Floats:
    """p(v|y) of every attribute; those of one feature are the values that it can have."""  # (A, L)
    width = len(made.labels)
    times, occurrences = np.zeros((made.unary.size, width)), np.zeros(made.unary.size, np.int64)
    for one in counts:
        unary = one.data.unary
        assert one.data.bundles is None  # nothing comes together where each feature looks at a column of its own
        attributes = unary.indices.reshape(unary.rows, -1)  # (T, F)
        each = attributes[one.tokens].astype(np.int64)  # (N, F)
        pairs = (each * width + one.labels[:, None]).ravel()
        weighed = np.bincount(pairs, np.repeat(one.weights, each.shape[1]), made.unary.size * width)
        times += weighed.reshape(-1, width)
        occurrences += np.bincount(attributes[np.unique(one.tokens)].ravel(), minlength=made.unary.size)
    result = np.full(times.shape, np.nan)
    for table in made.unary.tables:
        known = np.unique(table.ids)
        if not np.isnan(result[known]).all() or not np.isnan(result[table.default]).all():
            raise ConfigError("two features make the same attributes: hmm needs a name of its own for each")
        totals = occurrences[known]
        seen, unseen, once = known[totals > 0], known[totals == 0], known[totals == 1]
        unknown = times[table.default] + times[once].sum(axis=0) + smoothing
        whole = unknown + (times[seen] + smoothing).sum(axis=0)
        result[seen] = (times[seen] + smoothing) / whole
        result[np.append(unseen, table.default)] = unknown / whole / (len(unseen) + 1)
    return result
