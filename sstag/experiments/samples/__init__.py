"""Generated corpora: `sstag sample NAME`. Plain data, so that listing them imports nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from sstag.foundation.registry import Where

if TYPE_CHECKING:
    import numpy as np


class Sample(Protocol):
    """Generates so many sentences, tokens with their labels."""

    def __call__(self, count: int, rng: "np.random.Generator", /) -> Iterator[list[tuple[str, str]]]: ...


# name -> where it is, one line of help
SAMPLES: dict[str, tuple[Where[Sample], str]] = {
    "ads": (
        Where("sstag.experiments.samples.ads:ads"),
        "apartment ads, every word labelled with one of 11 fields (size, rent, contact, ...)",
    ),
    "hmm": (
        Where("sstag.experiments.samples.hmm:hmm"),
        "sequences of a hidden Markov model whose matrices, q(x) and Bayes error are known",
    ),
}
