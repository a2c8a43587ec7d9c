"""The probability q(x) of sentences, whatever their labels: a product of n-grams, that of an HMM, or a share of a text.

`DENSITIES` is plain data: the kinds that are counted in text.
"""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sstag.corpus.corpus import Corpus
    from sstag.foundation.arrays import Floats
    from sstag.foundation.parallel import Over

# name → one line of help
DENSITIES = {
    "ngram": "n-grams of each column, multiplied",
    "empirical": "how often the sentence itself was counted",
}
ORDER, SMOOTHING = 3, 1.0  # of n-grams, unless others are chosen
HIGHEST = 100  # order
MOST_COLUMNS = 100


class Density(Protocol):
    """q(x) of the sentences of a corpus."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is about."""

    def log_q(self, corpus: "Corpus", over: "Over") -> "Floats":
        """log q(x) of every sentence, (S,)."""
