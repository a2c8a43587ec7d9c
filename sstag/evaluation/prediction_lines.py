"""Predictions as JSON lines, as `sstag tag --format jsonl` writes them: words, labels, and how sure each is.

The words are the `form` or the first list of texts of a line, the labels its `predicted`. Probabilities are kept if
every line has them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np

from sstag.corpus.corpus import Corpus, Sentence, corpus_of
from sstag.corpus.layout import ALIASES
from sstag.evaluation.calibration import Sureness
from sstag.foundation.arrays import Floats
from sstag.foundation.errors import DataError
from sstag.foundation.files import contents, display_name
from sstag.labels.schemes.tagset import Chunks

ENDINGS = (".jsonl", ".jsonl.gz")
PREDICTED = "predicted"
LARGEST = 2**32  # bytes
CHUNK = ("first", "stop", "type", "confidence")


def are_json_lines(path: str) -> bool:
    """Whether a file of predictions is one of JSON lines, by its name."""
    return path.endswith(ENDINGS)


def read_predictions(path: str) -> tuple[Corpus, Sureness]:
    """Words and predicted labels, as columns of these names; and the probabilities that are said."""
    data, name = contents(path, LARGEST), display_name(path)
    texts = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    lines = [_line(line, name, number) for number, line in texts]
    if not lines:
        raise DataError("no sentence in it", name)
    made = corpus_of([tokens for tokens, _ in lines], ("word", PREDICTED))
    numbers = np.repeat([number for number, _ in texts], np.diff(made.offsets))
    corpus = replace(made, path=name, lines=numbers, digest=sha256(data).hexdigest())
    return corpus, _sureness([line for _, line in lines], made.offsets.tolist())


def _line(text: bytes, path: str, number: int) -> tuple[Sentence, Mapping[str, Any]]:
    """The words of a sentence with their labels, and what else is said of it."""

    def wrong(what: str) -> DataError:
        return DataError(f"{what}: is this what `sstag tag --format jsonl` writes?", path, number)

    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise wrong("no JSON") from error
    if not isinstance(said, dict):
        raise wrong("no JSON object")
    labels = said.pop(PREDICTED, None)
    columns = [name for name, value in said.items() if _are_texts(value)]
    words = said[next((name for name in columns if ALIASES.get(name, name) == "form"), columns[0])] if columns else None
    if words is None or not _are_texts(labels):
        raise wrong(f"words and a list '{PREDICTED}' are needed")
    if len(words) != len(labels):
        raise wrong(f"{len(words)} words, but {len(labels)} labels")
    if "confidence" in said and not _are_probabilities([said["confidence"]]):
        raise wrong("'confidence' is no probability")
    sure = said.get("token_confidence", [])
    if "token_confidence" in said and not (_are_probabilities(sure) and len(sure) == len(words)):
        raise wrong(f"'token_confidence' is no list of {len(words)} probabilities")
    if "chunks" in said and not _are_chunks(said["chunks"], len(words)):
        raise wrong(f"'chunks' must be a list in order, with {', '.join(CHUNK)} of each")
    return list(zip(words, labels, strict=True)), said


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and one for one in value)


def _are_probabilities(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1 for one in value
    )


def _are_chunks(value: object, length: int) -> bool:
    """Whether these are chunks of a sentence, one after another."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return False
    bounds = [one.get(name) for one in value for name in ("first", "stop")]
    return (
        all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds)
        and all(a < b for a, b in zip(bounds[::2], bounds[1::2], strict=True))
        and all(a <= b for a, b in pairwise([0, *bounds, length]))
        and all(isinstance(one.get("type"), str) and _are_probabilities([one.get("confidence")]) for one in value)
    )


def _sureness(lines: Sequence[Mapping[str, Any]], offsets: Sequence[int]) -> Sureness:
    def said(name: str) -> bool:
        return all(name in line for line in lines)

    def flat(values: Iterator[float]) -> Floats:
        return np.fromiter(values, np.float64)

    found = [(at, one) for at, line in zip(offsets, lines, strict=False) for one in line.get("chunks", ())]
    types = tuple(sorted({one["type"] for _, one in found}))
    columns = [[at + one["first"], at + one["stop"], types.index(one["type"])] for at, one in found]
    return Sureness(
        tokens=flat(p for line in lines for p in line["token_confidence"]) if said("token_confidence") else None,
        sentences=flat(line["confidence"] for line in lines) if said("confidence") else None,
        chunks=Chunks(*np.array(columns, np.int64).reshape(-1, 3).T) if said("chunks") else None,
        types=types,
        of_chunks=flat(one["confidence"] for _, one in found),
    )
