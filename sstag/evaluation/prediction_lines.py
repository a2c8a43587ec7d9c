"""Predictions as JSON lines, which `sstag tag --format jsonl` writes: words, labels and their probabilities.

The words are the `form` or the first list of texts of a line, the labels its `predicted`. Probabilities are kept if
every line has them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from typing import TypeGuard

import numpy as np

from sstag.corpus.column_names import ALIASES, PREDICTED
from sstag.corpus.corpus import Corpus, corpus_of
from sstag.evaluation.calibration import Confidences
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import DataError
from sstag.foundation.files import contents, display_name
from sstag.foundation.json_values import Json, json_value
from sstag.labels.schemes.tagset import Chunks

LARGEST = 2**32  # bytes
NO_TOKEN = re.compile(r"[\0\t\n\r\v\f]")
CHUNK = ("first", "stop", "type", "confidence")


@dataclass(frozen=True)
class _ChunkLine:
    """A predicted chunk, in tokens of its sentence."""

    first: int
    stop: int
    type: str
    confidence: float


@dataclass(frozen=True)
class _Line:
    """A sentence with its predicted labels; None for probabilities that the line does not have."""

    words: list[str]
    labels: list[str]
    confidence: float | None
    token_confidence: list[float] | None
    chunks: list[_ChunkLine] | None


def read_predictions(path: str) -> tuple[Corpus, Confidences]:
    """The words and predicted labels of a file, as columns of a corpus, and the probabilities of the predictions."""
    data, name = contents(path, LARGEST), display_name(path)
    texts = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    lines = [_line(line, name, number) for number, line in texts]
    if not lines:
        raise DataError("no sentence in it", name)
    sentences = [list(zip(line.words, line.labels, strict=True)) for line in lines]
    made = corpus_of(sentences, ("word", PREDICTED))
    numbers = np.repeat([number for number, _ in texts], np.diff(made.offsets))
    corpus = replace(made, path=name, lines=numbers, digest=sha256(data).hexdigest())
    return corpus, _confidences(lines, made.offsets.tolist())


def _line(text: bytes, path: str, number: int) -> _Line:
    """The sentence of one line; anything that cannot be read as one is an error."""

    def wrong(what: str) -> DataError:
        return DataError(f"{what}: is this what `sstag tag --format jsonl` writes?", path, number)

    try:
        said = json_value(text)
    except ValueError as error:
        raise wrong(str(error)) from error
    if not isinstance(said, dict):
        raise wrong("no JSON object")
    labels = said.pop(PREDICTED, None)
    columns = {name: value for name, value in said.items() if _are_texts(value)}
    forms = (name for name in columns if ALIASES.get(name, name) == "form")
    words = columns[next(forms, next(iter(columns)))] if columns else None
    if words is None or not _are_texts(labels):
        raise wrong(f"words and a list '{PREDICTED}' are needed")
    if len(words) != len(labels):
        raise wrong(f"{len(words)} words, but {len(labels)} labels")
    sure, of_tokens, chunks = said.get("confidence"), said.get("token_confidence"), said.get("chunks")
    if "confidence" not in said:
        confidence = None
    elif _is_probability(sure):
        confidence = sure
    else:
        raise wrong("'confidence' is no probability")
    if "token_confidence" not in said:
        token_confidence = None
    elif _are_probabilities(of_tokens) and len(of_tokens) == len(words):
        token_confidence = of_tokens
    else:
        raise wrong(f"'token_confidence' is no list of {len(words)} probabilities")
    found = _chunks(chunks, len(words)) if "chunks" in said else None
    if "chunks" in said and found is None:
        raise wrong(f"'chunks' must be a list in order, with {', '.join(CHUNK)} of each")
    return _Line(words, labels, confidence, token_confidence, found)


def _are_texts(value: Json) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(map(_is_token, value))


def _is_token(value: Json) -> bool:
    """Whether a value is a text that a column can hold, but for blanks, which words of CoNLL-U may have."""
    return isinstance(value, str) and bool(value) and not NO_TOKEN.search(value)


def _is_probability(value: Json) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_probabilities(value: Json) -> TypeGuard[list[float]]:
    return isinstance(value, list) and all(map(_is_probability, value))


def _chunks(value: Json, length: int) -> list[_ChunkLine] | None:
    """The chunks of a sentence, if these are chunks one after another; else None."""
    if not isinstance(value, list):
        return None
    found, end = list[_ChunkLine](), 0
    for one in value:
        if not isinstance(one, dict):
            return None
        first, stop, kind, sure = (one.get(name) for name in CHUNK)
        if type(first) is not int or type(stop) is not int or not end <= first < stop <= length:
            return None
        if not isinstance(kind, str) or not _is_probability(sure):
            return None
        found.append(_ChunkLine(first, stop, kind, sure))
        end = stop
    return found


def _confidences(lines: Sequence[_Line], offsets: Sequence[int]) -> Confidences:
    """The probabilities of all lines, in kinds that every line has."""

    def flat(values: Iterator[float]) -> Floats:
        return np.fromiter(values, np.float64)

    tokens = [line.token_confidence for line in lines if line.token_confidence is not None]
    sentences = [line.confidence for line in lines if line.confidence is not None]
    found = [(at, one) for at, line in zip(offsets, lines, strict=False) for one in line.chunks or ()]
    types = tuple(sorted({one.type for _, one in found}))
    columns = [[at + one.first, at + one.stop, types.index(one.type)] for at, one in found]
    have_chunks = all(line.chunks is not None for line in lines)
    return Confidences(
        tokens=flat(chain.from_iterable(tokens)) if len(tokens) == len(lines) else None,
        sentences=flat(iter(sentences)) if len(sentences) == len(lines) else None,
        chunks=Chunks(*np.array(columns, np.int64).reshape(-1, 3).T) if have_chunks else None,
        types=types,
        of_chunks=flat(one.confidence for _, one in found),
    )
