"""Sentences of a corpus in runs, so that the arrays of a run fit into memory whatever the corpus is."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from sstag.chain.forward_backward import BUDGET, lattice_bytes
from sstag.chain.lattice import Lattice
from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Longs
from sstag.foundation.errors import DataError, counted
from sstag.foundation.parallel import Over
from sstag.foundation.ranges import end_of_run
from sstag.model.batches import Batch
from sstag.model.model import Model
from sstag.model.questions import Question

RUN = 64 * 2**20  # bytes of a run's largest array
BEAM = 16  # bytes that each labelling of a beam takes for a token
LABELLING = 128  # bytes that each of the best labellings takes for a token, its text included
MOST_CELLS = 2**22  # labels of all the best labellings of one sentence
EXTRACTION = 12  # bytes that an attribute takes while a run's are looked up

R = TypeVar("R")


def tokens_together(model: Model, question: Question) -> int:
    """The number of tokens that are tagged together, so that their arrays fit into memory."""
    return RUN // max(
        4 * _features(model), 8 * len(model.labels), LABELLING * question.best, BEAM * _beam(model, question)
    )


def _beam(model: Model, question: Question) -> int:
    """How many labellings of a sentence are looked at together."""
    return max(model.beam, question.best) if model.rules else 0


def _features(model: Model) -> int:
    return len(model.template.features) + len(model.template.edges.features)


def runs(offsets: Longs, most: int) -> Iterator[slice]:
    """Runs of sentences, each of at most `most` tokens, or of one longer sentence."""
    start = 0
    while start < len(offsets) - 1:
        stop = end_of_run(offsets, start, most)
        yield slice(start, stop)
        start = stop


def asked_in_runs(model: Model, corpus: Corpus, over: Over, ask: Callable[[int, Lattice], R]) -> list[R]:
    """The answers of a function for each batch of a corpus, which is asked in runs.

    The function is given the place of the first token of the batch in the corpus, and the distribution over its labels.
    """
    found: list[R] = []
    for run in runs(corpus.offsets, tokens_together(model, Question())):
        part, first = corpus.part(run), int(corpus.offsets[run.start])
        refuse_longest(model, part, Question())
        found += model.asked(model.dataset(part), over, partial(_asked, ask, first))
    return found


def _asked(ask: Callable[[int, Lattice], R], first: int, batch: Batch, lattice: Lattice) -> R:
    return ask(first + batch.tokens.start, lattice)


def refuse_longest(model: Model, corpus: Corpus, question: Question) -> None:
    """Refuses a corpus with a sentence that would take too much memory, before anything is allocated."""
    lengths = np.diff(corpus.offsets)
    longest = int(np.argmax(lengths))
    length, place = int(lengths[longest]), corpus.place(int(corpus.offsets[longest]))
    each = EXTRACTION * _features(model) + BEAM * _beam(model, question)
    need = lattice_bytes(length, len(model.labels)) + each * length
    if need > BUDGET:
        raise DataError(
            f"a sentence of {length:,} tokens needs {need / 2**30:.1f} GiB with this model (at most "
            f"{BUDGET / 2**30:.0f}): split it",
            *place,
        )
    if length * question.best > MOST_CELLS:
        few = MOST_CELLS // length
        raise DataError(f"a sentence of {length:,} tokens has room for {counted(few, 'best labelling')}", *place)
