"""q(x) under a hidden Markov model, by the forward algorithm (Sokolovska 2011, eq. 18): log Z of an HMM is log q(x)."""

from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats
from sstag.foundation.parallel import Over
from sstag.model.model import Model
from sstag.model.runs import asked_in_runs


@dataclass(frozen=True, eq=False)
class Hidden:
    """An HMM as a density."""

    model: Model

    @property
    def columns(self) -> tuple[str, ...]:
        return self.model.columns_read

    def log_q(self, corpus: Corpus, over: Over) -> Floats:
        """log q(x) of every sentence."""  # (S,)
        found = asked_in_runs(self.model, corpus, over, lambda first, lattice: lattice.log_z)
        return np.concatenate([np.zeros(0), *found])
