"""The labels that a first model predicts for words, over whole texts: the numbers of `predicted(lower(word[0]))`.

A text without labels says much about its words once a model has read it: a word that is a person in ten sentences is
likely a person in the eleventh. A first model reads the text, the probabilities of its labels are summed up for each
word, and a second model has the logarithm of their mean among its features (Krishnan & Manning 2006; Qi et al. 2009).

    numbers(v) = log((Σ_t p_t + PRIOR · q) / (n + PRIOR) + FLOOR)     over the n tokens t with the value v

q is the share of each label among all tokens. Counts are whole multiples of UNIT, so that their sums are exact: the
same in any order, for any number of threads and machines.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import ClassVar

import numpy as np

from sstag.chain.functions import log
from sstag.foundation.archive import Archive, texts_out
from sstag.foundation.arrays import Array, Floats, Longs, Singles

UNIT = 2.0**-30  # of a count: sums are exact up to 2³³ tokens
PRIOR = 5.0  # tokens with the usual shares that every value has besides its own
FLOOR = 0.05  # is added to shares before their logarithm, so that a label which was never predicted is not −∞
MOST_TOTAL = 2**61  # of the counts of raw text, so that sums with those of a text at hand have room
MOST_VALUES = 2**20  # of a text, in the order in which they come
MOST_BYTES = 20 * 2**20  # of the counts in a model


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """How many tokens with each value are expected to have each label, in whole multiples of UNIT."""

    rows: Mapping[str, int]  # of each value
    sums: Longs  # (V, L)
    totals: Longs  # (L,) of all tokens with a value, also of values that are not kept
    under: "LabelCounts | None" = None  # counts of another text, which are added
    composes: ClassVar[bool] = False

    @property
    def dimensions(self) -> int:
        return len(self.totals)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of values and counts, whatever their order."""
        content = sha256(self.totals.tobytes())
        for value in sorted(self.rows):
            content.update(f"{value}\n".encode(errors="surrogatepass"))
            content.update(self.sums[self.rows[value]].tobytes())
        return content.hexdigest()

    def of(self, words: Sequence[str]) -> tuple[Longs, Singles]:
        """The places of those values that were counted, ascending, and their numbers, (W, L)."""
        counts = self._counts(words)  # (N, L)
        places = np.flatnonzero(counts.any(axis=1))
        return places, self._numbers(counts[places])

    def listed(self) -> tuple[list[str], Singles]:
        """All values that were counted, and their numbers."""
        values = [*self.rows, *(value for value in (self.under.rows if self.under else ()) if value not in self.rows)]
        return values, self._numbers(self._counts(values))

    def above(self, under: "LabelCounts") -> "LabelCounts":
        """These counts on top of those of another text: nothing is copied, so that it takes no time."""
        return replace(self, under=under)

    def _counts(self, values: Sequence[str]) -> Longs:
        rows = np.array([self.rows.get(value, -1) for value in values], np.int64)
        counts = np.zeros((len(values), self.dimensions), np.int64)
        counts[rows >= 0] = self.sums[rows[rows >= 0]]
        return counts + self.under._counts(values) if self.under else counts

    def _numbers(self, counts: Longs) -> Singles:
        tokens = counts.sum(axis=1, keepdims=True)
        share: Floats = (counts * UNIT + PRIOR * self._usual) / (tokens * UNIT + PRIOR)
        numbers: Singles = log(share + FLOOR).astype(np.float32)
        return numbers

    @cached_property
    def _usual(self) -> Floats:
        """The share of each label among all tokens."""  # (L,)
        totals = self.totals + self.under.totals if self.under else self.totals
        return totals / max(int(totals.sum()), 1)


def shares_of_numbers(numbers: Singles) -> Floats:
    """The share of each label that the numbers of a value stand for."""
    shares: Floats = np.maximum(np.exp(numbers.astype(np.float64)) - FLOOR, 0.0)
    return shares


def no_counts(labels: int) -> LabelCounts:
    """Counts of no text."""
    return LabelCounts({}, np.zeros((0, labels), np.int64), np.zeros(labels, np.int64))


def counts_of_values(values: Sequence[str], sums: Longs) -> LabelCounts:
    """The counts of those values that occur; `sums`, (V, L), has a row for each."""
    occurring = np.flatnonzero(sums.any(axis=1))
    rows = {values[place]: row for row, place in enumerate(occurring.tolist())}
    return LabelCounts(rows, sums[occurring], sums.sum(axis=0))


class CountsOfParts:
    """The counts of a text that comes in parts; of more than MOST_VALUES values the first are kept.

    Of a text that is itself a part, all values are: later ones may be among the first of the whole text.
    """

    def __init__(self, labels: int, is_part: bool = False) -> None:
        self._rows: dict[str, int] = {}
        self._most = math.inf if is_part else MOST_VALUES
        self._sums, self._totals = np.zeros((1024, labels), np.int64), np.zeros(labels, np.int64)

    def add(self, part: LabelCounts) -> None:
        kept = [row for value, row in part.rows.items() if self._takes(value)]
        values = [self._rows[value] for value in part.rows if value in self._rows]
        while len(self._sums) < len(self._rows):
            self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)])
        self._sums[values] += part.sums[kept]
        self._totals += part.totals

    @property
    def counts(self) -> LabelCounts:
        """The counts of all parts so far."""
        return LabelCounts(self._rows, self._sums[: len(self._rows)], self._totals)

    def _takes(self, value: str) -> bool:
        """Whether a value has a row, or is given one."""
        if value not in self._rows and len(self._rows) < self._most:
            self._rows[value] = len(self._rows)
        return value in self._rows


def counted_together(before: LabelCounts, after: LabelCounts) -> LabelCounts:
    """The counts of a text in two parts; of more than MOST_VALUES values the first are kept."""
    together = CountsOfParts(before.dimensions)
    together.add(before)
    together.add(after)
    return together.counts


def largest_counts(counts: LabelCounts, most_bytes: int) -> LabelCounts:
    """The counts of the most frequent values that fit into so many bytes; of equal ones the first in the alphabet."""
    each = np.array([len(value.encode(errors="surrogatepass")) for value in counts.rows], np.int64)
    sizes = each + 8 * counts.dimensions + 4
    if sizes.sum() <= most_bytes:
        return counts
    values = list(counts.rows)
    tokens = counts.sums.sum(axis=1)
    order = sorted(range(len(values)), key=lambda place: (-int(tokens[place]), values[place]))
    room = int(np.searchsorted(np.cumsum(sizes[order]), most_bytes, side="right"))
    kept = sorted(order[:room])
    return replace(counts, rows={values[place]: row for row, place in enumerate(kept)}, sums=counts.sums[kept])


def counts_out(name: str, of: LabelCounts) -> dict[str, Array]:
    """The arrays that hold the counts of raw text, without the counts of a text at hand above them."""
    if of.under:
        return counts_out(name, of.under)
    return {**texts_out(f"{name}_values", list(of.rows)), f"{name}_sums": of.sums, f"{name}_totals": of.totals}


def counts_in(archive: Archive, name: str, labels: int) -> LabelCounts:
    """The counts in the arrays of an archive."""
    values = archive.texts(f"{name}_values")
    sums, totals = archive.array(f"{name}_sums", "<i8", 2), archive.array(f"{name}_totals", "<i8")
    rows = {value: row for row, value in enumerate(values)}
    if (
        len(rows) < len(values)
        or sums.shape != (len(values), labels)
        or totals.shape != (labels,)
        or sums.min(initial=0) < 0
        or sum(map(int, totals)) > MOST_TOTAL
        or (sums > totals).any()
    ):
        raise archive.damaged(f"its '{name}' cannot be")
    return LabelCounts(rows, sums, totals)
