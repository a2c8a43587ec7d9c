"""Weights of sentences (Sokolovska 2011, eq. 2, 8): ω_i = (q(x_i) / N_i)^τ, on one of two scales.

N_i is how often the sequence x_i stands in the text. Beside a prior the scale matters: `mean1` makes the mean of ω 1,
`natural` is n·q/N, which tends to 1 where the text is drawn from q. The effective sample size is (Σω)² / Σω².
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from sstag.chain.functions import exp, log
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError, DataError, counted, nearest
from sstag.foundation.json_values import Json
from sstag.foundation.tab_lists import read_rows
from sstag.training.weight_scales import SCALES

SMALL = 0.2  # of the sentences: what the effective sample size should not be below

NOTHING = "every sentence has the weight 0: there is nothing to learn from (sstag density --smoothing?)"


@dataclass(frozen=True, eq=False)
class SentenceWeights:
    """The weights of some sentences, and where they come from."""

    omega: Floats  # (S,)
    origin: Mapping[str, Json] = field(default_factory=dict)

    @property
    def effective(self) -> float:
        return effective_size(self.omega)

    @property
    def warning(self) -> str | None:
        """A warning if the weights leave few sentences, or little of all."""
        size, total, count = self.effective, float(self.omega.sum()), len(self.omega)
        if total < SMALL * count:
            return (
                f"the weights add up to {total:.1g} of {counted(count, 'sentence')} (the scale mean1 keeps their sum)"
            )
        if size >= SMALL * count:
            return None
        remedy = " (an exponent below 1 evens them)" if count > 1 else ""
        return f"the weights leave {size:.1f} of {counted(count, 'sentence')}{remedy}"


def effective_size(omega: Floats) -> float:
    """(Σω)² / Σω²: as many sentences of equal weight would say as much."""
    shares = omega / omega.max()
    return float(shares.sum() ** 2 / (shares**2).sum())


def of_probabilities(log_q: Floats, times: Longs, scale: str, exponent: float) -> SentenceWeights:
    """ω of sentences with these probabilities, each of which stands in the text so many times."""
    of_number = log(float(len(log_q))) if scale == "natural" else 0.0
    return _scaled(_powers(log_q - log(times.astype(np.float64)) + of_number, scale, exponent), scale, exponent)


def of_numbers(numbers: Floats, scale: str, exponent: float) -> SentenceWeights:
    """ω as they are given, or with mean 1."""
    if exponent != 1.0:
        return _scaled(_powers(log(numbers), scale, exponent), scale, exponent)
    # Numbers as they are need no logarithms, which would round them: 1 and 3 have the weights 0.5 and 1.5.
    if not numbers.any():
        raise DataError(NOTHING)
    return _scaled(numbers / numbers.max() if scale == "mean1" else numbers.copy(), scale, exponent)


def _powers(log_omega: Floats, scale: str, exponent: float) -> Floats:
    """ω to the power of the exponent; for mean 1 only in proportion, so that none is too large to be a number."""
    if not (math.isfinite(exponent) and exponent >= 0):
        raise ConfigError(f"the exponent of weights must be a number from 0 up, not {exponent}")
    # What has weight 0 keeps it: 0⁰ is 1 in floats.
    powers = np.where(np.isneginf(log_omega), -np.inf, exponent * np.maximum(log_omega, -np.finfo(float).max))
    if np.isneginf(powers).all():
        raise DataError(NOTHING)
    return exp(powers - powers.max() if scale == "mean1" else powers)


def _scaled(omega: Floats, scale: str, exponent: float) -> SentenceWeights:
    if scale not in SCALES:
        raise ConfigError(f"there is no scale of weights '{scale}'{nearest(scale, SCALES)}")
    if scale == "mean1":
        omega /= omega.mean()
    if not (np.isfinite(omega).all() and omega.any()):
        raise DataError("weights beyond what numbers can say: choose the scale mean1, or a smaller exponent")
    return SentenceWeights(omega, {"scale": scale, "exponent": exponent, "sha256": sha256(omega.tobytes()).hexdigest()})


def read_numbers(path: str, sentences: int) -> Floats:
    """The weights in a file, a number a line for each sentence."""
    rows = read_rows(path)
    numbers = np.array([_number(rows.path, line, cells) for line, cells in rows.cells.items()])
    if len(numbers) != sentences:
        what = f"{counted(len(numbers), 'weight')} for {counted(sentences, 'sentence')}"
        raise DataError(f"{what} (a number a line is needed for each)", rows.path)
    return numbers


def _number(path: str, line: int, cells: Sequence[str]) -> float:
    try:
        number = float(cells[0]) if len(cells) == 1 and cells[0].isascii() else math.nan
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise DataError(f"'{' '.join(cells):.50}' is no weight: a number from 0 up", path, line)
    return number
