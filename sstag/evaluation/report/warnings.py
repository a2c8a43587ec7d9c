"""Warnings about labels that may be mistakes, a line each."""

from collections.abc import Iterator, Mapping

import numpy as np

from sstag.evaluation.scoring import Evaluation
from sstag.foundation.display import first_of
from sstag.foundation.errors import counted, few
from sstag.labels.marks import Marks
from sstag.labels.schemes.rules import CONLLEVAL

MOST = 10  # of a kind
UNKNOWN_THERE = {"bioes": "S", "bmes": "M and S"}  # the letters of schemes that `conlleval` was not written for


def warnings(
    gold: str, predicted: str, one: Evaluation, marks: Marks, before: Evaluation | None = None
) -> Iterator[str]:
    """Labels that are never predicted, that are no tags, or that contain a mark; by the names of the two files.

    Of a second system nothing is said that holds for the one `before` it as well.
    """
    tag = "tag that conlleval knows" if one.tags.scheme == CONLLEVAL else f"{one.tags.scheme.upper()} tag"
    no_tags = [
        [f"'{name}' is no {tag} ({counted(times, 'token')}): outside every chunk" for name, times in strangers.items()]
        for strangers in one.strangers
    ]
    read_as_it_is = [
        [f"the {side} label '{name}' contains a mark, and was read as it is" for name in labels]
        for side, labels in (("gold", one.marked), ("predicted", filter(marks.within, one.found)))
    ]
    if one.gold_only and (before is None or one.gold_only.keys() != before.gold_only.keys()):
        every = len(one.gold_only) == len(np.unique(one.gold[one.scored]))
        doubt = " (are these the columns to compare?)" if every else ""
        yield f"{gold}: {_gold_only(one.gold_only, f' in {predicted}' if before else '')}{doubt}"
    for messages in (no_tags[0], read_as_it_is[0]):
        yield from _first(gold, messages)
    for messages in (no_tags[1], read_as_it_is[1]):
        yield from _first(predicted, messages)


def of_conlleval(gold: str, scheme: str) -> Iterator[str]:
    """A line if `conlleval` reads labels otherwise than the scheme that they seem to follow."""
    if scheme in UNKNOWN_THERE:
        letters = UNKNOWN_THERE[scheme]
        yield f"{gold}: looks like {scheme.upper()}, and conlleval knows no {letters}: other figures than eval's"


def _gold_only(times: Mapping[str, int], where: str) -> str:
    named = [f"{name} ({counted(count, 'token')})" for name, count in sorted(times.items(), key=lambda one: -one[1])]
    verb = "is" if len(named) == 1 else "are"
    return f"{counted(len(named), 'label')} of the gold {verb} never predicted{where}: {first_of(named, MOST)}"


def _first(path: str, messages: list[str]) -> list[str]:
    return few([f"{path}: {message}" for message in messages], path, "labels like this")
