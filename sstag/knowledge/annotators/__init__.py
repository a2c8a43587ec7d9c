"""Several annotators of one text: what each allows, how they are combined, and what each is worth.

`WAYS` is plain data, so that listing them imports nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sstag.foundation.registry import Where

if TYPE_CHECKING:
    from sstag.knowledge.annotators.combining import Combines


@dataclass(frozen=True)
class Way:
    """A registered way to combine votes: its function, a line of help, and whether it weighs the sources."""

    where: "Where[Combines]"
    help: str
    weighs: bool = False


WAYS = {
    "sets": Way(
        Where("sstag.knowledge.annotators.combining:as_sets"),
        "every label that a source gives is allowed: A|B, which partial learns from exactly",
    ),
    "majority": Way(
        Where("sstag.knowledge.annotators.combining:by_majority"),
        "the answer of most sources to each run of tokens that a chunk holds together; equal ones as a set",
    ),
    "dawid-skene": Way(
        Where("sstag.knowledge.annotators.weighed:by_tokens"),
        "the most probable label of each token, by what each source is learned to confuse",
        weighs=True,
    ),
    "sequence": Way(
        Where("sstag.knowledge.annotators.weighed:by_sequences"),
        "the most probable well-formed labels of each sentence: dawid-skene with steps between labels",
        weighs=True,
    ),
}
