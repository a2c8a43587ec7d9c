"""Tagging from Python: labels, and how probable they are."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar, overload

from sstag.corpus.contexts import NO_CONTEXT, OF_DOCUMENT, OF_FILE, Context, DocumentStarts, Read, context_called
from sstag.corpus.corpus import Corpus, Sentence, corpus_of
from sstag.corpus.reading import read
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.parallel import shards
from sstag.interfaces.python.models import loaded
from sstag.interfaces.python.prose import spans_of
from sstag.interfaces.python.signatures import brief
from sstag.interfaces.python.templates import Path
from sstag.interfaces.python.texts import IN_LISTS, Sentences, as_list, columns_but_label, expect_file
from sstag.model.decisions import decision_costs, listed_costs
from sstag.model.in_words import FoundChunk, FoundSpan, best_of, chunks_of, shares_of
from sstag.model.legality import legality, tags_of
from sstag.model.model import Model
from sstag.model.questions import Answer, Question
from sstag.model.tagging import answers_by_run

T = TypeVar("T")


@dataclass(frozen=True)
class Tagged:
    """A sentence with its best labels and their probability; lists that were not asked for are empty."""

    labels: list[str]
    confidence: float  # the probability that all of them are right
    token_confidence: list[float]  # the probability of each
    chunks: list[FoundChunk]  # first token, the token after the last one, type, and the probability of exactly this
    marginals: list[dict[str, float]]  # of each token: the probability of every label, the most probable first
    best: list[tuple[list[str], float]]  # the best labellings, each with its probability


TEXTS = 'texts are passed as text=: sstag.tag(model, text="Kim met Ann.")'


@overload
def tag(
    model: Model | Path,
    *,
    text: str,
    confidence: bool = False,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
) -> list[FoundSpan]: ...
@overload
def tag(
    model: Model | Path,
    *,
    text: list[str] | tuple[str, ...],
    confidence: bool = False,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
) -> list[list[FoundSpan]]: ...
@overload
def tag(
    model: Model | Path,
    sentences: Sentences,
    *,
    confidence: Literal[False] = False,
    marginals: Literal[False] = False,
    nbest: None = None,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
    threads: int = 1,
) -> list[list[str]]: ...
@overload
def tag(
    model: Model | Path,
    sentences: Sentences,
    *,
    confidence: Literal[True],
    marginals: bool = False,
    nbest: int | None = None,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
    threads: int = 1,
) -> list[Tagged]: ...
@overload
def tag(
    model: Model | Path,
    sentences: Sentences,
    *,
    confidence: bool = False,
    marginals: Literal[True],
    nbest: int | None = None,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
    threads: int = 1,
) -> list[Tagged]: ...
@overload
def tag(
    model: Model | Path,
    sentences: Sentences,
    *,
    confidence: bool = False,
    marginals: bool = False,
    nbest: int,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
    threads: int = 1,
) -> list[Tagged]: ...
@overload
def tag(
    model: Model | Path,
    sentences: Sentences,
    *,
    confidence: bool = False,
    marginals: bool = False,
    nbest: int | None = None,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
    threads: int = 1,
) -> list[list[str]] | list[Tagged]: ...
@brief
def tag(
    model: Model | Path,
    sentences: Sentences | None = None,
    *,
    text: str | Iterable[str] | None = None,
    confidence: bool = False,
    marginals: bool = False,
    nbest: int | None = None,
    legal: bool = False,
    costs: Mapping[str, float] | Path | None = None,
    context: str | int | None = None,
    threads: int = 1,
) -> list[list[str]] | list[Tagged] | list[FoundSpan] | list[list[FoundSpan]]:
    """The labels of each sentence; or a `Tagged` for each, if probabilities are asked for; or the spans of a text.

    Example:
        sstag.tag(model, [["Kim", "met", "Ann", "."]])  # [['B-PER', 'O', 'B-PER', 'O']]
        sstag.tag(model, text="Kim met Ann.")  # [FoundSpan(start=0, end=3, label='PER', text='Kim', …), …]
        sstag.tag(model, "test.txt", confidence=True)[0].confidence

    Sentences are the path of a file, a corpus, or lists of tokens; a token is a text, or one for each column of the
    template but the label. `text` is a text of prose instead, or a list of several; the answer is a list of
    `FoundSpan`, or a list of such lists. `confidence` asks for the probability of each label and each chunk or span,
    `marginals` for that of every label of every token, `nbest` for the best labellings, at most so many. With `legal`
    only sequences of labels that are well-formed in their scheme count. `costs` says what it costs to miss a label, 1
    for those it does not name, as a mapping or the path of a list: then the labels are those of least expected cost,
    each by itself, or all together with `legal`. A model with `predicted(…)` reads all sentences, or all texts, once
    before it tags them; with `context="document"` each document of a file or each text by itself, with a number so many
    sentences at a time, and with `"none"` nothing.
    """
    if nbest is not None and (isinstance(nbest, bool) or not isinstance(nbest, int) or nbest < 1):
        raise ConfigError(f"nbest is a whole number from 1 up, not {nbest!r:.50}")
    if nbest and costs is not None:
        raise ConfigError("nbest ranks labellings by their probability, and costs do not: choose one of the two")
    if (sentences is None) == (text is None):
        raise ConfigError("sentences or a text are wanted, one of the two: sstag.tag(model, [['Kim']]), or text=")
    if text is not None and (marginals or nbest):
        raise ConfigError("marginals and nbest are about tokens, and a text has spans: give sentences instead of text=")
    tagger = loaded(model)
    sure = bool(confidence or marginals or nbest)
    question = Question(
        confidence=sure,
        token_confidence=confidence,
        marginals=marginals,
        best=nbest or 0,
        legality=legality(tagger) if legal else None,
        chunks=tags_of(tagger) if confidence else None,
        costs=None if costs is None else _costs(tagger, costs),
    )
    asked_context = _context(tagger, context)
    if text is not None:
        found_spans = spans_of(tagger, [text] if isinstance(text, str) else text, question, asked_context)
        return found_spans[0] if isinstance(text, str) else found_spans
    given, corpus, starts = _sentences(sentences, tagger)
    if asked_context == OF_DOCUMENT and starts is None:
        raise ConfigError("lists and corpora do not say where documents begin: name a file, or context='file'")
    with shards(threads) as over:
        runs = answers_by_run(tagger, corpus, question, over, Read(asked_context, starts or ()))
        if not sure:
            return _in_places((each for run in runs for each in _labels(tagger, *run)), given, list[str])
        best: list[tuple[list[str], float]] = [([], 1.0)] if nbest else []  # of no token there is one labelling
        found = (each for run in runs for each in _tagged(tagger, question, *run))
        return _in_places(found, given, lambda: Tagged([], 1.0, [], [], [], best))


def _costs(tagger: Model, costs: Mapping[str, float] | Path) -> Floats:
    if isinstance(costs, Mapping):
        return decision_costs(tagger, costs)
    if isinstance(costs, str | os.PathLike):
        return listed_costs(tagger, os.fspath(costs))
    raise ConfigError(f"costs are a mapping such as {{'B-PER': 5}}, or the path of a list, not {costs!r:.50}")


def _context(tagger: Model, said: str | int | None) -> Context:
    """The context that is asked for; all there is, unless something is said."""
    if tagger.first is None:
        if said is not None:
            raise ConfigError("context is for models of two stages: no feature of this one is predicted(…)")
        return NO_CONTEXT
    return OF_FILE if said is None else context_called(said)


def _sentences(sentences: Sentences | None, tagger: Model) -> tuple[list[Sentence], Corpus, list[int] | None]:
    """The sentences in lists, none if they are in a file or a corpus; as a corpus; where documents of a file begin."""
    if isinstance(sentences, str | os.PathLike):
        path, documents = os.fspath(sentences), DocumentStarts()
        expect_file(path, TEXTS)
        return [], read(path, tagger.template.layout(path), documents.noted), documents.starts
    if isinstance(sentences, Corpus):
        return [], sentences, None
    given = as_list(sentences, "sentences are a corpus, the path of a file or lists of tokens")
    if wrong := next((one for one in given if isinstance(one, str)), None):
        raise DataError(f"{wrong!r:.50} is no list of tokens: {IN_LISTS}; {TEXTS}", "sentence", given.index(wrong) + 1)
    return given, corpus_of(given, columns_but_label(tagger.template)), None


def _labels(model: Model, corpus: Corpus, answer: Answer) -> Iterator[list[str]]:
    labels = [model.labels[y] for y in answer.labels.tolist()]
    return (labels[begin:end] for begin, end in pairwise(corpus.offsets.tolist()))


def _tagged(model: Model, question: Question, corpus: Corpus, answer: Answer) -> Iterator[Tagged]:
    token_confidence, marginals = answer.token_confidence.tolist(), shares_of(answer.marginals, model.labels)
    chunks = chunks_of(answer, question, corpus.offsets)
    for number, labels in enumerate(_labels(model, corpus, answer)):
        tokens = slice(*corpus.offsets[number : number + 2].tolist())
        yield Tagged(
            labels=labels,
            confidence=float(answer.confidence[number]),
            token_confidence=token_confidence[tokens],
            chunks=chunks[number],
            marginals=marginals[tokens],
            best=best_of(answer, number, model.labels) if question.best else [],
        )


def _in_places(found: Iterator[T], given: list[Sentence], empty: Callable[[], T]) -> list[T]:
    """The answers where their sentences were given, and those for empty sentences between them."""
    return [next(found) if sentence else empty() for sentence in given] or list(found)
