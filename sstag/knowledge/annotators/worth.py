"""The table of sources: how much each says, how often others speak too and differ, and how often it is right.

Coverage, overlap and conflict are those of labelling functions (Ratner et al. 2017; Lison et al. 2021), in shares of
all tokens. Sources conflict at a token if there is no label that both allow.
"""

from dataclasses import dataclass

import numpy as np

from sstag.foundation.arrays import Bools, Floats
from sstag.foundation.tables import Table
from sstag.knowledge.annotators.combining import Merged
from sstag.knowledge.annotators.votes import Votes

OUTSIDE = "O"


@dataclass(frozen=True)
class Worth:
    """Figures of one source: of all labels, or of those of one kind."""

    source: str
    kind: str  # of the labels it gives; "" for all
    labelled: int  # tokens that it says something of
    coverage: float
    overlap: float
    conflict: float
    accuracy: float | None  # None if it says nothing

    @property
    def cells(self) -> tuple[str, ...]:
        """The figures as a table shows them."""
        shares = (f"{100 * share:.2f}" for share in (self.coverage, self.overlap, self.conflict))
        right = "–" if self.accuracy is None else f"{100 * self.accuracy:.2f}"
        return (self.source, *([self.kind] if self.kind else []), f"{self.labelled:,}", *shares, right)


def worths(votes: Votes, merged: Merged, by_label: bool = False) -> list[Worth]:
    """The figures of every source, or of every source and kind of label."""
    tokens = votes.votes.shape[1]
    spoken = votes.said.sum(axis=0)
    sure = merged.probabilities if merged.probabilities is not None else _as_probabilities(merged.allowed)
    kinds = _kinds(votes) if by_label else {"": np.ones(len(votes.sets), bool)}
    found = []
    for place, name in enumerate(votes.names):
        row, said = votes.votes[place], votes.said[place]
        differs = np.zeros(tokens, bool)
        for other, theirs in enumerate(votes.votes):
            if other != place:
                both = said & votes.said[other]
                differs[both] |= ~(votes.sets[row[both]] & votes.sets[theirs[both]]).any(axis=1)
        for kind, chosen in kinds.items():
            mine = said & chosen[row]
            right = (sure[mine] * votes.sets[row[mine]]).sum() / mine.sum() if mine.any() else None
            coverage, overlap, conflict = (
                float(mask.sum() / tokens) for mask in (mine, mine & (spoken > 1), mine & differs)
            )
            accuracy = None if right is None else float(right)
            found.append(Worth(name, kind, int(mine.sum()), coverage, overlap, conflict, accuracy))
    return found


def _as_probabilities(allowed: Bools) -> Floats:
    """The share of each label if all that are allowed are equally probable."""
    result: Floats = allowed / allowed.sum(axis=1, keepdims=True)
    return result


def _kinds(votes: Votes) -> dict[str, Bools]:
    """Which of the distinct sets are of one kind only: a type of chunks, or outside of them."""
    of_label = np.array(
        [votes.tags.types[kind] if kind >= 0 else OUTSIDE for kind in votes.tags.type[: len(votes.labels)]]
    )
    names = dict.fromkeys([*votes.tags.types, *([] if votes.tags.scheme == "plain" else [OUTSIDE])])
    found = {}
    for name in names:
        mask = np.array([bool((of_label[labels] == name).all()) for labels in votes.sets])
        found[name or "-"] = mask
    return found


def worth_table(found: list[Worth], by_label: bool) -> Table:
    """A row for each source, in shares of a hundred."""
    head = ("source", *(("label",) if by_label else ()), "tokens", "coverage", "overlap", "conflict", "accuracy")
    return Table(head, [one.cells for one in found], (0, 1) if by_label else (0,))
