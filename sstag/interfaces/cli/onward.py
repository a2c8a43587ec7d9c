"""The command lines that `train` names when it was interrupted."""

import shlex
from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING

from sstag.training.configuration import TEMPLATE

if TYPE_CHECKING:
    from sstag.training.tuning.runs import Tuned


def to_train_the_best(words: list[str], tuned: "Tuned") -> str:
    """The command line with the best of the values that were tried, by the folds that have judged all of them."""
    common = min(len(one.folds) for one in tuned.tried)
    are_complete = all(len(one.folds) == common for one in tuned.tried)
    best = max(tuned.tried, key=lambda one: one.score if are_complete else fmean(one.folds[:common]))
    return shlex.join(["sstag", *_with_values(words, best.values)])


def _with_values(words: list[str], values: Mapping[str, object]) -> list[str]:
    """The command line with values in the place of those to try."""
    words = _without("--folds", _without("--tune", words))
    said = (
        (("--template", f"{value}") if name == TEMPLATE else ("--set", f"{name}={value}"))
        for name, value in values.items()
    )
    return words + [word for pair in said for word in pair]


def to_go_on(words: list[str], model: str, tuned: "Tuned | None") -> str:
    """The command line with an interrupted model as its start, and its values for those that were tuned."""
    words = _with_values(words, tuned.best) if tuned else words
    return shlex.join(["sstag", *_without("--init", words), "--init", model])


def _without(option: str, words: list[str]) -> list[str]:
    """A command line that does not say an option."""
    said = [place for place, word in enumerate(words) if word == option]
    left_out = {*said, *(place + 1 for place in said)}
    return [word for place, word in enumerate(words) if place not in left_out and not word.startswith(f"{option}=")]
