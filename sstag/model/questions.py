"""Questions to a model about sentences, and its answers: labels, probabilities, the k best labellings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Floats, Ints
from sstag.labels.schemes.tagset import Chunks, Tagset
from sstag.model.legality import Legality, tags_of
from sstag.model.model import Model


@dataclass(frozen=True, eq=False)
class Question:
    """A question about every sentence: what is wanted besides its best labels."""

    confidence: bool = False
    token_confidence: bool = False
    marginals: bool = False
    best: int = 0  # how many labellings
    legality: Legality | None = None
    entropy: bool = False  # of sentences and of tokens
    chunks: Tagset | None = None  # the tags whose chunks are wanted
    chunk_confidence: bool = True  # with the probability of each chunk
    costs: Floats | None = None  # (L,) of missing each label: the labels of least expected cost instead of the best


NO_CHUNKS = Chunks(*np.zeros((3, 0), np.int64))


def of_confidence(model: Model) -> Question:
    """The question for everything that says how probable the labels are."""
    return Question(confidence=True, token_confidence=True, entropy=True, chunks=tags_of(model))


@dataclass(frozen=True, eq=False)
class Answer:
    """The answers about some sentences; an array that was not asked for is empty."""

    labels: Ints  # (T,) the best labelling ŷ, or that of least expected cost
    confidence: Floats  # (S,) p(ŷ|x)
    token_confidence: Floats  # (T,) p_t(ŷ_t|x)
    marginals: Floats  # (T, L) p_t(y|x)
    best: Sequence[tuple[Ints, Floats]]  # (S,) the best labellings, (m, n), and p(y|x) of each, (m,)
    entropy: Floats  # (S,) H(Y|x)
    token_entropy: Floats  # (T,) H(Y_t|x)
    chunks: Chunks  # those of ŷ
    chunk_confidence: Floats  # (C,) the probability that exactly this chunk is there
