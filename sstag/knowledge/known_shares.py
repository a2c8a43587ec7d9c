"""Known shares of labels among all tokens, as a list: `O<TAB>0.91` on each line, or one line `*<TAB>O:0.91 B:0.05`.

Labels that the list does not name have the rest, shared in whatever way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sstag.foundation.errors import ConfigError, DataError, nearest
from sstag.foundation.sums import in_order
from sstag.foundation.tab_lists import read_rows, words_of
from sstag.knowledge.expectation_list import EVERYWHERE

WRONG = 0.02  # the largest difference of a sum of shares from 1


@dataclass(frozen=True)
class KnownShares:
    """The labels of a list, and their shares."""

    path: str
    digest: str
    shares: Mapping[str, float]


def read_shares(path: str, labels: Sequence[str]) -> KnownShares:
    """The list in a file, for a model with these labels; all of them together have a share of 1."""
    rows = read_rows(path)
    shares: dict[str, float] = {}
    for number, cells in rows.cells.items():
        try:
            if len(cells) != 2 or not all(cells):
                raise ConfigError("a line is a label, a tab and its share; or *, a tab, and LABEL:SHARE for each label")
            said = [one.rpartition(":")[::2] for one in words_of(cells[1])] if cells[0] == EVERYWHERE else [cells]
            for label, share in said:
                _add(shares, label, share, labels)
        except ConfigError as error:
            raise DataError(error.message, rows.path, number) from error
    total = in_order(shares.values())
    if total > 1 + WRONG or (len(shares) == len(labels) and total < 1 - WRONG):
        raise DataError(f"the shares add up to {total:g}, not to 1", rows.path)
    if len(shares) == len(labels) or total > 1:
        shares = {label: share / total for label, share in shares.items()}
    return KnownShares(rows.path, rows.digest, shares)


def _add(shares: dict[str, float], label: str, text: str, labels: Sequence[str]) -> None:
    """Adds the share of a label."""
    if label not in labels:
        raise ConfigError(f"the model has no label '{label}'{nearest(label, labels)}")
    if label in shares:
        raise ConfigError(f"the label '{label}' stands here twice")
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise ConfigError(f"the share '{text}' of {label} is not between 0 and 1")
    shares[label] = share
