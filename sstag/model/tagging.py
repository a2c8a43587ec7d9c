"""Labels for sentences, and what else may be asked: probabilities, the k best labellings, well-formed ones only.

Sentences are tagged in runs of a bounded size. What is said of a sentence depends on nothing but the sentence.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np

from sstag.chain.forward_backward import BUDGET, lattice_bytes
from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus, Sentence, corpus_of
from sstag.evaluation.calibration import Confidences
from sstag.foundation.arrays import Floats, Ints, Longs
from sstag.foundation.errors import ConfigError, DataError, NoPathError, counted
from sstag.foundation.parallel import Over, shards
from sstag.foundation.ranges import end_of_run
from sstag.labels.schemes.tagset import Chunks, Tagset, chunks, tolerant_tagset
from sstag.model.batches import Batch
from sstag.model.model import Best, Model

RUN = 64 * 2**20  # bytes of a run's largest array
BEAM = 16  # bytes that each labelling of a beam takes for a token
LABELLING = 128  # bytes that each of the best labellings takes for a token, its text included
MOST_CELLS = 2**22  # labels of all the best labellings of one sentence
EXTRACTION = 12  # bytes that an attribute takes while a run's are looked up

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Legality:
    """Which sequences of labels are well-formed in a scheme, as scores: 0 or −∞."""

    scheme: str
    begin: Floats  # (L,)
    end: Floats  # (L,)
    step: Floats  # (L, L)

    def imposed(self, scores: Potentials) -> Potentials:
        """The scores of a batch with −∞ for every ill-formed sequence."""
        unary = scores.unary.copy()
        unary[scores.offsets[:-1]] += self.begin
        unary[scores.offsets[1:] - 1] += self.end
        return scores.with_values(unary, scores.edge + self.step)


def legality(model: Model) -> Legality:
    """The well-formed sequences of a model's labels in their scheme; a label that is no tag is outside every chunk."""
    tags = tags_of(model)
    if tags is None:
        raise ConfigError("the labels of this model have no scheme: there is nothing to tell legal sequences by")
    score = np.where(tags.legal, 0.0, -np.inf)
    count = len(model.labels)
    return Legality(tags.scheme, score[count, :count], score[:count, count], score[:count, :count])


def tags_of(model: Model) -> Tagset | None:
    """A model's labels as tags of their scheme, None if they have no scheme: then there are no chunks."""
    scheme = model.about.get("scheme", "plain")
    return None if scheme == "plain" else tolerant_tagset(model.labels, scheme)


@dataclass(frozen=True, eq=False)
class Question:
    """A question about every sentence: what is wanted besides its best labels."""

    confidence: bool = False
    token_confidence: bool = False
    marginals: bool = False
    best: int = 0  # how many labellings
    legality: Legality | None = None
    entropy: bool = False  # of sentences and of tokens
    chunks: Tagset | None = None  # the tags whose chunks are wanted, with the probability of each


NO_CHUNKS = Chunks(*np.zeros((3, 0), np.int64))


def of_confidence(model: Model) -> Question:
    """The question for everything that says how probable the labels are."""
    return Question(confidence=True, token_confidence=True, entropy=True, chunks=tags_of(model))


@dataclass(frozen=True, eq=False)
class Answer:
    """The answers about some sentences; an array that was not asked for is empty."""

    labels: Ints  # (T,) the best labelling ŷ
    confidence: Floats  # (S,) p(ŷ|x)
    token_confidence: Floats  # (T,) p_t(ŷ_t|x)
    marginals: Floats  # (T, L) p_t(y|x)
    best: Sequence[tuple[Ints, Floats]]  # (S,) the best labellings, (m, n), and p(y|x) of each, (m,)
    entropy: Floats  # (S,) H(Y|x)
    token_entropy: Floats  # (T,) H(Y_t|x)
    chunks: Chunks  # those of ŷ
    chunk_confidence: Floats  # (C,) the probability that exactly this chunk is there


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
    """Sentences in runs of at most so many tokens, or of one sentence."""
    start = 0
    while start < len(offsets) - 1:
        stop = end_of_run(offsets, start, most)
        yield slice(start, stop)
        start = stop


def answered(model: Model, corpus: Corpus, question: Question, over: Over) -> Answer:
    """The answers of a model to a question about the sentences of a run."""
    _refuse_longest(model, corpus, question)
    data = model.dataset(corpus)

    def answer(batch: Batch, lattice: Lattice) -> Answer:
        try:
            best = model.best(data, batch, lattice, question.best)
            return _moved(_answer(best, lattice, question), batch.tokens.start)
        except NoPathError as error:
            first = int(batch.offsets[error.sentence])
            length = int(batch.offsets[error.sentence + 1]) - first
            scheme = f" that is well-formed in {question.legality.scheme.upper()}" if question.legality else ""
            raise DataError(
                f"the model has no labelling of this sentence ({counted(length, 'token')}){scheme}",
                corpus.path,
                int(corpus.lines[batch.tokens.start + first]),
            ) from error

    imposed = question.legality.imposed if question.legality else None
    return _together(model.asked(data, over, answer, imposed))


def asked_in_runs(model: Model, corpus: Corpus, over: Over, ask: Callable[[int, Lattice], R]) -> list[R]:
    """The answers of a function for each batch of a corpus, which is asked in runs.

    The function is given the place of the first token of the batch in the corpus, and the distribution over its labels.
    """
    found: list[R] = []
    for run in runs(corpus.offsets, tokens_together(model, Question())):
        part, first = corpus.part(run), int(corpus.offsets[run.start])
        _refuse_longest(model, part, Question())
        found += model.asked(model.dataset(part), over, partial(_asked, ask, first))
    return found


def _asked(ask: Callable[[int, Lattice], R], first: int, batch: Batch, lattice: Lattice) -> R:
    return ask(first + batch.tokens.start, lattice)


def _answer(best: Best, lattice: Lattice, question: Question) -> Answer:
    labels, scores, ranked = best
    nothing = np.zeros(0)
    found, sure = _chunks(lattice, labels, question.chunks) if question.chunks else (NO_CHUNKS, nothing)
    return Answer(
        labels=labels,
        confidence=_probability(np.exp(scores - lattice.log_z)) if question.confidence else nothing,
        token_confidence=(
            _probability(lattice.nodes[np.arange(len(labels)), labels]) if question.token_confidence else nothing
        ),
        marginals=_probability(lattice.nodes) if question.marginals else np.zeros((0, 0)),
        best=[(y, _probability(np.exp(each - lattice.log_z[s]))) for s, (y, each) in enumerate(ranked)],
        entropy=lattice.entropy if question.entropy else nothing,
        token_entropy=lattice.token_entropy if question.entropy else nothing,
        chunks=found,
        chunk_confidence=sure,
    )


def _chunks(lattice: Lattice, labels: Ints, tags: Tagset) -> tuple[Chunks, Floats]:
    """The chunks that labels stand for, and the probability of each: of all labellings that have exactly this chunk."""
    found = chunks(tags, labels, lattice.potentials.offsets)
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


def _refuse_longest(model: Model, corpus: Corpus, question: Question) -> None:
    """Refuses a corpus with a sentence that would take too much memory, before anything is allocated."""
    lengths = np.diff(corpus.offsets)
    longest = int(np.argmax(lengths))
    length, line = int(lengths[longest]), int(corpus.lines[corpus.offsets[longest]])
    each = EXTRACTION * _features(model) + BEAM * _beam(model, question)
    need = lattice_bytes(length, len(model.labels)) + each * length
    if need > BUDGET:
        raise DataError(
            f"a sentence of {length:,} tokens needs {need / 2**30:.1f} GiB with this model (at most "
            f"{BUDGET / 2**30:.0f}): split it",
            corpus.path,
            line,
        )
    if length * question.best > MOST_CELLS:
        few = MOST_CELLS // length
        raise DataError(
            f"a sentence of {length:,} tokens has room for {counted(few, 'best labelling')}", corpus.path, line
        )


def sure_labels(model: Model, corpus: Corpus, over: Over) -> tuple[Ints, Confidences]:
    """The labels of a corpus, and how sure the model is of them."""  # (T,)
    asked = of_confidence(model)
    parts = [
        (run, answered(model, corpus.part(run), asked, over))
        for run in runs(corpus.offsets, tokens_together(model, asked))
    ]
    answer = _together([_moved(part, int(corpus.offsets[run.start])) for run, part in parts])
    return answer.labels, Confidences(
        tokens=answer.token_confidence,
        sentences=answer.confidence,
        chunks=answer.chunks if asked.chunks else None,
        types=asked.chunks.types if asked.chunks else (),
        of_chunks=answer.chunk_confidence,
    )


def tagged_tokens(model: Model, sentences: Sequence[Sentence], threads: int = 1) -> list[list[str]]:
    """The labels of sentences given as lists of tokens.

    A token is a text; or a tuple or list of texts, in the order of the template's columns without the label, if there
    are several of these.
    """
    names = tuple(name for name in model.template.columns or () if name != model.template.label)
    found = iter(tagged_corpus(model, corpus_of(sentences, names), threads))
    return [next(found) if sentence else [] for sentence in sentences]


def tagged_corpus(model: Model, corpus: Corpus, threads: int = 1) -> list[list[str]]:
    """The labels of the sentences of a corpus."""
    labels: list[str] = []
    with shards(threads) as over:
        for run in runs(corpus.offsets, tokens_together(model, Question())):
            labels += [model.labels[y] for y in answered(model, corpus.part(run), Question(), over).labels.tolist()]
    return [labels[begin:end] for begin, end in pairwise(corpus.offsets.tolist())]
