"""`python -m bench [--quick] [MEASUREMENT …]`: runs measurements, and writes their figures to bench/results/.

The measurements that are named are repeated, and the results of all others are kept. Each case is written when it is
done, so Ctrl-C loses only the case that is running.
"""

import importlib.metadata
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from bench.figures import Bench, Case
from bench.processes import RESULTS, NotMeasured, function, run
from bench.results import Results, load, save, table
from bench.scale import FULL, QUICK
from sstag.interfaces.cli.progress import ProgressLine

MEASUREMENTS = {  # in the order of the table
    "pass": "bench.passes",
    "entropy": "bench.entropy",
    "expectation": "bench.expectations",
    "rejection": "bench.rejections",
    "optimum": "bench.optimum",
    "optimiser": "bench.optimisers",
    "extraction": "bench.extraction",
    "train": "bench.train",
    "tag": "bench.tag",
    "latency": "bench.latency",
    "second": "bench.second_look",
    "select": "bench.select",
    "clusters": "bench.clusters",
    "encode": "bench.encoding",
    "convert": "bench.converting",
    "growth": "bench.growth",
    "large": "bench.large",
}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(MEASUREMENTS)))
@click.option("--quick", is_flag=True, help="A part of everything, in about a minute.")
def main(names: tuple[str, ...], quick: bool) -> None:
    """Measure sstag beside CRFsuite."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # ends the child process, too
    scale = QUICK if quick else FULL
    with tempfile.TemporaryDirectory(prefix="sstag-bench-") as scratch, ProgressLine(patience=0.0) as line:
        bench = Bench(scale, Path(scratch), RESULTS, line.show)
        chosen = [name for name in MEASUREMENTS if name in names or not names]
        try:
            results = measured(bench, chosen, quick)
        except KeyboardInterrupt:
            line.clear()
            click.echo("interrupted: what was measured before is kept", err=True)
            sys.exit(130)
    click.echo(table(results), nl=False)
    if any("not measured" in case for name in chosen for case in results[name].values()):
        sys.exit(1)


def measured(bench: Bench, names: Sequence[str], quick: bool) -> Results:
    """All results, of which those of the named measurements are new; they are written after every case."""
    path = bench.results / f"{bench.scale.name}.json"
    before = load(path)
    results: Results = {name: before.get(name, {}) for name in MEASUREMENTS}
    bench.tell("compiling, where that has to be")
    run(function("bench.sstag_side:warm"))
    for name in names:
        cases = {case.name: case for case in import_module(MEASUREMENTS[name]).CASES if case.quick or not quick}
        results[name] = {known: result for known, result in results[name].items() if known in cases}
        for case in cases.values():
            results[name][case.name] = _measured(case, replace(bench, tell=partial(_tell, bench, name, case.name)))
            save(results, path)
    return results


def _measured(case: Case, bench: Bench) -> dict[str, Any]:
    """The figures of a case, or the reason why it has none, with the machine and its load before the runs."""
    machine = {"what": _machine(), "load before": os.getloadavg()[0]}
    missing = [name for name in case.needs if find_spec(name) is None]
    try:
        if missing:
            raise NotMeasured(f"{', '.join(missing)} is not installed (pip install '.[bench]')")
        found = case.measured(bench)
    except NotMeasured as error:
        return {"machine": machine, "not measured": str(error)}
    figures = [(one if bench.scale.aims else replace(one, targets=())).summary() for one in found.figures]
    return {"machine": machine, "on": found.on, "figures": figures, "runs": found.runs}


def _tell(bench: Bench, measurement: str, case: str, text: str) -> None:
    bench.tell(f"{measurement}, {case}: {text}")


def _machine() -> str:
    """The processors of this machine, and the versions of the packages that matter."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    packages = [
        name for name in ("sstag", "numpy", "scipy", "python-crfsuite") if find_spec(name.replace("python-", "py"))
    ]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    return f"{os.cpu_count()} × {processor}, Python {platform.python_version()}, {versions}"


if __name__ == "__main__":
    main()
