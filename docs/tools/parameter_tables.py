"""The tables of docs/reference/parameters.md: every method, objective and strategy, with parameters and defaults."""

from collections.abc import Mapping

from docs.tools.registries import code, table
from sstag.experiments.samples import SAMPLES
from sstag.interfaces.cli.method_lists import OF_TEMPLATES
from sstag.selection.density import DENSITIES
from sstag.selection.strategies import STRATEGIES
from sstag.training.disambiguation import AMBIGUOUS
from sstag.training.methods import METHODS
from sstag.training.objectives import OBJECTIVES
from sstag.training.parameter_specs import RANGES, TEXTS, Parameters

HEAD = ("parameter", "default", "values", "what it says")


def text() -> str:
    """The whole generated part of the page."""
    shared = set.intersection(*(set(entry.parameters) for entry in METHODS.values() if "l2" in entry.parameters))
    climbing = next(entry.parameters for entry in METHODS.values() if shared <= set(entry.parameters))
    parts = ["## Methods", _helps({name: entry.help for name, entry in METHODS.items()})]
    parts += ["### Parameters of every method that climbs", "All methods but `hmm` and `constraint-driven` have these."]
    parts.append(_parameters({name: climbing[name] for name in climbing if name in shared}))
    for name, entry in METHODS.items():
        own = {one: spec for one, spec in entry.parameters.items() if one not in shared}
        if own:
            parts += [f"### {name}", _parameters(own)]
    parts += ["## Objectives", "`composed`, and `objectives:` in a configuration, add these up."]
    for name, one in OBJECTIVES.items():
        parts += [f"### Objective {name}", f"{one.help}.", _parameters(one.settable)]
    parts += ["## Choices of the template", "A template makes them; `--set` makes them for one training."]
    parts.append(table(("parameter", "what it says"), [(code(name), line) for name, line in OF_TEMPLATES]))
    parts += ["## Ways to decide labels first", "`--ambiguous` of `sstag train`."]
    parts.append(_helps({name: way.help for name, way in AMBIGUOUS.items()}))
    parts += ["## Strategies", "`--strategy` of `sstag select` and `sstag experiment curve`."]
    parts.append(_helps({name: strategy.help for name, strategy in STRATEGIES.items()}))
    parts += ["## Densities", "`--kind` of `sstag density`.", _helps(DENSITIES)]
    parts += [
        "## Generated corpora",
        "`sstag sample NAME`.",
        _helps({name: line for name, (_, line) in SAMPLES.items()}),
    ]
    return "\n\n".join(parts)


def _helps(lines: Mapping[str, str]) -> str:
    return table(("name", "what it is"), [(code(name), line) for name, line in lines.items()])


def _parameters(parameters: Parameters) -> str:
    rows = [(code(name), _shown(default), _values(name, default), line) for name, (default, line) in parameters.items()]
    return table(HEAD, rows)


def _shown(default: object) -> str:
    if isinstance(default, list) or default == "":
        return ""
    return str(default) if not isinstance(default, float) else f"{default:g}"


def _values(name: str, default: object) -> str:
    if name in TEXTS:
        return ", ".join(TEXTS[name])
    if isinstance(default, str | list):
        return "a file" if isinstance(default, str) else "a list"
    least, most = RANGES.get(name, (0, float("inf")))
    kind = "whole number" if isinstance(default, int) else "number"
    if least == float("-inf"):
        return kind
    return f"{kind} from {least:g}" + ("" if most == float("inf") else f" to {most:g}")
