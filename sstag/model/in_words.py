"""Answers of a model sentence by sentence, with the texts of labels: the parts that JSON lines and Python share."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.ranges import sentences_of
from sstag.model.questions import Answer, Question


class FoundChunk(NamedTuple):
    """A chunk that a model found, by the places of its tokens in the sentence; JSON lines have these fields."""

    first: int
    stop: int
    type: str
    confidence: float


class FoundSpan(NamedTuple):
    """A span of characters that a model found in a text."""

    start: int
    end: int
    label: str
    text: str
    probability: float | None = None


def chunks_of(answer: Answer, question: Question, offsets: Longs) -> list[list[FoundChunk]]:
    """The chunks of each sentence, numbered by its tokens; none if they were not asked for."""
    tags, found = question.chunks, answer.chunks
    result: list[list[FoundChunk]] = [[] for _ in offsets[1:]]
    if tags is None:
        return result
    sentence = sentences_of(offsets, found.first)
    start = offsets[sentence]
    columns = sentence, found.first - start, found.stop - start, found.type, answer.chunk_confidence
    for s, first, stop, kind, sure in zip(*(column.tolist() for column in columns), strict=True):
        result[s].append(FoundChunk(first, stop, tags.types[kind], sure))
    return result


def shares_of(marginals: Floats, labels: Sequence[str], least: float = 0.0) -> list[dict[str, float]]:
    """For each token the labels with at least this probability, the most probable first."""
    token, label = np.nonzero(marginals >= least)
    probability = marginals[token, label]
    order = np.lexsort((-probability, token))
    names = [labels[y] for y in label[order].tolist()]
    numbers = probability[order].tolist()
    bounds = np.cumsum([0, *np.bincount(token, minlength=len(marginals))]).tolist()
    return [dict(zip(names[begin:end], numbers[begin:end], strict=True)) for begin, end in pairwise(bounds)]


def best_of(answer: Answer, sentence: int, labels: Sequence[str]) -> list[tuple[list[str], float]]:
    """The best labellings of a sentence, each with its probability."""
    found, probabilities = (array.tolist() for array in answer.best[sentence])
    return [([labels[y] for y in one], probability) for one, probability in zip(found, probabilities, strict=True)]
