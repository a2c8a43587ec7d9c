"""What an objective is.

An objective sees a lattice and what it prepared for a batch, its side; never weights, features or files. The statistics
it gathers are summed over all batches; `close` makes the value of the sums and its derivative, which `push` carries
back to the potentials of each batch. Where that derivative is known before the sums are, one pass is enough.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, Protocol

from sstag.chain.lattice import Lattice
from sstag.chain.potentials import Potentials
from sstag.corpus.corpus import Corpus
from sstag.foundation.arrays import Floats
from sstag.model.batches import Batch
from sstag.model.compiled import Compiled
from sstag.model.dataset import Dataset


class Objective(Protocol):
    """A criterion that is a function of sums over sentences."""

    @property
    def slope(self) -> Floats | None:
        """∂value/∂statistics if it does not depend on the statistics, else None."""

    def side(self, data: Dataset, batch: Batch) -> Any:
        """What the objective needs of a batch besides its lattice, made once."""

    def gather(self, lattice: Lattice, side: Any) -> Floats:
        """The statistics of a batch; those of several batches add."""

    def close(self, statistics: Floats) -> tuple[float, Floats]:
        """The value, and ∂value/∂statistics."""

    def push(self, lattice: Lattice, side: Any, slope: Floats) -> Potentials:
        """Σ slope · ∂statistics/∂potentials of a batch."""

    def curvature(self, lattice: Lattice, side: Any) -> Potentials | None:
        """About how much −value curves along each potential; None where that is not known to be positive."""


class Opened(Protocol):
    """What a file of an objective says. Its reader is given the path, a template with names for all columns, and the
    text that the objective looks at; without a file the path is empty."""

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
    def about(self) -> dict[str, Any]:
        """What a model tells of it."""

    def odd(self, known: Sequence[str]) -> list[str]:
        """What is odd about it, a warning each; known are the labels of the labelled sentences."""


@dataclass(frozen=True)
class Ground:
    """What an objective is made for that depends on the text: the text it looks at, and all that was compiled."""

    corpus: Corpus
    data: Dataset  # its arrays: sentence and token numbers are those of the corpus
    compiled: Compiled
