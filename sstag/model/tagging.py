"""Labels for sentences, with all that a question asks for besides (`questions.py`).

Sentences are tagged in runs of a bounded size (`runs.py`). The answer about a sentence does not depend on the sentences
beside it, nor on the number of threads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from sstag.chain.functions import exp
from sstag.chain.lattice import Lattice
from sstag.corpus.contexts import NOT_READ, Read
from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats, Ints
from sstag.foundation.errors import DataError, NoPathError, counted
from sstag.foundation.parallel import Over
from sstag.labels.schemes.tagset import Chunks, chunks
from sstag.model.batches import Batch
from sstag.model.decisions import cheapest
from sstag.model.legality import Legality
from sstag.model.model import Best, Model
from sstag.model.questions import NO_CHUNKS, Answer, Question, of_confidence
from sstag.model.runs import refuse_longest, runs, tokens_together

if TYPE_CHECKING:
    from sstag.evaluation.calibration import Confidences


def answered(model: Model, corpus: Corpus, question: Question, over: Over) -> Answer:
    """The answers of a model to a question about the sentences of a run."""
    refuse_longest(model, corpus, question)
    data = model.dataset(corpus)

    def answer(batch: Batch, lattice: Lattice) -> Answer:
        try:
            if question.costs is None:
                best = model.best(data, batch, lattice, question.best)
            else:
                best = cheapest(lattice, question.costs, question.legality)
            return _moved(_answer(best, lattice, question), batch.tokens.start)
        except NoPathError as error:
            first = int(batch.offsets[error.sentence])
            length = int(batch.offsets[error.sentence + 1]) - first
            scheme = f" that is well-formed in {question.legality.scheme.upper()}" if question.legality else ""
            raise DataError(
                f"the model has no labelling of this sentence ({counted(length, 'token')}){scheme}",
                *corpus.place(batch.tokens.start + first),
            ) from error

    imposed = question.legality.imposed if question.legality else None
    return _together(model.asked(data, over, answer, imposed))


def _answer(best: Best, lattice: Lattice, question: Question) -> Answer:
    labels, scores, ranked = best
    nothing = np.zeros(0)
    found, sure = _chunks(lattice, labels, question) if question.chunks else (NO_CHUNKS, nothing)
    return Answer(
        labels=labels,
        confidence=_probability(exp(scores - lattice.log_z)) if question.confidence else nothing,
        token_confidence=(
            _probability(lattice.nodes[np.arange(len(labels)), labels]) if question.token_confidence else nothing
        ),
        marginals=_probability(lattice.nodes) if question.marginals else np.zeros((0, 0)),
        best=[(y, _probability(exp(each - lattice.log_z[s]))) for s, (y, each) in enumerate(ranked)],
        entropy=lattice.entropy if question.entropy else nothing,
        token_entropy=lattice.token_entropy if question.entropy else nothing,
        chunks=found,
        chunk_confidence=sure,
    )


def _chunks(lattice: Lattice, labels: Ints, question: Question) -> tuple[Chunks, Floats]:
    """The chunks that labels stand for, and the probability of each: of all labellings that have exactly this chunk."""
    tags = question.chunks
    assert tags
    found = chunks(tags, labels, lattice.potentials.offsets)
    if not question.chunk_confidence:
        return found, np.zeros(0)
    kinds = tags.type[: len(tags.labels)]
    return found, _probability(lattice.segment_probabilities(found.first, found.stop, found.type, kinds, tags.joined))


def _probability(number: Floats) -> Floats:
    """Probabilities that rounding has not left above 1."""
    return np.minimum(number, 1.0)


def _moved(answer: Answer, tokens: int) -> Answer:
    """The answers of a batch, with tokens numbered from the start of the corpus instead of the batch."""
    found = answer.chunks
    return replace(answer, chunks=Chunks(found.first + tokens, found.stop + tokens, found.type))


def _together(answers: Sequence[Answer]) -> Answer:
    parts = {field.name: [getattr(answer, field.name) for answer in answers] for field in fields(Answer)}
    best = list(chain.from_iterable(parts.pop("best")))
    found = parts.pop("chunks")
    together = Chunks(*(np.concatenate([getattr(one, field.name) for one in found]) for field in fields(Chunks)))
    return Answer(**{name: np.concatenate(arrays) for name, arrays in parts.items()}, best=best, chunks=together)


def answers_by_run(
    model: Model, corpus: Corpus, question: Question, over: Over, read: Read = NOT_READ
) -> Iterator[tuple[Corpus, Answer]]:
    """The sentences of a corpus in runs, each with the answers for it, of a model that has read their context."""
    from sstag.model.second_look import in_contexts  # which is about texts that are tagged, too

    for own, text in in_contexts(model, corpus, read, over):
        for run in runs(text.offsets, tokens_together(model, question)):
            part = text.part(run)
            yield part, answered(own, part, question, over)


def answered_corpus(model: Model, corpus: Corpus, question: Question, over: Over, read: Read = NOT_READ) -> Answer:
    """The answers for all sentences of a corpus, a run at a time."""
    moved, tokens = [], 0
    for part, answer in answers_by_run(model, corpus, question, over, read):
        moved.append(_moved(answer, tokens))
        tokens += part.tokens
    return _together(moved)


def sure_labels(
    model: Model, corpus: Corpus, over: Over, legal: Legality | None = None, read: Read = NOT_READ
) -> "tuple[Ints, Confidences]":
    """The labels of a corpus, (T,), and how sure the model is of them; both among legal labellings if that is asked."""
    from sstag.evaluation.calibration import Confidences

    asked = replace(of_confidence(model), legality=legal)
    answer = answered_corpus(model, corpus, asked, over, read)
    return answer.labels, Confidences(
        tokens=answer.token_confidence,
        sentences=answer.confidence,
        chunks=answer.chunks if asked.chunks else None,
        types=asked.chunks.types if asked.chunks else (),
        of_chunks=answer.chunk_confidence,
    )
