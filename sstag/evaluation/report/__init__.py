"""Reports of evaluations, for `sstag eval`: one `Report`, shown as text, JSON, Markdown, or as `conlleval` does."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sstag.corpus.corpus import Corpus
from sstag.evaluation.calibration import Calibration
from sstag.evaluation.curve import Curve
from sstag.evaluation.report.neighbours import Neighbours
from sstag.evaluation.scoring import FIGURES, Evaluation, figures
from sstag.evaluation.significance import Tell, bootstrap, randomisation
from sstag.foundation.arrays import Floats
from sstag.foundation.json_values import Json


@dataclass(frozen=True)
class System:
    """Predictions, by a file or a model, and how good they are."""

    name: str
    evaluation: Evaluation
    intervals: Floats | None  # (2, len(FIGURES)), None without resamples
    word_precisions: Floats | None  # of the ambiguous words that occur; None if not asked for


@dataclass(frozen=True)
class Report:
    """Everything about one evaluation."""

    gold: Corpus
    system: System
    other: System | None
    differences: Floats | None  # (2, len(FIGURES)) interval of system - other
    p: Floats | None  # (len(FIGURES),) of the differences
    guessed: bool  # whether the scheme was guessed
    ambiguous_words: int  # the number of words that are known as ambiguous
    signature: Mapping[str, Json]  # all that is needed to compute the figures again
    model: Mapping[str, Json] | None = None  # how the model was trained, if there is one
    calibrations: Mapping[str, Calibration] | None = None  # by what is predicted; None if not asked for
    curve: Curve | None = None  # by a bias of one label; None if not asked for
    neighbours: Neighbours | None = None  # of wrong sentences; None if not asked for
    context: str | None = None  # what a model of two stages has read before it tagged; None: it has one stage
    not_counted: Evaluation | None = None  # of the same model where it has read nothing, if it has read something

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the figures."""
        return tuple(self.system.evaluation.figures)

    @property
    def main_figure(self) -> str:
        """The name of the figure that stands for all."""
        return "f1" if "f1" in self.names else "accuracy"

    def difference(self, figure: str) -> float:
        """The figure of the system less that of the other one."""
        assert self.other is not None
        return self.system.evaluation.figures[figure] - self.other.evaluation.figures[figure]

    def p_of(self, figure: str) -> float:
        assert self.p is not None
        return float(self.p[FIGURES.index(figure)])

    def interval(self, bounds: Floats, figure: str) -> tuple[float, float]:
        low, high = bounds[:, FIGURES.index(figure)].tolist()
        return low, high

    @property
    def signed(self) -> str:
        """The signature in one line."""
        return " | ".join(f"{name} {value}" for name, value in self.signature.items())


def interval_of(one: Evaluation, resamples: int, seed: int, tell: Tell) -> Floats | None:
    """The interval of each figure."""
    rows = one.rows[one.rows[:, 0] > 0]  # a sentence without a scored token is no part of the sample
    return bootstrap(rows, figures, resamples, np.random.default_rng(seed), tell) if resamples else None


def difference_of(
    one: Evaluation, two: Evaluation, resamples: int, seed: int, tell: Tell
) -> tuple[Floats, Floats] | tuple[None, None]:
    """The interval of each figure's difference, and its p."""
    if not resamples:
        return None, None
    scored = one.rows[:, 0] > 0  # the same for both: the gold says what is scored
    rows = np.hstack([one.rows[scored], two.rows[scored]])
    width = one.rows.shape[1]

    def difference(sums: Floats) -> Floats:
        return figures(sums[..., :width]) - figures(sums[..., width:])

    interval = bootstrap(rows, difference, resamples, np.random.default_rng(seed), tell)
    p = randomisation(rows[:, :width], rows[:, width:], figures, resamples, np.random.default_rng(seed), tell)
    return interval, p
