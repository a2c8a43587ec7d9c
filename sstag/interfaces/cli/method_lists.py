"""`train --methods`: the methods, their parameters, and what else training is made of, as lists."""

from collections.abc import Iterator

import click

from sstag.interfaces.cli.help_sections import Listed, written
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.methods import METHODS
from sstag.training.objectives import OBJECTIVES
from sstag.training.parameter_specs import Described, described

FEW = 3  # methods that are named
OF_TEMPLATES = (
    ("edge_pairs", "which pairs of labels have weights of steps: all or observed"),
    ("minimum_count", "attributes that occur less often are left out; auto: as the labelled text says"),
    ("scale", "the deviation of dense numbers: 0.3, but less for vectors of characters, and of words beside clusters"),
    ("vectors_kept", "what a model keeps of vectors: all, those of words seen, or the name of their file"),
    ("pairs", "which attributes have a weight for which labels: observed or all"),
    ("vocabulary", "whose attributes have weights: of the labelled sentences or all"),
)


def list_methods(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Prints the lists and ends the command."""
    if asked and not context.resilient_parsing:
        formatter = context.make_formatter()
        written(formatter, _lists())
        click.echo(formatter.getvalue().strip())
        context.exit()


def _lists() -> Listed:
    return [
        ("Methods (--method)", [(name, entry.help) for name, entry in METHODS.items()]),
        ("Ways to decide labels first (--ambiguous)", [(name, entry.help) for name, entry in AMBIGUOUS.items()]),
        ("Parameters (--set, --tune)", _parameters()),
        (
            "Objectives (--method composed, objectives: in a configuration)",
            [(name, entry.help) for name, entry in OBJECTIVES.items()],
        ),
        ("Choices of the template (--set, --tune)", OF_TEMPLATES),
    ]


def _parameters() -> Iterator[tuple[str, str]]:
    """The parameters of all methods, each once for each meaning, with the methods that it is for if these are few."""
    methods: dict[Described, list[str]] = {}
    for method, entry in METHODS.items():
        for one in described(entry.parameters):
            methods.setdefault(one, []).append(method)
    for one, having in methods.items():
        whose = f"{', '.join(having)}: " if len(having) <= FEW else ""
        default = f"  [default: {one.default}]" if one.default else ""
        choices = f": {one.range}" if one.is_choice else ""
        yield one.name, f"{whose}{one.help}{choices}{default}"
