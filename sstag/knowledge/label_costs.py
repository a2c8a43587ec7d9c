"""The cost of missing each label, as a list: `B-PER<TAB>2` on each line; labels that it does not name cost 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sstag.corpus.volumes import Text
from sstag.features.template import Template
from sstag.foundation.errors import ConfigError, DataError
from sstag.foundation.json_values import Json
from sstag.foundation.tab_lists import read_rows
from sstag.knowledge.labelled_features import without_example

DEAREST = 100.0
UNNAMED = 1.0  # the cost of missing a label that a list does not name


@dataclass(frozen=True)
class LabelCosts:
    """The costs in a list, and the line of each label."""

    path: str
    digest: str
    costs: Mapping[str, float]
    lines: Mapping[str, int]

    @property
    def labels(self) -> set[str]:
        return set(self.costs)

    @property
    def tells_apart(self) -> bool:
        return True

    @property
    def about(self) -> dict[str, Json]:
        return dict(self.costs)

    def odd(self, known: Sequence[str]) -> list[str]:
        """Warnings of labels that no labelled sentence has."""
        return without_example(((line, (label,)) for label, line in self.lines.items()), self.path, known)


def read_costs(path: str, template: Template, text: Text) -> LabelCosts:
    """The list of `margin`."""
    if not path:
        raise ConfigError("margin needs a list of labels and what it costs to miss them: `margin: {costs: FILE}`")
    return costs_in(path)


def costs_in(path: str) -> LabelCosts:
    """The list in a file."""
    rows = read_rows(path)
    costs: dict[str, float] = {}
    lines: dict[str, int] = {}
    for number, cells in rows.cells.items():
        if len(cells) != 2 or not all(cells):
            raise DataError("a line is a label, a tab, and what it costs to miss it", rows.path, number)
        label, said = cells
        if label in costs:
            raise DataError(f"the label '{label}' stands here twice", rows.path, number)
        try:
            cost = float(said)
        except ValueError:
            cost = -1.0
        if not 0 <= cost <= DEAREST:
            raise DataError(f"the cost '{said}' of {label} is not from 0 to {DEAREST:g}", rows.path, number)
        costs[label], lines[label] = cost, number
    return LabelCosts(rows.path, rows.digest, costs, lines)
