"""Ways to decide labels before training, so that any method can learn from them (Tsuboi et al. 2008, §5.2).

`AMBIGUOUS` is plain data, so that listing them imports nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sstag.foundation.registry import Where

if TYPE_CHECKING:
    from sstag.corpus.corpus import Corpus
    from sstag.training.disambiguation.preparations import Case


class Decides(Protocol):
    """The labelled sentences of a case with every label decided."""

    def __call__(self, case: "Case", /) -> "Corpus": ...


@dataclass(frozen=True)
class Preparation:
    """A way to decide labels: where it is, a line of help, and whether it needs fully labelled sentences."""

    where: Where[Decides]
    help: str
    needs_full: bool = False


AMBIGUOUS = {
    "random": Preparation(
        Where("sstag.training.disambiguation.preparations:random"),
        "one of the allowed labels, each with the same probability",
    ),
    "first": Preparation(
        Where("sstag.training.disambiguation.preparations:first"),
        "the allowed label written first",
    ),
    "frequent": Preparation(
        Where("sstag.training.disambiguation.preparations:frequent"),
        "the allowed label that most of the decided tokens have",
    ),
    "discard": Preparation(
        Where("sstag.training.disambiguation.preparations:discard"),
        "sentences with an undecided label are left out",
        needs_full=True,
    ),
    "argmax": Preparation(
        Where("sstag.training.disambiguation.preparations:argmax"),
        "the allowed labels on the best path of a CRF trained on the fully labelled sentences",
        needs_full=True,
    ),
}
SUPERVISED = tuple(name for name, entry in AMBIGUOUS.items() if entry.needs_full)


def option(*without: str) -> str:
    """The option that names a preparation, but for some, as an error proposes it."""
    return f"--ambiguous {'|'.join(name for name in AMBIGUOUS if name not in without)}"
