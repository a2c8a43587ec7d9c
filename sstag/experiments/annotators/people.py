"""Simulated annotators of known reliability, and labels with planted errors: both of texts whose labels are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus, with_column
from sstag.foundation.arrays import Ints, Longs
from sstag.foundation.ranges import row_of_each
from sstag.labels.column import annotation
from sstag.labels.marks import Marks
from sstag.labels.schemes.rewrite import rewritten
from sstag.labels.schemes.tagset import Tagset, chunks, possible_labels, tagset


@dataclass(frozen=True)
class Truth:
    """A text whose labels are taken to be right, in IOB2."""

    corpus: Corpus
    label: str  # the column
    tags: Tagset
    codes: Ints  # (T,) index into tags.labels

    def with_labels(self, codes: Ints) -> Corpus:
        """The text with other labels."""
        return with_column(self.corpus, self.label, self.tags.labels, codes)


@dataclass(frozen=True)
class Habits:
    """How often an annotator overlooks a chunk, gives it another type, moves an end of it, and sees one at a token
    where there is none."""

    misses: float
    confuses: float
    moves: float
    adds: float


GOOD = Habits(0.05, 0.04, 0.04, 0.003)
FAIR = Habits(0.20, 0.12, 0.12, 0.010)
POOR = Habits(0.40, 0.30, 0.25, 0.030)


def truth_of(corpus: Corpus, label: str) -> Truth:
    """The labels of a corpus, whatever their scheme, in IOB2."""
    column = corpus.column(label)
    codes = corpus.codes[column]
    read = annotation(corpus.values[column], codes, corpus.offsets, Marks(), None)
    names, new, _ = rewritten(read.tags, "iob2", read.single[codes], corpus.offsets)
    tags = tagset(possible_labels(tagset(sorted({"O", *names}), "iob2")), "iob2")
    number = np.array([tags.labels.index(name) for name in names], np.int32)
    return Truth(corpus, label, tags, number[new])


def labelled_by(truth: Truth, habits: Habits, rng: np.random.Generator) -> Ints:
    """The labels that an annotator with these habits gives."""  # (T,)
    tags, offsets = truth.tags, truth.corpus.offsets
    found = chunks(tags, truth.codes, offsets)
    begins, ends = _ends_of_sentences(truth.corpus)
    kinds = len(tags.types)
    spans: list[tuple[int, int, int]] = []
    for first, stop, kind in zip(found.first.tolist(), found.stop.tolist(), found.type.tolist(), strict=True):
        miss, confuse, move = rng.random(3)
        shift, other, side = int(rng.integers(2)) * 2 - 1, int(rng.integers(kinds - 1)), int(rng.integers(2))
        if miss < habits.misses:
            continue
        if confuse < habits.confuses:
            kind = (kind + 1 + other) % kinds
        if move < habits.moves:
            low, high = int(begins[first]), int(ends[first])
            first, stop = (max(first + shift, low), stop) if side else (first, min(stop + shift, high))
        if first < stop:
            spans.append((first, stop, kind))
    for token in np.flatnonzero(rng.random(len(truth.codes)) < habits.adds).tolist():
        spans.append((token, token + 1, int(rng.integers(kinds))))
    return _written(tags, sorted(spans), len(truth.codes))


def _ends_of_sentences(corpus: Corpus) -> tuple[Longs, Longs]:
    """The first token of each token's sentence, and the one after its last."""
    sentence = row_of_each(corpus.offsets)
    return corpus.offsets[sentence], corpus.offsets[sentence + 1]


def _written(tags: Tagset, spans: Sequence[tuple[int, int, int]], tokens: int) -> Ints:
    """The labels of chunks, each cut where the one before it ends."""
    number = {label: index for index, label in enumerate(tags.labels)}
    codes, free = np.full(tokens, number["O"], np.int32), 0
    for begin, stop, kind in spans:
        first = max(begin, free)
        if first < stop:
            codes[first:stop] = number[f"I-{tags.types[kind]}"]
            codes[first] = number[f"B-{tags.types[kind]}"]
            free = stop
    return codes


def with_random_labels(truth: Truth, share: float, rng: np.random.Generator) -> Ints:
    """The labels with another one, drawn at random, at this share of tokens."""
    wrong = rng.random(len(truth.codes)) < share
    shift = rng.integers(1, len(truth.tags.labels), len(truth.codes))
    return np.where(wrong, (truth.codes + shift) % len(truth.tags.labels), truth.codes).astype(np.int32)


def with_confused_chunks(truth: Truth, share: float, rng: np.random.Generator) -> Ints:
    """The labels with this share of chunks overlooked, of another type, or one token shorter or longer."""
    habits = Habits(share / 3, share / 3, share / 3, 0.0)
    return labelled_by(truth, habits, rng)
