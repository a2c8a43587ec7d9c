"""The claims of a page, as a table.

A claim is one comparison on the same draws, so that whoever reads many rows need not wonder which of them was looked
for; p is corrected for all claims of the page (Holm).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sstag.evaluation.significance import holm
from sstag.experiments.page import Cell, Table
from sstag.experiments.spread import between, comparison, shown
from sstag.experiments.trials import Row


@dataclass(frozen=True)
class Claim:
    """A claim in words, and a figure of each draw of the two systems that it compares."""

    says: str
    ours: Mapping[int, float]
    theirs: Mapping[int, float]


def claimed(claims: Sequence[Claim]) -> Table:
    """A row for each claim: the gain, its interval, the draws on which there is one, and p without and with Holm."""
    found = [(one.says, comparison(one.ours, one.theirs)) for one in claims]
    corrected = iter(holm([one.p for _, one in found if one and one.p is not None]))
    table: list[list[Cell]] = []
    for says, one in found:
        if one is None:
            continue
        known = one.p is not None
        table.append(
            [
                says,
                one.gain,
                between(one.gain),
                f"{one.wins} of {one.gain.count}",
                one.verdict,
                shown(next(corrected)) if known else None,
            ]
        )
    return Table("What is claimed", ("comparison", "gain", "95 % of its mean", "draws", "p", "p, Holm"), table)


def over_test(says: str, row: Row) -> str:
    """A sentence about the interval of one gain over the sentences of a test set."""
    return (
        f"Draws of what is learned from are one source of chance, the test is another: {says}, on the first draw the "
        f"gain is {row['gain']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f}, 95 % of resamples of its "
        f"{row['tested']:,} test sentences)."
    )
