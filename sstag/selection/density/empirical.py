"""q(x) as the share of a text's sentences that are x; it is 0 for a sentence that the text does not have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sstag.chain.functions import log
from sstag.corpus.corpus import Corpus
from sstag.corpus.fingerprints import fingerprints
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.parallel import Over


@dataclass(frozen=True, eq=False)
class Empirical:
    """How often each sentence was counted, by its fingerprint."""

    columns: tuple[str, ...]
    sentences: Longs  # (D,) ascending
    times: Longs  # (D,)

    def log_q(self, corpus: Corpus, over: Over) -> Floats:
        """log q(x) of every sentence."""  # (S,)
        wanted = fingerprints(corpus, self.columns)
        place = np.minimum(np.searchsorted(self.sentences, wanted), len(self.sentences) - 1)
        times = np.where(self.sentences[place] == wanted, self.times[place], 0)
        return log(times / self.times.sum())


def shares_of_text(corpora: Iterable[Corpus], columns: Sequence[str]) -> Empirical:
    """The shares of the sentences of a text, which may come in pieces."""
    found = Empirical(tuple(columns), np.zeros(0, np.int64), np.zeros(0, np.int64))
    for corpus in corpora:
        each = np.ones(corpus.sentences, np.int64)
        found = merged(found, Empirical(tuple(columns), fingerprints(corpus, columns), each))
    return found


def merged(first: Empirical, second: Empirical) -> Empirical:
    """The shares of the sentences of two texts together; those of the second may stand there in any order."""
    sentences, which = np.unique(np.concatenate([first.sentences, second.sentences]), return_inverse=True)
    times = np.zeros(len(sentences), np.int64)
    np.add.at(times, which, np.concatenate([first.times, second.times]))
    return Empirical(first.columns, sentences, times)
