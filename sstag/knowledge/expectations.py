"""Expectations: features of a text, their occurrences, and the shares that their labels should have (M08 §4)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from sstag.corpus.volumes import LargeText, Text
from sstag.features.incidence import Incidence
from sstag.features.template import Template
from sstag.foundation.arrays import Floats, Longs
from sstag.foundation.errors import ConfigError, DataError, few
from sstag.foundation.json_values import Json
from sstag.foundation.ranges import offsets_of
from sstag.foundation.sums import in_order
from sstag.knowledge.expectation_list import EVERYWHERE, Target, read_list, target_in
from sstag.knowledge.feature_steps import MOST, FeatureSteps, is_about_steps, refuse_steps, steps_in
from sstag.knowledge.labelled_features import (
    FeatureList,
    hint_of_capitals,
    that_never_occur,
    tokens_with,
    without_example,
)
from sstag.knowledge.large_lists import ListPlaces, occurrences, places_of
from sstag.knowledge.target_shares import heuristic

ALIKE = 0.8  # the similarity of labels of which one may be mistyped (`difflib`)
COMPARED = 10_000  # the most pairs of labels that are compared, in about a second
ROUNDED = 1e-4  # the largest difference of a sum of shares from 1 that is not warned of


@dataclass(frozen=True)
class Expectations:
    """A list of expectations, and the tokens of a text at which its features occur."""

    listed: FeatureList
    targets: tuple[Target, ...]  # one for each line
    active: Incidence  # the lines of each token; of none if the text lies in volumes
    counts: Longs  # (M,) occurrences of each line
    text: str  # the path of the text
    covered: int  # tokens with a line
    tokens: int
    places: ListPlaces | None = None  # in a text that lies in volumes
    steps: FeatureSteps | None = None  # the lines that are about steps, and not among these

    @property
    def path(self) -> str:
        return self.listed.path

    @property
    def digest(self) -> str:
        return self.listed.digest

    @property
    def labels(self) -> set[str]:
        """All labels that the list names."""
        named = {label for target in self.targets for label in target.labels}
        return named | self.steps.labels if self.steps else named

    @property
    def tells_apart(self) -> bool:
        """Whether any line is about some tokens only, and not about all."""
        lines = (*self.listed.lines, *(self.steps.listed.lines if self.steps else ()))
        return any(line.attribute != EVERYWHERE for line in lines)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each line in messages."""
        return tuple(f"{self.listed.path}:{line.line}: '{line.attribute}'" for line in self.listed.lines)

    @property
    def strengths(self) -> Floats:
        """The strength of each line."""  # (M,)
        return np.array([target.strength for target in self.targets])

    @property
    def about(self) -> dict[str, Json]:
        """The number of lines, and how often they occur, for the report of a training."""
        counts = np.append(self.counts, self.steps.counts) if self.steps else self.counts
        times = counts[counts > 0]
        return {
            "features": len(counts),
            "that never occur": int((counts == 0).sum()),
            "fewest occurrences": int(times.min(initial=counts.max(initial=0))),
            "most occurrences": int(counts.max(initial=0)),
            **({"of them about steps": len(self.steps.counts)} if self.steps else {}),
            "tokens with one": self.covered,
            "tokens": self.tokens,
        }

    def distributions(self, labels: Sequence[str]) -> Floats:
        """The target of each line as a distribution over these labels, which must have all that are named."""  # (M, L)
        if (cells := len(self.targets) * len(labels)) > MOST:
            raise ConfigError(
                f"{len(self.targets):,} features with {len(labels):,} labels are {cells:,}: at most {MOST:,}"
            )
        number = {label: place for place, label in enumerate(labels)}
        result = np.zeros((len(self.targets), len(labels)))
        for row, target in zip(result, self.targets, strict=True):
            places = [number[label] for label in target.labels]
            if target.shares is None:
                row[:] = heuristic(places, len(labels))
            else:
                row[places] = np.array(target.shares) / in_order(target.shares)
        return result

    def bounds(self, labels: Sequence[str]) -> tuple[Floats, Floats] | None:
        """The least and the largest share of each label on each line; None if no line has a range."""  # (M, L) each
        if not any(target.ranges for target in self.targets):
            return None
        number = {label: place for place, label in enumerate(labels)}
        low = self.distributions(labels)
        high = low.copy()
        for row, target in enumerate(self.targets):
            if target.ranges:
                low[row], high[row] = 0.0, 1.0
                places = [number[label] for label in target.labels]
                low[row, places], high[row, places] = np.array(target.ranges).T
        return low, high

    def odd(self, known: Sequence[str]) -> list[str]:
        """Warnings of features that never occur, shares that do not add up to 1, and labels that are not known."""
        path, lines = self.listed.path, list(zip(self.listed.lines, self.targets, strict=True))
        totals = [(line.line, in_order(target.shares or (1.0,))) for line, target in lines if not target.ranges]
        badly = [
            f"{path}:{line}: the shares add up to {total:g}, and are taken in proportion"
            for line, total in totals
            if abs(total - 1) > ROUNDED
        ]
        missing = [line for (line, _), count in zip(lines, self.counts, strict=True) if not count]
        named = [(line.line, target.labels) for line, target in lines]
        if self.steps:
            of_steps = self.steps.listed.lines
            missing += [line for line, count in zip(of_steps, self.steps.counts, strict=True) if not count]
            named += [(line.line, said.labels) for line, said in zip(of_steps, self.steps.shares, strict=True)]
        return [
            *few(badly, path, "lines whose shares do not add up to 1"),
            *that_never_occur(missing, path, self.text),
            *(without_example(named, path, known) if known else self._alike),
        ]

    @property
    def _alike(self) -> list[str]:
        """Warnings of labels in one line only that are nearly labels of others, and may be mistyped."""
        times = Counter(label for target in self.targets for label in target.labels)
        usual, once = ([label for label in times if (times[label] > 1) == more] for more in (True, False))
        if len(usual) * len(once) > COMPARED:
            return []
        close = {label: get_close_matches(label, usual, 1, ALIKE) for label in once}
        return [
            f"{self.listed.path}:{line.line}: no other line has the label '{label}'; did you mean '{close[label][0]}'?"
            for line, target in zip(self.listed.lines, self.targets, strict=True)
            for label in target.labels
            if close.get(label)
        ]


def placed(path: str, template: Template, text: Text) -> Expectations:
    """The expectations of labels in a file, with their occurrences; a line about steps is an error."""
    made = placed_with_steps(path, template, text)
    if made.steps:
        refuse_steps(made.steps.listed.lines, made.path)
    return made


def placed_with_steps(path: str, template: Template, text: Text) -> Expectations:
    """The expectations in a file, with their occurrences in a text, which also tells what names of MALLET's mean."""
    if not path:
        raise ConfigError("expectation needs a list of features and their labels: expectations (--expectations FILE)")
    head = text.head if isinstance(text, LargeText) else text
    of_steps = read_list(path, template, head, is_about_steps)
    of_labels = read_list(path, template, head, lambda cells: not is_about_steps(cells))
    targets = tuple(target_in(of_labels, line) for line in of_labels.lines)
    shares = tuple(steps_in(of_steps, line) for line in of_steps.lines)
    found, beside = _occurrences(of_labels, text), _occurrences(of_steps, text)
    if not (found.counts.any() or beside.counts.any()):
        hint = next(filter(None, map(hint_of_capitals, (*of_labels.lines, *of_steps.lines))), "")
        raise DataError(f"none of the features in it occurs in {head.path}{hint}", path)
    steps = FeatureSteps(of_steps, shares, beside.active, beside.counts, beside.places) if shares else None
    own = found.active, found.counts, head.path, found.covered, text.tokens, found.places, steps
    return Expectations(of_labels, targets, *own)


class _Occurrences(NamedTuple):
    """The lines of each token of a text, how many tokens have each line, and how many any."""

    active: Incidence
    counts: Longs
    covered: int
    places: ListPlaces | None


def _occurrences(listed: FeatureList, text: Text) -> _Occurrences:
    """Where the lines of a list are in a text; if this lies in volumes, nothing is said of its tokens one by one."""
    if isinstance(text, LargeText):
        places = places_of(listed, text)
        *times, covered = occurrences(places, text).tolist()
        return _Occurrences(places.within(text.head), np.array(times, np.int64), covered, places)
    found = tokens_with(listed, text)
    counts = np.array([len(tokens) for tokens in found], np.int64)
    tokens = np.concatenate([np.zeros(0, np.int64), *found])
    order = np.argsort(tokens, kind="stable")
    indptr = offsets_of(np.bincount(tokens, minlength=text.tokens))
    active = Incidence(indptr, np.repeat(np.arange(len(found), dtype=np.int32), counts)[order], None)
    return _Occurrences(active, counts, int((np.diff(indptr) > 0).sum()), None)


def placed_everywhere(path: str, template: Template, text: Text) -> Expectations | None:
    """The expectations in a file whose only line is for all tokens; None without a file."""
    if not path:
        return None
    made = placed(path, template, text)
    for line in made.listed.lines:
        if line.attribute != EVERYWHERE:
            raise DataError(
                f"'{line.attribute}': label regularisation is of all tokens, {EVERYWHERE}; a list of features is for "
                "expectation (`expectation: {expectations: …}` if objectives are listed)",
                made.listed.path,
                line.line,
            )
    return made
