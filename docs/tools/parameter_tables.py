"""The tables of docs/reference/parameters.md: every method, objective and strategy, with parameters and defaults."""

from collections.abc import Mapping

from docs.tools.registries import code, table
from sstag.experiments.samples import SAMPLES
from sstag.interfaces.cli.method_lists import OF_TEMPLATES
from sstag.selection.density import DENSITIES
from sstag.selection.strategies import SPREADS, STRATEGIES
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.methods import METHODS
from sstag.training.methods.parameters import Climbing, Training
from sstag.training.objectives import OBJECTIVES
from sstag.training.parameter_specs import Parameters, described, specs

HEAD = ("parameter", "default", "values", "what it says")


def text() -> str:
    """The whole generated part of the page."""
    return "\n\n".join([*_methods(), *_objectives(), *_others()])


def _methods() -> list[str]:
    climbing = [name for name, entry in METHODS.items() if issubclass(entry.parameters, Training)]
    raw = [name for name, entry in METHODS.items() if issubclass(entry.parameters, Climbing)]
    parts = ["## Methods", _helps({name: entry.help for name, entry in METHODS.items()})]
    parts += ["### Parameters of every climb", f"{_named(climbing)} have these.", _parameters(Training)]
    parts += [
        "### Parameters of climbs with raw text",
        f"{_named(raw)} have these, too.",
        _parameters(Climbing, Training),
    ]
    for name, entry in METHODS.items():
        base = next((one for one in (Climbing, Training) if issubclass(entry.parameters, one)), Parameters)
        if set(specs(entry.parameters)) > set(specs(base)):
            parts += [f"### {name}", _parameters(entry.parameters, base)]
    return parts


def _objectives() -> list[str]:
    parts = ["## Objectives", "`composed`, and `objectives:` in a configuration, add these up."]
    parts += ["Each has `data`, the text it looks at: `labeled` or `unlabeled`; the first named here is the default."]
    for name, entry in OBJECTIVES.items():
        own = [_parameters(entry.parameters)] if specs(entry.parameters) else []
        parts += [f"### Objective {name}", f"{entry.help}; `data` is {' or '.join(map(code, entry.texts))}.", *own]
    return parts


def _others() -> list[str]:
    choices = table(("parameter", "what it says"), [(code(name), line) for name, line in OF_TEMPLATES])
    return [
        "## Choices of the template", "A template makes them; `--set` makes them for one training.", choices,
        "## Ways to decide labels first", "`--ambiguous` of `sstag train`.",
        _helps({name: entry.help for name, entry in AMBIGUOUS.items()}),
        "## Strategies", "`--strategy` of `sstag select` and `sstag experiment curve`.",
        _helps({name: strategy.help for name, strategy in STRATEGIES.items()}),
        "## Ways to spread a batch", "`--spread` of `sstag select`, and `spread=…` of `sstag experiment curve`.",
        _helps({name: way.help for name, way in SPREADS.items()}),
        "## Densities", "`--kind` of `sstag density`.", _helps(DENSITIES),
        "## Generated corpora", "`sstag sample NAME`.", _helps({name: line for name, (_, line) in SAMPLES.items()}),
    ]  # fmt: skip


def _helps(lines: Mapping[str, str]) -> str:
    return table(("name", "what it is"), [(code(name), line) for name, line in lines.items()])


def _named(names: list[str]) -> str:
    return f"{', '.join(map(code, names[:-1]))} and {code(names[-1])}"


def _parameters(kind: type[Parameters], without: type[Parameters] = Parameters) -> str:
    """A table of the parameters that a kind has, and another one has not."""
    others = specs(without)
    rows = [(code(one.name), one.default, one.range, one.help) for one in described(kind) if one.name not in others]
    return table(HEAD, rows)
