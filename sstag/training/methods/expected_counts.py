"""An HMM of expected counts (Dempster, Laird & Rubin 1977): what is known in part is counted as likely as it is.

    counts ← those of decided labels + Σ_i ω_i E_q_i[labels and steps]      q_i(y) ∝ p(x_i, y) over the y there may be
    p ← the HMM of these counts; and again, until next to nothing changes

Sentences of which it is known that they have some chunks and not others (`answered.py`) are counted so; a label that is
merely open is not counted, as ever. A round raises Σ log p(x, y) of what is decided + Σ log p(x, chunks) of these, but
for what smoothing and unknown words take. Limit: without rejected chunks it is `hmm`. Cost of a round: a forward and a
backward pass over these sentences.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import counted
from sstag.model.batches import Batch, in_batches, taken
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset
from sstag.model.model import HMM, Model, model
from sstag.training.answered import answered_sentences
from sstag.training.inputs import Inputs, Run
from sstag.training.methods.hmm_counts import Counts, Probabilities, counted_labels, probabilities
from sstag.training.objectives.rejection import Rejection

MOST = 100  # rounds
SETTLED = 1e-4  # of what is counted changes

Expects = Callable[[Model], Counts]  # from a model to the counts that it expects of some sentences


@dataclass(frozen=True)
class Fitted:
    """An HMM, how many sentences it expects the counts of, and for how many rounds it did so."""

    probabilities: Probabilities
    sentences: int = 0
    rounds: int = 0

    @property
    def told(self) -> str:
        """A few words about the rounds, if there were any."""
        if not self.sentences:
            return ""
        return f", and what {counted(self.rounds, 'round')} expect of {counted(self.sentences, 'answered sentence')}"


def fitted(inputs: Inputs, made: Compiled, labels: Longs, smoothing: float, run: Run) -> Fitted:
    """The HMM of the labelled sentences, whose labels (T,) are -1 where none is decided."""
    data = made.labelled
    assert isinstance(data, Dataset)
    start = probabilities(made, [counted_labels(data, labels, len(made.labels))], smoothing)
    sources = sources_of(inputs, made, labels, run)
    if not sources.expected:
        return Fitted(start)
    found, rounds, _ = in_rounds(made, start, sources, smoothing, MOST, run)
    return Fitted(found, sources.answered, rounds)


@dataclass(frozen=True)
class Sources:
    """The counts that an HMM is made of: known ones, and those that it expects itself."""

    known: Counts
    expected: tuple[Expects, ...] = ()
    answered: int = 0  # sentences, of which these are expected


def sources_of(inputs: Inputs, made: Compiled, labels: Longs, run: Run) -> Sources:
    """The counts of the labelled sentences."""
    data, count = made.labelled, len(made.labels)
    assert isinstance(data, Dataset)
    found = answered_sentences(inputs, made.labels, data.offsets)
    if found is None:
        return Sources(counted_labels(data, labels, count))
    sentences, chunks = found
    lengths = np.diff(data.offsets)
    others = np.where(np.repeat(np.isin(np.arange(len(lengths)), sentences), lengths), -1, labels)
    expects = _of_answered(taken(data, sentences), Rejection(chunks), count, run)
    return Sources(counted_labels(data, others, count), (expects,), len(sentences))


def in_rounds(
    made: Compiled, now: Probabilities, sources: Sources, smoothing: float, most: int, run: Run
) -> tuple[Probabilities, int, bool]:
    """The HMM of counts that are known and of those that it expects, the rounds, and whether these were stopped."""
    before = np.zeros(0)
    for rounds in range(1, most + 1):
        tagger = model(made, now.theta, kind=HMM)
        counts = [expects(tagger) for expects in sources.expected]
        now = probabilities(made, [sources.known, *counts], smoothing)
        after = np.concatenate([one.weights for one in counts])
        stopped = rounds < most and run.stop()
        if stopped or (rounds > 1 and np.abs(after - before).sum() <= SETTLED * after.sum()):
            break
        before = after
    return now, rounds, stopped


def _of_answered(data: Dataset, answers: Rejection, count: int, run: Run) -> Expects:
    """The counts of sentences with chunks that are there, or are not."""
    sides = {batch.tokens.start: answers.side(data, batch) for batch in in_batches(data, count)}

    def expected(batch: Batch, lattice: Lattice) -> Potentials:
        return answers.counts(lattice, sides[batch.tokens.start])

    return lambda tagger: counts_of(data, tagger.asked(data, run.over, expected))


def counts_of(data: Dataset, batches: Sequence[Potentials]) -> Counts:
    """The counts of a text whose batches have these marginals."""
    nodes: Floats = np.concatenate([one.unary for one in batches])
    steps = np.sum([one.edge.sum(axis=0) for one in batches], axis=0)
    tokens, labels = np.divmod(np.arange(nodes.size), nodes.shape[1])
    first, last = data.offsets[:-1], data.offsets[1:] - 1
    return Counts(data, tokens, labels, nodes.ravel(), nodes[first].sum(axis=0), steps, nodes[last].sum(axis=0))
