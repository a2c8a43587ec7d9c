"""Agreement beyond chance, of labels of tokens: Cohen's and Fleiss' κ, Krippendorff's α.

All are functions of how often each pattern of votes occurs, which is a sum over sentences: so a resample of sentences
is a choice of rows, as in `evaluation/significance.py`. Counts are those of any number of samples at once.

    κ = (A_o − A_e) / (1 − A_e)              Cohen 1960: A_e from the labels of each of two; Fleiss 1971: of all
    α = 1 − (n − 1) Σ_{c≠k} o_ck / Σ_{c≠k} n_c n_k       Krippendorff 2004, nominal, tokens without a label left out
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from sstag.foundation.arrays import Bools, Floats, Ints, Longs
from sstag.foundation.ranges import row_of_each
from sstag.labels.schemes.rules import UNDECIDED


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct patterns of votes, and how often each sentence has each of them."""

    labels: int
    votes: Ints  # (P, K) a label of each source, or UNDECIDED
    rows: csr_array  # (S, P)

    @property
    def total(self) -> Floats:
        """How often each pattern occurs."""  # (P,)
        result: Floats = np.asarray(self.rows.sum(axis=0), np.float64).ravel()
        return result

    def as_one(self, label: int) -> "Patterns":
        """The patterns with one label against all others."""
        votes = np.where(self.votes == UNDECIDED, UNDECIDED, (self.votes == label).astype(np.int32))
        return Patterns(2, votes.astype(np.int32), self.rows)


def patterns(votes: Ints, labels: int, offsets: Longs) -> Patterns:
    """The patterns of some votes, (K, T)."""
    distinct, code = np.unique(votes.T, axis=0, return_inverse=True)
    sentence = row_of_each(offsets)
    shape = len(offsets) - 1, len(distinct)
    rows = csr_array((np.ones(len(sentence)), (sentence, code.reshape(-1))), shape=shape)
    rows.sum_duplicates()
    return Patterns(labels, distinct.astype(np.int32), rows)


def _share(part: Floats, whole: Floats) -> Floats:
    """part / whole; not a number where there is nothing."""
    result: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return result


def _beyond_chance(observed: Floats, expected: Floats) -> Floats:
    """(A_o − A_e) / (1 − A_e); not a number where everybody has one and the same label."""
    return np.where(expected < 1, _share(observed - expected, 1 - expected), np.nan)


def cohen(found: Patterns, first: int, second: int, counts: Floats) -> Floats:
    """κ of two sources over the tokens that both label; `counts` are (…, P)."""  # → (…)
    one, two = found.votes[:, first], found.votes[:, second]
    both = (one != UNDECIDED) & (two != UNDECIDED)
    used = counts[..., both]
    n = used.sum(axis=-1)
    observed = _share(used[..., one[both] == two[both]].sum(axis=-1), n)
    expected = np.zeros(np.shape(n))
    for label in range(found.labels):
        shares = [_share(used[..., side[both] == label].sum(axis=-1), n) for side in (one, two)]
        expected = expected + shares[0] * shares[1]
    return _beyond_chance(observed, expected)


def fleiss(found: Patterns, counts: Floats) -> Floats:
    """κ of all sources over the tokens that all of them label."""  # (…, P) → (…)
    whole: Bools = (found.votes != UNDECIDED).all(axis=1)
    times = _times(found)[whole].astype(np.float64)  # (P', L)
    used, raters = counts[..., whole], found.votes.shape[1]
    n = used.sum(axis=-1)
    agreeing = (times * (times - 1)).sum(axis=1) / (raters * (raters - 1))
    observed = _share((used * agreeing).sum(axis=-1), n)
    shares = _share((used[..., :, None] * times).sum(axis=-2), raters * n[..., None] * np.ones(found.labels))
    return _beyond_chance(observed, (shares**2).sum(axis=-1))


def krippendorff(found: Patterns, counts: Floats) -> Floats:
    """α of all sources for nominal labels, over the tokens that two or more of them label."""  # (…, P) → (…)
    times = _times(found).astype(np.float64)
    raters = times.sum(axis=1)
    pairable = raters > 1
    times, raters, used = times[pairable], raters[pairable], counts[..., pairable]
    differing = (times * (raters[:, None] - times)).sum(axis=1) / (raters - 1)  # Σ_{c≠k} o_ck of a token
    values = (used[..., :, None] * times).sum(axis=-2)  # n_c
    n = values.sum(axis=-1)
    expected = n**2 - (values**2).sum(axis=-1)  # Σ_{c≠k} n_c n_k
    return 1 - _share((n - 1) * (used * differing).sum(axis=-1), expected)


def _times(found: Patterns) -> Longs:
    """How many sources give each label, in each pattern."""  # (P, L)
    return np.stack([(found.votes == label).sum(axis=1) for label in range(found.labels)], axis=1)
