"""Expectations of steps to the tokens with a feature, which are lines of a list of features that name pairs of labels.

    word[0]=:<TAB>author>author:0.1 author>title:0.6   of the steps to a colon these shares join these labels
    word[-1]=.<TAB>same:0.4-0.7                        of those to what follows a full stop about half keep the label
    *<TAB>same:0.9                                     of all steps nine of ten do

What a line does not name has the rest, shared in whatever way. The first token of a sentence has no step to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sstag.features.incidence import Incidence
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.tab_lists import words_of
from sstag.knowledge.expectation_list import EVERYWHERE
from sstag.knowledge.labelled_features import FeatureLine, FeatureList
from sstag.knowledge.large_lists import ListPlaces
from sstag.knowledge.step_list import SAME, TO, StepClasses, StepLine, classes, step_line

MOST = 50_000_000  # numbers in all shares of a list, which take 400 MB


@dataclass(frozen=True)
class FeatureSteps:
    """The lines of a list that are about steps, and the tokens of a text at which their features occur."""

    listed: FeatureList  # with these lines alone
    shares: tuple[StepLine, ...]  # one for each line
    active: Incidence  # the lines of each token
    counts: Longs  # (M,) occurrences of each line
    places: ListPlaces | None = None  # in a text that lies in volumes

    @property
    def labels(self) -> set[str]:
        return {label for line in self.shares for label in line.labels}

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each line in messages."""
        return tuple(f"{self.listed.path}:{line.line}: '{line.attribute}'" for line in self.listed.lines)

    @property
    def strengths(self) -> Floats:
        """The strength of each line."""  # (M,)
        return np.array([line.strength for line in self.shares])

    def classes(self, labels: Sequence[str]) -> list[StepClasses]:
        """The classes of each line for these labels, of which none may be called as what a line says of a step."""
        if (cells := len(self.shares) * len(labels) ** 2) > MOST:
            raise ConfigError(
                f"{len(self.shares):,} features with {len(labels):,}² steps are {cells:,}: at most {MOST:,}"
            )
        for line, said in zip(self.listed.lines, self.shares, strict=True):
            if twice := next((name for name in said.shares if name in labels), None):
                raise DataError(
                    f"'{twice}' is a label, and the name of a step: give the label another name",
                    self.listed.path,
                    line.line,
                )
        return [classes(line, labels) for line in self.shares]


def is_about_steps(cells: Sequence[str]) -> bool:
    """Whether the cells of a line after its feature name the same label as before, or a pair A>B, with its share."""
    names = [text.rpartition(":")[0] for text in words_of(cells[0])] if cells else []
    return any(name == SAME or (TO in name and all(name.split(TO))) for name in names)


def refuse_steps(lines: Sequence[FeatureLine], path: str) -> None:
    """Raises an error at the first line that is about steps, for what takes labels of tokens alone."""
    if line := next((line for line in lines if is_about_steps(line.rest)), None):
        raise DataError("shares of steps between labels are for the objective expectation alone", path, line.line)


def steps_in(listed: FeatureList, line: FeatureLine) -> StepLine:
    """The shares that a line says; an error names the line."""
    try:
        return step_line(line.line, [EVERYWHERE, *line.rest])
    except ConfigError as error:
        raise DataError(error.message, listed.path, line.line) from error
