"""The contracts of an objective, of the function that makes it, and of the file that it may have.

An objective sees a lattice and what it prepared for a batch, its side; never weights, features or files. The statistics
it gathers are summed over all batches; `close` makes the value of the sums and its derivative, which `push` carries
back to the potentials of each batch. Where that derivative is known before the sums are, one pass is enough.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.corpus.volumes import Text
from sstag.features.template import Template
from sstag.foundation.arrays import Floats
from sstag.foundation.json_values import Json
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset


class Objective(Protocol):
    """A criterion that is a function of sums over sentences."""

    @property
    def slope(self) -> Floats | None:
        """∂value/∂statistics if it does not depend on the statistics, else None."""

    def side(self, data: Dataset, batch: Batch) -> Any:
        """Whatever the objective needs of a batch besides its lattice, made once."""

    def gather(self, lattice: Lattice, side: Any) -> Floats:
        """The statistics of a batch; those of several batches add."""

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        """The value, and ∂value/∂statistics."""

    def push(self, lattice: Lattice, side: Any, slope: Floats) -> Potentials:
        """Σ slope · ∂statistics/∂potentials of a batch."""

    def curvature(self, lattice: Lattice, side: Any) -> Potentials | None:
        """About how much −value curves along each potential; None where that is not known to be positive."""


class OfVolumes(Objective, Protocol):
    """An objective that can look at a text in volumes."""

    def within(self, corpus: Corpus) -> Objective:
        """The objective as one volume sees it; its corpus has codes, and no values of its own."""


class Opened(Protocol):
    """A file of an objective, as it was read."""

    @property
    def path(self) -> str:
        """Its name, for messages."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""

    @property
    def labels(self) -> Set[str]:
        """The labels it names."""

    @property
    def tells_apart(self) -> bool:
        """Whether it says anything of some tokens that it does not say of others."""

    @property
    def about(self) -> Mapping[str, Json]:
        """A report of it, which the model keeps."""

    def odd(self, known: Sequence[str]) -> list[str]:
        """A warning for each thing that is odd about it; known are the labels of the labelled sentences."""


@dataclass(frozen=True)
class Ground:
    """The text that an objective is made for, and all that was compiled."""

    corpus: Corpus
    data: Dataset  # its arrays: sentence and token numbers are those of the corpus
    compiled: Compiled
    spread: int | None = None  # the tokens of a text in volumes, whose head alone is here

    @property
    def tokens(self) -> float:
        """The tokens of the text, each as often as its sentence counts."""
        return float((np.diff(self.data.offsets) * self.data.omega).sum() if self.spread is None else self.spread)


class Reader(Protocol):
    """Reads the file of an objective, given a template with names for all columns and the text that the objective looks
    at; without a file the path is empty."""

    def __call__(self, path: str, template: Template, text: Text, /) -> Opened | None: ...


class MakesObjective(Protocol):
    """Makes an objective for a text, of parameters of the class that the registry has for it, and of its file."""

    def __call__(self, parameters: Any, ground: Ground, opened: Any, /) -> Objective: ...
