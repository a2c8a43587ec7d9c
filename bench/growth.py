"""growth: exponents by which time and memory grow with tokens, labels and attributes.

    y − y₀ = a (x − x₀)ᵇ     x₀ is the smallest size, whose cost y₀ (start-up, kernels) any size has

b is found by least squares of logarithms over the upper half of the sizes, with its standard error.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from bench.corpora import Language, template
from bench.figures import ONE, Bench, Case, Figure, Measured, Target
from bench.processes import Command, function, run, sstag

KINDS = ("pass", "training", "tagging")
UNITS = {"seconds": "time", "MiB": "peak memory"}
LINEAR = 1.1  # an exponent of 1, and something for data that outgrow the caches
TOKENS = {"labels": 5_000, "attributes": 50_000}
ITERATIONS = 20


def _measured(axis: str, bench: Bench) -> Measured:
    sizes: Sequence[int] = getattr(bench.scale, axis)
    runs: dict[str, list[dict[str, Any]]] = {}
    for number in range(bench.scale.few):
        for size in sizes:
            for kind, side in _sides(axis, size, sizes[0], bench).items():
                bench.tell(f"{kind}, {size:,} {axis}, run {number + 1} of {bench.scale.few}")
                runs.setdefault(f"{kind}, {size:,} {axis}", []).append(run(side))
    lines = {
        unit: {kind: [min(one[unit] for one in runs[f"{kind}, {size:,} {axis}"]) for size in sizes] for kind in KINDS}
        for unit in UNITS
    }
    reach = f"{sizes[len(sizes) // 2]:,} to {sizes[-1]:,} {axis}"
    targets = [Target(ONE, "most", LINEAR)] if axis == "tokens" else []
    figures, named = [], {}
    for unit, what in UNITS.items():
        for kind in KINDS:
            slope, error = fitted(sizes, lines[unit][kind])
            plus = "" if math.isnan(error) else f" ± {error:.2f}"
            name = f"{what} of {kind}, {reach}: exponent" + (f" ({plus.strip()})" if plus else "")
            figures.append(Figure(name, "", {ONE: [slope]}, targets))
            named.setdefault(unit, {})[f"{kind}: {slope:.2f}{plus}"] = lines[unit][kind]
    _plot(axis, sizes, named, bench)
    on = {"corpus": "generated", "sizes": sizes, "iterations": ITERATIONS}
    return Measured(on, runs, figures)


def fitted(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """The exponent b and its standard error (nan from fewer than three points); 0 if nothing has grown."""
    upper = range(max(len(x) // 2, 1), len(x))
    if min(y[i] for i in upper) <= y[0]:
        return 0.0, math.nan
    a, b = ([math.log(values[i] - values[0]) for i in upper] for values in (x, y))
    slope, start = statistics.linear_regression(a, b)
    left = sum((other - start - slope * one) ** 2 for one, other in zip(a, b, strict=True))
    freedom = len(a) - 2
    return slope, math.sqrt(left / freedom / (len(a) * statistics.pvariance(a))) if freedom else math.nan


def _sides(axis: str, size: int, first: int, bench: Bench) -> dict[str, Command]:
    """The commands for a pass, a training and tagging at one size; its corpus is made when it is first wanted."""
    path, made = bench.scratch / f"{axis} {size}.txt", bench.scratch / f"{axis} {size}.yaml"
    model = bench.scratch / f"{axis} {size}.model"
    if not path.exists():
        _make(axis, size, path, made)
    problem = {"path": path, "template": made, "transitions": "all"}
    training = {"path": path, "template": made, "threads": 1, "iterations": ITERATIONS, "model": model}
    # More tokens are tagged with the same model, other labels and attributes with one of their own.
    tagger = bench.scratch / f"{axis} {first}.model" if axis == "tokens" else model
    tagging = sstag("tag", "--model", tagger, path, "--output", bench.scratch / "tagged.txt", "--threads", 1)
    return {
        "pass": function("bench.sstag_side:passes", problem=problem, threads=1, l2=1.0, iterations=bench.scale.passes),
        "training": function("bench.sstag_side:training", **training),
        "tagging": tagging,
    }


def _make(axis: str, size: int, path: Path, made: Path) -> None:
    """Writes the corpus and the template of one size."""
    if axis == "tokens":
        made.write_bytes(template("ads").read_bytes())
        run(function("bench.writing:write_ads", path=path, tokens=size))
        return
    before = size // 2 if axis == "attributes" else 1
    after = size - 1 - before if axis == "attributes" else 1
    made.write_text(f"columns: [word, label]\nfeatures: ['word[-{before}..{after}]']\n", encoding="utf-8")
    language = Language(labels=size if axis == "labels" else 20, words=5000, columns=1, length=50)
    run(function("bench.writing:write_generated", path=path, language=asdict(language), tokens=TOKENS[axis]))


def _plot(axis: str, sizes: Sequence[int], lines: Mapping[str, Mapping[str, Sequence[float]]], bench: Bench) -> None:
    if find_spec("matplotlib") is None:
        click.echo("no plots of growth: matplotlib is not installed (pip install '.[plots]')", err=True)
        return
    path = bench.results / f"{'' if bench.scale.name == 'bench' else bench.scale.name + '-'}growth-{axis}"
    run(function("bench.plot:growth", axis=axis, sizes=sizes, lines=lines, path=path))


CASES = tuple(Case(axis, partial(_measured, axis), axis == "tokens", ()) for axis in ("tokens", "labels", "attributes"))
