"""The strategies that say what to annotate next: each gives every candidate a score, and the largest are asked first.

A batch may be spread over what sentences mean besides (`SPREADS`).

`STRATEGIES` is plain data, so that listing them imports nothing; the functions are in `scores.py`. To add a strategy,
write a function there and an entry here (CONTRIBUTING, "Add a selection strategy").
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sstag.foundation.registry import Where

if TYPE_CHECKING:
    import numpy as np

    from sstag.foundation.arrays import Floats
    from sstag.selection.candidates import Candidates, Pool


class Next(Protocol):
    """The place of the next one of a batch, by what each is worth."""

    def __call__(self, worth: "Floats", rng: "np.random.Generator", /) -> int: ...


class Scores(Protocol):
    """A number for each candidate of a pool."""

    def __call__(self, pool: "Pool", candidates: "Candidates", rng: "np.random.Generator", /) -> "Floats": ...


@dataclass(frozen=True)
class Strategy:
    """A registered strategy: the function that scores, a line of help, and the needs that commands ask about."""

    where: Where[Scores]
    help: str
    model: bool = True  # it needs a model
    density: bool = False  # it needs q(x): that of --density, or of the trigrams of the pool
    spans: bool = False  # it can score parts of sentences, too
    tokens: bool = False  # these parts are single tokens, and not the terms of a list or the chunks that a model finds
    unsure: bool = False  # in its sentences only those tokens are asked for of which the model is not sure


@dataclass(frozen=True)
class Quantity:
    """A number that a quota sorts sentences by."""

    where: Where[Scores]
    help: str
    density: bool = True  # it depends on q(x)


@dataclass(frozen=True)
class Spread:
    """A way to choose far from what was chosen before: the function that chooses the next one, and a line of help."""

    where: Where[Next]
    help: str
    middle: bool = False  # it begins in the middle of the pool


CHANCE, QUOTA = "random", "quota"
CONFIDENCE = 0.99  # of a label, from which on the model may give it itself (Tomanek and Hahn 2009, §4.1)

STRATEGIES = {
    CHANCE: Strategy(Where("sstag.selection.strategies.scores:chance"), "all alike", model=False, spans=True),
    QUOTA: Strategy(
        Where("sstag.selection.strategies.scores:quota"),
        "one from each of equal groups, from frequent to rare, long to short (--by): needs no model",
        model=False,
        density=True,
    ),
    "fusal": Strategy(Where("sstag.selection.strategies.scores:fusal"), "the best labels are improbable: 1 − p(ŷ|x)"),
    "sesal": Strategy(
        Where("sstag.selection.strategies.scores:fusal"),
        "the same sentences; asks for what the model is unsure of (--confidence), the rest has its labels",
        unsure=True,
    ),
    "margin": Strategy(
        Where("sstag.selection.strategies.scores:margin"),
        "the best two labellings are equally probable: p(ŷ|x) − p(ŷ₂|x)",
    ),
    "entropy": Strategy(Where("sstag.selection.strategies.scores:entropy"), "the entropy of the sentence, H(Y|x)"),
    "entropy-rate": Strategy(
        Where("sstag.selection.strategies.scores:entropy_rate"),
        "the entropy of the sentence by the seconds that it takes to read and to answer, H(Y|x) / (1.6 + 0.25 n)",
    ),
    "n-best-entropy": Strategy(
        Where("sstag.selection.strategies.scores:n_best_entropy"),
        "the entropy of its ten best labellings by their probabilities among themselves",
    ),
    "token-entropy": Strategy(
        Where("sstag.selection.strategies.scores:token_entropy"),
        "the mean entropy of its tokens, H(Y_t|x); with --spans single tokens",
        spans=True,
        tokens=True,
    ),
    "span-entropy": Strategy(
        Where("sstag.selection.strategies.scores:span_entropy"),
        "the highest entropy of one of its spans; with --spans these: terms of a list, or the chunks found",
        spans=True,
    ),
    "density": Strategy(
        Where("sstag.selection.strategies.scores:density"),
        "the entropy, times the probability of the sentence per token",
        density=True,
    ),
}

BY = {
    "q": Quantity(Where("sstag.selection.strategies.scores:quota"), "log q(x)"),
    "length": Quantity(Where("sstag.selection.strategies.scores:length"), "tokens", density=False),
    "q-per-token": Quantity(Where("sstag.selection.strategies.scores:q_per_token"), "log q(x) per token"),
}

SPREADS = {
    "k-means++": Spread(
        Where("sstag.selection.spreading:drawn"),
        "by chance, the likelier the farther from all before it, as k-means++ begins",
    ),
    "core-set": Spread(
        Where("sstag.selection.spreading:farthest"),
        "always the farthest from all before it, from the middle of the pool on",
        middle=True,
    ),
}
WORDS, MEANING = ALIKE = ("words", "meaning")  # by which candidates are alike


def looks_at_density(strategy: str, by: str) -> bool:
    """Whether a strategy, a quota by this quantity, depends on q(x)."""
    return BY[by].density if strategy == QUOTA else STRATEGIES[strategy].density
